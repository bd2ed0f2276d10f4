"""JXL912: an output that differs from device to device, where nobody checks it."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn


class UncheckedOutput(RuleOn[events.UncheckedOutput]):
    """## What it does

    Finds functions under `jax.shard_map(..., check_vma=False)` (`check_rep=False` before) that
    return what they compute of their own piece of an array, where `out_specs` do not name the axis
    along which that was cut: they say that all devices have the same. Quiet where devices exchange
    something in another way than by `psum` and its like, and where a `custom_vjp` may sum.

    ## Why is this bad

    With the check, JAX raises. Without it, the value of one device is taken for that of all:
    gradients of an eighth of the batch, and parameters that drift apart from device to device.
    Gradients are not summed by themselves either, as they are with the check.

    ## Bad

    ```python
    import numpy as np
    from jax.sharding import Mesh, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()), ("data",))
    batch = jnp.arange(8.0)

    def mean(x):
        return jnp.mean(x)

    jax.shard_map(mean, mesh=mesh, in_specs=P("data"), out_specs=P(), check_vma=False)(batch)
    ```

    ## Instead

    ```python
    import numpy as np
    from jax.sharding import Mesh, PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()), ("data",))
    batch = jnp.arange(8.0)

    def mean(x):
        return jax.lax.pmean(jnp.mean(x), "data")

    jax.shard_map(mean, mesh=mesh, in_specs=P("data"), out_specs=P(), check_vma=False)(batch)
    ```

    ## Messages

    - `...` returns what differs along axis "...", `out_specs` call it the same, and nobody checks:
      one device's is taken; use `jax.lax.pmean`
    """

    code = "JXL912"
    name = "unchecked-output"
    summary = "an output of one device that is taken for that of all"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "differs",
        "jax 0.10.2, two processes on the CPU with gloo: what `out_specs` call the same holds "
        "other numbers in each process, without a message.",
        differs=(
            Difference("0.5.1", "JAX raises where several processes on the CPU compute together"),
            Difference("0.7.0", "`jax.shard_map` is not there"),
        ),
    )

    def message(self, event: events.UncheckedOutput) -> str:
        return (
            f'`{event.function}` returns what differs along axis "{event.axis}", `out_specs` call '
            "it the same, and nobody checks: one device's is taken; use `jax.lax.pmean`"
        )
