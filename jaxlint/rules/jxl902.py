"""JXL902: a collective along an axis that nothing has named."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import short, tracing


class UnboundAxis(RuleOn[events.UnboundAxis]):
    """## What it does

    Finds `jax.lax.psum(x, "batch")`, `pmean`, `axis_index` and their like where all that calls them
    is in view, and no `vmap`, `pmap` or `shard_map` on the way gives an axis that name. Quiet
    behind a flag that nobody in view knows (`if is_parallel:`).

    ## Why is this bad

    JAX raises NameError as soon as the function is traced. It happens when a step written for
    `pmap(..., axis_name="batch")` is called under `jit`, or when the two names differ.

    ## Bad

    ```python
    @jax.jit
    def step(grads):
        return jax.lax.pmean(grads, "batch")

    step(grads)
    ```

    ## Instead

    ```python
    def step(grads):
        return jax.lax.pmean(grads, "batch")

    jax.vmap(step, axis_name="batch")(grads)
    ```

    or no collective at all: under `jit` a plain `jnp.mean` of a sharded array is a mean over all
    devices.

    ## Messages

    - no axis is named "..." when ... traces `...` (line ...), and `...` raises; name one in
      `vmap`, `pmap` or the mesh of `shard_map`
    - no axis is named "..." here, and `...` raises; name one in `vmap`, `pmap` or the mesh of
      `shard_map`
    """

    code = "JXL902"
    name = "unbound-axis"
    summary = "a collective along an axis that nothing has named"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: NameError (unbound axis name) for psum, pmean, pmax, pmin, all_gather, "
        "all_to_all, ppermute, psum_scatter, axis_index, axis_size, under jit and outside, also "
        "in the context of a mesh; psum and its like under a shard_map of another axis: "
        "AssertionError.",
        exceptions=("NameError", "AssertionError"),
        differs=(Difference("0.8.2", "a `shard_map` of another axis makes it a KeyError"),),
    )

    def same_cause(self, event: events.UnboundAxis) -> Hashable | None:
        tracing = event.context.tracing
        return (tracing, event.axis) if tracing is not None else None

    def message(self, event: events.UnboundAxis) -> str:
        where = f"when {tracing(event)}" if event.context.tracing is not None else "here"
        return (
            f'no axis is named "{event.axis}" {where}, and `{short(event.function)}` raises; '
            "name one in `vmap`, `pmap` or the mesh of `shard_map`"
        )
