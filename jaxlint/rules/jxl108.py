"""JXL108: a size or shape taken from a traced value."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import or_static, short, text, why_traced


class SizeFromTracer(RuleOn[events.TracedSize]):
    """## What it does

    Finds sizes, shapes, counts and slice bounds that come from a tracer: `jnp.zeros(n)`,
    `jnp.arange(n)`, `x.reshape(n, -1)`, `x[:n]`, `jnp.repeat(x, n)`,
    `jax.random.normal(key, (n,))`.

    ## Why is this bad

    Compiled code has fixed shapes: a size must be known at tracing, before the
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

    ## Messages

    - `...` of `...` must be known at tracing, and `...` is not; take it from a shape or
      a static argument
    - `...` of `...` must be known at tracing, and `...` is not; take it from a shape, or
      make `...` static (`static_argnames="..."`)
    - slice bounds in `...` must be known at tracing; use `jax.lax.dynamic_slice_in_dim`
      or a mask, or make `...` static (`static_argnames="..."`)
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
            what = f"slice bounds in `{text(event.subject)}` must be known at tracing"
            instead = f"use `jax.lax.dynamic_slice_in_dim` or a mask{or_static(event)}"
        else:
            what = (
                f"`{event.parameter}` of `{short(event.function)}` must be known at tracing, "
                f"and `{text(event.subject)}` is not"
            )
            instead = f"take it from a shape{or_static(event, ' or a static argument')}"
        return f"{what}: {why_traced(event)}; {instead}"
