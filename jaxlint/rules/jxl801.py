"""JXL801: state of nnx that changes in a copy."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.knowledge.libraries import OWN_TRANSFORMS
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, tracing


class LostState(RuleOn[events.LostState]):
    """## What it does

    Finds objects of nnx (modules, variables, layers such as `nnx.BatchNorm` and `nnx.Dropout`,
    `nnx.Rngs`) that are passed to a function under a transform of plain JAX (`jax.jit`,
    `jax.grad`, `jax.value_and_grad`, `jax.vmap`, `jax.checkpoint`, ...) and changed there, where
    the function gives neither the object nor its state back.

    It speaks where the whole way is in view: the class, the object and the call. A layer that is
    switched off (`model.eval()`, `deterministic=True`) changes nothing.

    ## Why is this bad

    JAX takes its arguments apart and hands the function a copy. The copy counts, keeps statistics
    and draws keys; the caller's object stays as it was, and nothing raises. A counter stays 0,
    running statistics stay at their start, and `nnx.Dropout` has the same mask at every step.

    ## Bad

    ```python
    from flax import nnx

    @jax.jit
    def forward(rngs, x):
        return x + jax.random.normal(rngs.noise(), x.shape)

    rngs = nnx.Rngs(0)
    samples = [forward(rngs, jnp.zeros(3)) for _ in range(4)]  # four times the same
    ```

    ## Instead

    ```python
    from flax import nnx

    @nnx.jit
    def forward(rngs, x):
        return x + jax.random.normal(rngs.noise(), x.shape)
    ```

    `nnx.grad`, `nnx.value_and_grad`, `nnx.vmap` and `nnx.remat` take the places of the others. Or
    give the object back, or its state (`nnx.state`, `nnx.split`), and have the caller keep it.

    ## Messages

    - `...` changes `...` in a copy, as ... traces `...` (line ...): the original stays; use `...`,
      or return it
    """

    code = "JXL801"
    name = "lost-state"
    summary = "an object of nnx passed to a transform of plain JAX and changed there"
    severity = "warning"
    evidence = Evidence(
        "lost_state",
        "jax 0.10.2, flax 0.12.8: a counter is 0 after three calls under jax.jit and 3 under "
        "nnx.jit; four dropout masks are one under jax.jit and four under nnx.jit.",
    )

    def judge(self, event: events.LostState, file: FileFacts) -> bool:
        return _transform(event) in OWN_TRANSFORMS

    def message(self, event: events.LostState) -> str:
        return (
            f"`{text(event.subject)}` changes `{event.changed.removeprefix('flax.')}` in a copy, "
            f"as {tracing(event)}: the original stays; use `{OWN_TRANSFORMS[_transform(event)]}`, "
            "or return it"
        )

    def same_cause(self, event: events.LostState) -> Hashable | None:
        return event.context.tracing


def _transform(event: events.LostState) -> str:
    current = event.context.tracing
    return current.transform if current is not None else ""
