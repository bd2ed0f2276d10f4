"""JXL108: a size or shape taken from a traced value."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text, why_traced


class SizeFromTracer(RuleOn[events.TracedSize]):
    """## What it does

    Finds sizes, shapes, counts and slice bounds that come from a tracer: `jnp.zeros(n)`,
    `jnp.arange(n)`, `x.reshape(n, -1)`, `x[:n]`, `jnp.repeat(x, n)`,
    `jax.random.normal(key, (n,))`.

    ## Why is this bad

    Compiled code has fixed shapes: a size must be known while tracing, before the
    values are.

    ## Bad

    ```python
    @jax.jit
    def first(x, n):
        return x[:n]
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="n")
    def first(x, n):
        return x[:n]
    ```

    or, when `n` changes often, keep the shape and mask:
    `jnp.where(jnp.arange(x.shape[0]) < n, x, 0)`; for a window of fixed size,
    `jax.lax.dynamic_slice_in_dim(x, start, size)`.
    """

    code = "JXL108"
    name = "size-from-tracer"
    summary = "a size or shape taken from a traced value"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (shapes must be concrete) for zeros, full, reshape, random.normal; "
        "ConcretizationTypeError for arange, linspace(num=n), repeat, split, pad; IndexError for "
        "x[:n]; TracerIntegerConversionError for slice_in_dim. repeat with "
        "total_repeat_length works.",
        exceptions=(
            "TypeError", "ConcretizationTypeError", "IndexError", "TracerIntegerConversionError",
            "TracerBoolConversionError", "ValueError",
        ),
    )  # fmt: skip

    def message(self, event: events.TracedSize) -> str:
        if event.parameter == "slice":
            what = f"slice bounds in `{text(event.subject)}` must be known while tracing"
            instead = "use `jax.lax.dynamic_slice_in_dim`, a mask, or make them static"
        else:
            what = (
                f"`{event.parameter}` of `{short(event.function)}` must be known while tracing, "
                f"and `{text(event.subject)}` is not"
            )
            instead = "make it static (`static_argnames`), or take it from a shape"
        return f"{what}: {why_traced(event)}; {instead}"
