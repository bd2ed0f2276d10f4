"""JXL707: a rule of differentiation that ignores what comes to it."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class IgnoredCotangent(RuleOn[events.IgnoredCotangent]):
    """## What it does

    Finds rules of `jax.custom_vjp` and `jax.custom_jvp` that never read their last argument: the
    backward rule's cotangent, the `jvp` rule's tangents. Quiet where a rule gives zeros, which
    stops the gradient.

    ## Why is this bad

    A rule gives a product: what comes to it times the derivative. A backward rule that returns the
    derivative alone is right for `jax.grad` of the function itself, where a 1 comes, and wrong in
    any program around it: whatever is computed of the result is left out of the gradient. What a
    `jvp` rule gives that does not depend on the tangents is a constant to `jax.grad`, whose
    gradient is zero. JAX cannot tell.

    ## Bad

    ```python
    @jax.custom_vjp
    def cube(x):
        return x**3

    def cube_fwd(x):
        return cube(x), x

    def cube_bwd(x, g):
        return (3 * x**2,)

    cube.defvjp(cube_fwd, cube_bwd)
    gradient = jax.grad(lambda x: 5 * cube(x))(2.0)  # 12, and not 60
    ```

    ## Instead

    ```python
    @jax.custom_vjp
    def cube(x):
        return x**3

    def cube_fwd(x):
        return cube(x), x

    def cube_bwd(x, g):
        return (3 * x**2 * g,)

    cube.defvjp(cube_fwd, cube_bwd)
    gradient = jax.grad(lambda x: 5 * cube(x))(2.0)
    ```

    ## Messages

    - the bwd rule of `...` never reads `...`, so all that is computed of the result is left out of
      the gradient; multiply by `...`
    - the jvp rule of `...` never reads `...`, so the gradient is zero; multiply by `...`
    """

    code = "JXL707"
    name = "ignored-cotangent"
    summary = "a rule of differentiation that never reads what comes to it"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: the gradient of 5 * f is that of f, or zero.",
    )

    def message(self, event: events.IgnoredCotangent) -> str:
        comes = (
            "all that is computed of the result is left out of the gradient"
            if event.rule == "bwd"
            else "the gradient is zero"
        )
        return (
            f"the {event.rule} rule of `{event.function}` never reads `{event.parameter}`, so "
            f"{comes}; multiply by `{event.parameter}`"
        )
