"""JXL111: a tracer for a parameter that must be static."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import or_static, short, text, why_traced


class StaticArgumentTraced(RuleOn[events.StaticArgument]):
    """## What it does

    Finds tracers given to parameters of JAX and NumPy functions that must be Python values:
    `axis`, `keepdims`, `ord`, `decimals`, the order of axes.

    ## Why is this bad

    They decide what the compiled program looks like, so they must be known while tracing.

    ## Bad

    ```python
    @jax.jit
    def total(x, axis):
        return jnp.sum(x, axis=axis)
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="axis")
    def total(x, axis):
        return jnp.sum(x, axis=axis)
    ```

    ## Messages

    - `...` of `...` must be static, and `...` is a tracer; pass a Python value, or make
      `...` static (`static_argnames="..."`)
    """

    code = "JXL111"
    name = "static-argument-traced"
    summary = "a tracer for a parameter that must be static"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, each parameter of each public function asked: ConcretizationTypeError for "
        "sum(axis=n), TracerIntegerConversionError for concatenate(axis=n), ValueError "
        "(non-hashable static) for cumsum(axis=n), norm(ord=n), TracerBoolConversionError for "
        "argmax(keepdims=b), TypeError for lax.reduce_sum(axes=n).",
        exceptions=(
            "ConcretizationTypeError", "TracerIntegerConversionError", "ValueError",
            "TracerBoolConversionError", "TracerArrayConversionError", "TypeError",
        ),
    )  # fmt: skip

    def message(self, event: events.StaticArgument) -> str:
        return (
            f"`{event.parameter}` of `{short(event.function)}` must be static, and "
            f"`{text(event.subject)}` is a tracer: {why_traced(event)}; pass a Python value"
            f"{or_static(event)}"
        )
