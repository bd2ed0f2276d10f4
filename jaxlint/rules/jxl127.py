"""JXL127: a tracer asked for what only an array with data has."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, why_traced

_WAITS = frozenset({"block_until_ready", "is_ready", "copy_to_host_async"})


class ConcreteAttribute(RuleOn[events.ConcreteAttribute]):
    """## What it does

    Finds `x.block_until_ready()`, `x.devices()`, `x.device`, `x.sharding`,
    `x.addressable_shards`, `x.is_fully_addressable` and the like on tracers.

    ## Why is this bad

    A tracer stands for an array that is computed later: it has a shape and a dtype, and no data,
    no device and nothing to wait for. Inside a traced function these raise.

    ## Bad

    ```python
    @jax.jit
    def step(params, batch):
        loss = jnp.mean((batch @ params) ** 2)
        loss.block_until_ready()
        return loss
    ```

    ## Instead

    ```python
    @jax.jit
    def step(params, batch):
        return jnp.mean((batch @ params) ** 2)

    loss = step(params, batch)
    loss.block_until_ready()
    ```

    How arrays lie on devices is asked before the call; inside,
    `jax.lax.with_sharding_constraint` says how they shall.

    ## Messages

    - `...` waits for data that a tracer does not have; wait for the result of the call
    - `...` asks a tracer where its data lie, and it has none; ask before the call
    """

    code = "JXL127"
    name = "concrete-attribute"
    summary = "a tracer asked for what only an array with data has"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: AttributeError for block_until_ready, sharding, device, is_ready; "
        "ConcretizationTypeError for devices(), addressable_shards, is_fully_addressable; under "
        "jit, vmap and grad alike, in thirteen releases.",
        exceptions=("AttributeError", "ConcretizationTypeError"),
    )

    def message(self, event: events.ConcreteAttribute) -> str:
        why, asked = why_traced(event), text(event.subject)
        if event.name in _WAITS:
            return (
                f"`{asked}` waits for data that a tracer does not have: {why}; wait for the result "
                "of the call"
            )
        what = f"`{asked}` asks a tracer where its data lie, and it has none"
        return f"{what}: {why}; ask before the call"
