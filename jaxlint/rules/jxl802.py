"""JXL802: state of nnx from outside of the trace."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.libraries import STREAMS
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class OuterState(RuleOn[events.OuterState]):
    """## What it does

    Finds traced functions that change an object of nnx (a module, a variable, `nnx.Dropout`,
    `nnx.BatchNorm`, `nnx.Rngs`) which they close over, or which the transform does not trace:
    `jax.jit(lambda x: model(x))`, the body of a `jax.lax.scan`, an argument that `jax.grad` does
    not differentiate, layers made inside from `rngs` that were made outside. And those that hand
    such an object, whether it changes or not, to `nnx.jit`, `nnx.grad`, `nnx.value_and_grad`,
    `nnx.vmap` or `nnx.remat`.

    ## Why is this bad

    What a trace computes is a tracer, which may not stay behind in an object from outside. nnx
    checks: it raises `TraceContextError`, or `ValueError` for what it is handed.

    ## Bad

    ```python
    from flax import nnx

    model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

    @nnx.jit
    def forward(x):
        return model(x)
    ```

    ## Instead

    ```python
    from flax import nnx

    model = nnx.Dropout(0.5, rngs=nnx.Rngs(0))

    @nnx.jit
    def forward(model, x):
        return model(x)
    ```

    In a loop, `nnx.scan` and `nnx.fori_loop` carry modules. To evaluate, call `model.eval()`
    first: then nothing changes.

    ## Messages

    - `...` changes a `...` from outside of `...`, which ... traces; pass its module as an argument,
      under nnx's transform
    - `...` changes a `...` from outside of `...`, which ... traces; make it inside, or pass it,
      under nnx's transform
    - `...` is a `...` from outside of `...`, which ... traces: ... does not take it; pass it as an
      argument, under nnx's transform
    """

    code = "JXL802"
    name = "outer-state"
    summary = "an object of nnx changed in a traced function that closes over it"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, flax 0.12.8: flax.errors.TraceContextError under jit, grad, vmap, scan, cond, "
        "fori_loop and checkpoint of jax and of nnx; ValueError for an object handed to grad or "
        "vmap of nnx.",
        exceptions=("TraceContextError", "ValueError"),
    )

    def message(self, event: events.OuterState) -> str:
        current = event.context.tracing
        assert current is not None
        transform = current.transform.removeprefix("flax.")
        what = f"a `{event.changed.removeprefix('flax.')}` from outside of `{current.function}`"
        if event.given:
            taker = event.given.removeprefix("flax.")
            return (
                f"`{text(event.subject)}` is {what}, which {transform} traces: {taker} does not "
                "take it; pass it as an argument, under nnx's transform"
            )
        changes = f"`{text(event.subject)}` changes {what}, which {transform} traces"
        if event.changed in STREAMS:
            return f"{changes}; make it inside, or pass it, under nnx's transform"
        return f"{changes}; pass its module as an argument, under nnx's transform"
