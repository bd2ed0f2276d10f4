"""JXL904: what waits for all processes, where only some of them get to."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line


class GatedCollective(RuleOn[events.GatedCollective]):
    """## What it does

    Finds what all processes must do together behind a test of `jax.process_index()`, which only
    some of them pass: `sync_global_devices`, `process_allgather`, `broadcast_one_to_all`, and the
    `save` of a checkpointer of orbax; `jax.device_put` to a mesh of all devices; a sum, mean or
    maximum of an array that is spread over all devices; `pmap` and `shard_map` with a collective in
    them. It follows the test through helpers (`is_master()`), variables, attributes and early
    `return`.

    It is quiet where the other processes come to a collective of their own by the same test, and
    where all that counts cannot be seen.

    ## Why is this bad

    The processes that get there wait for the others, which never come: the program hangs, without
    a message. On one process, where such code is tried out, nothing happens.

    ## Bad

    ```python
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    x = jax.device_put(jnp.arange(8.0), jax.NamedSharding(mesh, jax.P("data")))
    if jax.process_index() == 0:
        print("mean", float(x.mean()))
    ```

    ## Instead

    ```python
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    x = jax.device_put(jnp.arange(8.0), jax.NamedSharding(mesh, jax.P("data")))
    mean = x.mean()
    if jax.process_index() == 0:
        print("mean", float(mean))
    ```

    ## Messages

    - `...` needs all processes, but the test at line ... lets only some of them get here: those
      hang; call it in all of them
    - `...` in what is compiled here needs all processes, but the test at line ... lets only some
      get here: those hang; call it in all of them
    """

    code = "JXL904"
    name = "gated-collective"
    summary = "what waits for all processes, where only some of them get to"
    evidence = Evidence(
        "hangs",
        "jax 0.10.2, two processes on the CPU with gloo: the one that gets there stands still on "
        "the line for as long as it is let, and the other one has ended.",
        differs=(
            Difference("0.5.1", "JAX raises where several processes on the CPU compute together"),
        ),
    )

    def message(self, event: events.GatedCollective) -> str:
        called = event.function.rpartition(".")[2]
        where = f"the test{at_line(event.gate)}"
        if event.traced:
            return (
                f"`{called}` in what is compiled here needs all processes, but "
                f"{where} lets only some get here: those hang; call it in all of them"
            )
        return (
            f"`{called}` needs all processes, but {where} lets only some of them "
            "get here: those hang; call it in all of them"
        )
