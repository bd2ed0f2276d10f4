"""JXL706: a gradient that is zero everywhere."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short


class ZeroGradient(RuleOn[events.ZeroGradient]):
    """## What it does

    Finds functions under `jax.grad` and its like whose result depends on what is differentiated
    only through operations that give no gradient back: comparisons, `jnp.round`, `jnp.sign`,
    `jnp.argmax`, a conversion to integers, a draw of `jax.random.categorical`; and losses that are
    computed of the data alone, such as the entropy of the labels. Quiet where another
    way leads back, as that of a straight-through estimator, where the function has rules of its
    own or gives a constant, and where `jax.lax.stop_gradient` says that it is meant.

    ## Why is this bad

    These operations are flat wherever they are continuous. JAX returns zeros, for any parameters:
    the training runs, the loss is printed, and nothing ever moves.

    ## Bad

    ```python
    @jax.grad
    def loss(w, x, y):
        predicted = (x @ w > 0.5).astype(jnp.float32)
        return jnp.mean((predicted - y) ** 2)
    ```

    ## Instead

    ```python
    @jax.grad
    def loss(w, x, y):
        predicted = jax.nn.sigmoid(x @ w)
        return jnp.mean((predicted - y) ** 2)
    ```

    For draws, take the gradient of the logarithm of their probability, or draw by
    `jax.random.gumbel` and a `softmax`.

    ## Messages

    - the gradient of `...` is zero everywhere: `...` gives none back; compute the loss of what is
      before it
    - the gradient of `...` is zero everywhere: it is computed of the data alone; compute it of what
      is differentiated
    """

    code = "JXL706"
    name = "zero-gradient"
    summary = "a function whose gradient is zero everywhere"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: all numbers of the gradient are zero, at any parameters.",
    )

    def message(self, event: events.ZeroGradient) -> str:
        if not event.operation:
            return (
                f"the gradient of `{event.function}` is zero everywhere: it is computed of the "
                "data alone; compute it of what is differentiated"
            )
        return (
            f"the gradient of `{event.function}` is zero everywhere: `{short(event.operation)}` "
            "gives none back; compute the loss of what is before it"
        )
