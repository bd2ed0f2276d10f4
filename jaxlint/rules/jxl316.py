"""JXL316: indices that lie outside of the array, of which JAX makes something."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short

_COMES = {
    "reads": "JAX reads the nearest element",
    "fills": "JAX fills in NaN, or the largest integer",
    "drops": "JAX drops what belongs there",
}


class IndexBeyond(RuleOn[events.IndexBeyond]):
    """## What it does

    Finds arrays of indices of which some lie outside of the array that they are for:
    `table[jnp.arange(512)]` of a table with 256 rows, `jnp.take(x, indices)`,
    `jax.ops.segment_sum(x, ids, num_segments=2)` with an id of 2; and `x.at[3].set(v)` of an array
    with three elements; and slices of `jax.lax.dynamic_slice` that do not fit, of which a
    `jax.lax.scan` or `jax.vmap` over `jnp.arange(n)` gives the starts. Sizes and numbers are
    written in the program. Quiet where a `mode` says what is meant.

    ## Why is this bad

    NumPy raises IndexError. In JAX `x[i]` reads the nearest element instead, `jnp.take` gives NaN,
    and updates and segments are dropped: the result is wrong, and nothing says so.

    ## Bad

    ```python
    table = jnp.ones((256, 8))
    rows = table[jnp.arange(512)]
    ```

    ## Instead

    ```python
    table = jnp.ones((512, 8))
    rows = table[jnp.arange(512)]
    ```

    Where it is meant, `x.at[i].get(mode="clip")` and `x.at[i].set(v, mode="drop")` say so.

    ## Messages

    - index ... lies outside of an axis of size ...: JAX reads the nearest element; use indices
      below ...
    - index ... lies outside of an axis of size ...: JAX drops what belongs there; use indices
      below ...
    - `...` gets index ..., outside of ... elements: JAX fills in NaN, or the largest integer; use
      indices below ...
    - `...` gets start ..., and ... is the last that fits: JAX moves it there; use starts up to ...
    - `...` gets index ..., outside of ... segments: JAX drops what belongs there; make
      `num_segments` larger
    """

    code = "JXL316"
    name = "index-beyond"
    summary = "indices outside of the array, which JAX moves, fills or drops"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: rows 256 to 511 of a table of 256 are all its last one.",
    )

    def message(self, event: events.IndexBeyond) -> str:
        if event.comes == "moves":
            what = f"`{short(event.function)}` gets start {event.index}, and {event.size}"
            return (
                f"{what} is the last that fits: JAX moves it there; use starts up to {event.size}"
            )
        comes = f"{_COMES[event.comes]}; use indices below {event.size}"
        if not event.function:
            return f"index {event.index} lies outside of an axis of size {event.size}: {comes}"
        what = "elements"
        if event.comes == "drops":
            comes, what = f"{_COMES[event.comes]}; make `num_segments` larger", "segments"
        return (
            f"`{short(event.function)}` gets index {event.index}, outside of {event.size} {what}: "
            f"{comes}"
        )
