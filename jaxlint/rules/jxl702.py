"""JXL702: an operation at a certain zero, where it has no gradient."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class SingularGradient(RuleOn[events.SingularGradient]):
    """## What it does

    Finds norms and square roots that are given zero for certain while reverse mode differentiates
    them: of the difference of a value and itself, and of the differences of all pairs of points,
    in which each point meets itself on the diagonal. Also what divides by such a zero, or takes it
    to a negative power, with a mask or index that leaves the diagonal out or without one. And
    norms, square roots and standard deviations of parameters that begin as `jnp.zeros(...)`. And
    the logarithm of a softmax of logits some of which a mask has set to `-inf`, or far below the
    others: `jnp.log(jax.nn.softmax(jnp.where(legal, logits, -jnp.inf)))`.
    And `jax.nn.logsumexp` or a softmax of nothing but `-inf`.

    ## Why is this bad

    The gradient of `jnp.linalg.norm` at zero is NaN, and that of `jnp.sqrt` infinite, which NaN
    comes of further on. One such pair makes the gradient of all points NaN. Leaving the diagonal
    out of the result, by a mask or an index, does not help: the cotangent of zero that goes back
    to it becomes NaN as well.

    ## Bad

    ```python
    @jax.grad
    def energy(points):
        difference = points[:, None, :] - points[None, :, :]
        return jnp.sum(jnp.linalg.norm(difference, axis=-1))
    ```

    ## Instead

    ```python
    @jax.grad
    def energy(points):
        difference = points[:, None, :] - points[None, :, :]
        square = jnp.sum(difference**2, axis=-1)
        same = jnp.eye(len(points), dtype=bool)
        return jnp.sum(jnp.where(same, 0.0, jnp.sqrt(jnp.where(same, 1.0, square))))
    ```

    `jnp.sqrt(square + 1e-12)` serves where a little error on the diagonal does no harm.

    ## Limits

    Only zeros that are certain are found: `jnp.linalg.norm(x - y)` is none.

    ## Messages

    - the gradient of `...` is NaN: the softmax is 0 behind the mask at line ...; use
      `jax.nn.log_softmax`
    - the gradient of `...` is NaN: it is given nothing but the `-inf` made at line ...; use a large
      negative number
    - the gradient of `...` is NaN: it is given the zeros made at line ...; add a small number
      first, as `jnp.sqrt(x + 1e-12)` does
    - the gradient of `...` is NaN: the difference at line ... always has a zero; replace the
      zero first, with `jnp.where`
    """

    code = "JXL702"
    name = "singular-gradient"
    summary = "a norm, square root or quotient at a certain zero, whose gradient is NaN"
    severity = "warning"
    evidence = Evidence(
        "nan_gradient",
        "jax 0.10.2: jax.grad(lambda x: jnp.linalg.norm(x - x))(jnp.ones(3)) is NaN, as is the "
        "gradient of jnp.sqrt(jnp.sum((x[:, None] - x[None]) ** 2, axis=-1)), of which the "
        "diagonal is zero; so is that of jnp.where(same, 0.0, 1 / square).",
        differs=(
            Difference("0.7.0", "the gradient is NaN too, and JAX does not say where it became so"),
        ),
    )

    def message(self, event: events.SingularGradient) -> str:
        if event.masked:
            return (
                f"the gradient of `{text(event.subject)}` is NaN: the softmax is 0 behind the mask"
                f"{at_line(event.zero_at)}; use `jax.nn.log_softmax`"
            )
        if event.empty:
            return (
                f"the gradient of `{text(event.subject)}` is NaN: it is given nothing but the "
                f"`-inf` made{at_line(event.zero_at)}; use a large negative number"
            )
        if event.made:
            return (
                f"the gradient of `{text(event.subject)}` is NaN: it is given the zeros made"
                f"{at_line(event.zero_at)}; add a small number first, as `jnp.sqrt(x + 1e-12)` does"
            )
        return (
            f"the gradient of `{text(event.subject)}` is NaN: the difference"
            f"{at_line(event.zero_at)} always has a zero; replace the zero first, with `jnp.where`"
        )
