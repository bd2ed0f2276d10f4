"""JXL312: a loss or accuracy of all pairs of predictions and targets."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class OuterDifference(RuleOn[events.OuterDifference]):
    """## What it does

    Finds the difference of a column and a row of one length in a loss: predictions of shape
    `(n, 1)`, which a matrix product gives, or a network that ends in a layer of one feature
    (flax, equinox, haiku), and targets of shape `(n,)`. And the share of right predictions, where
    classes that `argmax` gives are compared with a column of labels, `(n,)` with `(n, 1)`.

    ## Why is this bad

    The two broadcast to `(n, n)`: each prediction is compared with every target, and the loss is
    the mean of all those pairs. JAX raises nothing, the loss falls, and what is learnt is the mean
    of the targets.

    ## Bad

    ```python
    def loss(weights, x, y):
        prediction = x @ weights  # (100, 1)
        return jnp.mean((prediction - y) ** 2)


    jax.grad(loss)(jnp.zeros((3, 1)), jnp.ones((100, 3)), jnp.ones(100))
    ```

    ## Instead

    ```python
    def loss(weights, x, y):
        prediction = x @ weights
        return jnp.mean((prediction[:, 0] - y) ** 2)


    jax.grad(loss)(jnp.zeros((3, 1)), jnp.ones((100, 3)), jnp.ones(100))
    ```

    The setting `jax_numpy_rank_promotion="raise"` makes JAX raise where ranks differ.

    ## Limits

    Only where the shapes are certain: those of the arrays that calls in view pass, and what layers
    in view make of them. It is quiet where pairs may be meant: the column is no product with what
    is learnt, the row is computed from what is differentiated, or the result is not the mean or
    sum of all.

    ## Messages

    - shapes ... and ... give (..., ...) in `...`: the loss compares each row with every
      other; take `[:, 0]` of the column
    - shapes ... and ... give (..., ...) in `...`: each prediction is compared with every label;
      take `[:, 0]` of the column
    """

    code = "JXL312"
    name = "outer-difference"
    summary = "a loss or accuracy of all pairs, where a column meets a row"
    severity = "warning"
    evidence = Evidence(
        "raises_under",
        "jax 0.10.2: (jnp.ones((4, 1)) - jnp.ones(4)).shape is (4, 4); with "
        'jax_numpy_rank_promotion="raise" ValueError (Operands could not be broadcast together '
        "for subtract on shapes (4, 1) (4,)).",
        exceptions=("ValueError",),
        setting="jax_numpy_rank_promotion",
    )

    def message(self, event: events.OuterDifference) -> str:
        n = event.size
        shapes = [f"({n}, 1)", f"({n},)"]
        first, second = shapes if event.column_first else shapes[::-1]
        what = "the loss compares each row with every other"
        if event.compares:
            what = "each prediction is compared with every label"
        return (
            f"shapes {first} and {second} give ({n}, {n}) in `{text(event.subject)}`: {what}; "
            "take `[:, 0]` of the column"
        )
