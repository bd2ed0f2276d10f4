"""JXL109: a result whose shape depends on traced values."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.masks import as_where, reduced_where
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text, why_traced


class DataDependentShape(RuleOn[events.DataDependentShape]):
    """## What it does

    Finds boolean masks as index, and functions such as `jnp.nonzero`, `jnp.unique`,
    `jnp.where` with one argument, `jax.ops.segment_sum` without `num_segments`, whose
    result has as many elements as the values say.

    ## Why is this bad

    Compiled code has fixed shapes, and how many elements a mask keeps is not known
    while tracing.

    ## Bad

    ```python
    @jax.jit
    def f(x):
        return x[x > 0].sum()
    ```

    ## Instead

    ```python
    @jax.jit
    def f(x):
        return jnp.where(x > 0, x, 0.0).sum()
    ```

    Many of the functions take `size=` (and `fill_value=`), which fixes the shape.
    """

    code = "JXL109"
    name = "data-dependent-shape"
    summary = "a result whose shape depends on traced values"
    fixes = (
        "For a mask that is computed from the array itself: `x[mask].sum()` becomes "
        "`x.sum(where=mask)`, likewise `mean` and others; `x.at[mask].set(v)` becomes "
        "`jnp.where(mask, v, x)`, which is unsafe: the type may be that of `v`. None where what "
        "the size should be is for a person to say."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: NonConcreteBooleanIndexError for v[m] and v.at[m].set(...); "
        "ConcretizationTypeError for where(m), nonzero, flatnonzero, argwhere, unique, "
        "intersect1d, union1d, segment_sum without num_segments; TracerBoolConversionError for "
        "compress. With size= (num_segments=, length=) they work.",
        exceptions=(
            "NonConcreteBooleanIndexError", "ConcretizationTypeError", "TracerBoolConversionError",
        ),
    )  # fmt: skip

    def message(self, event: events.DataDependentShape) -> str:
        if event.function == "mask":
            what = f"the boolean mask in `{text(event.subject)}` depends on traced values"
            instead = (
                "use `jnp.where(mask, value, x)`"
                if event.at
                else "use `jnp.where(mask, x, fill)`, which keeps the shape"
            )
        else:
            what = f"the size of what `{short(event.function)}` returns depends on traced values"
            instead = (
                f"give `{event.cures[0]}=`"
                if event.cures
                else "use a function that keeps the shape, or call it outside"
            )
        return f"{what}: {why_traced(event)}; {instead}"

    def fix(self, event: events.DataDependentShape, code: Code) -> Fix | None:
        masked = code.node(event.site)
        if event.function != "mask" or not isinstance(masked, cst.Subscript):
            return None
        return as_where(masked, code) if event.at else reduced_where(masked, code)
