"""JXL903: a spec that does not fit its mesh."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn


class SpecOfOtherMesh(RuleOn[events.MeshAxis]):
    """## What it does

    Finds `PartitionSpec`s that name an axis which the mesh they are used with does not have, or
    name one axis twice, where mesh and spec are in view: in `NamedSharding(mesh, spec)` and in the
    specs of `shard_map`. Of an axis that is named twice no mesh need be in view.

    ## Why is this bad

    JAX raises ValueError, `shard_map` only when the function is called.

    ## Bad

    ```python
    mesh = jax.make_mesh((8,), ("data",))
    sharding = jax.NamedSharding(mesh, jax.P("batch"))
    ```

    ## Instead

    ```python
    mesh = jax.make_mesh((8,), ("data",))
    sharding = jax.NamedSharding(mesh, jax.P("data"))
    ```

    ## Messages

    - the spec names axis "...", which the mesh does not have: JAX raises; use an axis of the
      mesh (...)
    - `...` names axis "...", which the mesh does not have: JAX raises; use an axis of the mesh
      (...)
    - the spec names axis "..." twice: JAX raises; name each axis of the mesh at most once
    """

    code = "JXL903"
    name = "spec-of-other-mesh"
    summary = "a spec that names an axis which its mesh does not have, or one axis twice"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (Resource axis ... is not found in mesh; must refer to an axis "
        "marked as manual), DuplicateSpecError for an axis that is named twice.",
        exceptions=("ValueError", "DuplicateSpecError"),
        differs=(
            Difference("0.6.1", "`jax.shard_map` is in `jax.experimental.shard_map`"),
            Difference("0.7.0", "`jax.P` does not exist"),
        ),
    )

    def message(self, event: events.MeshAxis) -> str:
        of = "the spec" if event.part == "sharding" else f"`{event.part}`"
        if event.twice or event.axes is None:
            return (
                f'{of} names axis "{event.axis}" twice: JAX raises; '
                "name each axis of the mesh at most once"
            )
        names = ", ".join(f'"{axis}"' for axis in event.axes)
        return (
            f'{of} names axis "{event.axis}", which the mesh does not have: JAX raises; '
            f"use an axis of the mesh ({names})"
        )
