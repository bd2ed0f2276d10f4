"""JXL813: an array among the metadata of a pytree."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class MetadataArray(RuleOn[events.MetadataArray]):
    """## What it does

    Finds objects that a compiled function is given with an array of several numbers in a field
    that is no leaf of theirs: one of the `meta_fields` of `jax.tree_util.register_dataclass`, or
    declared `flax.struct.field(pytree_node=False)`. JXL808 says it of modules of equinox.

    ## Why is this bad

    Such a field is part of the structure of the pytree. `jax.jit` compares it with those of
    earlier calls to find compiled code again, and the comparison of two arrays is an array, which
    is neither equal nor different. The first call may go well, and each one with the same object;
    the next object makes it raise. Nor is the array an input of the compiled code: it is built
    into it, has no gradient and is not batched.

    ## Bad

    ```python
    import dataclasses, functools

    @functools.partial(
        jax.tree_util.register_dataclass, data_fields=["position"], meta_fields=["masses"]
    )
    @dataclasses.dataclass
    class System:
        position: jax.Array
        masses: jax.Array

    energy = jax.jit(lambda system: jnp.sum(system.masses * system.position))
    energy(System(jnp.ones(3), jnp.ones(3)))
    ```

    ## Instead

    ```python
    import dataclasses

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class System:
        position: jax.Array
        masses: jax.Array

    energy = jax.jit(lambda system: jnp.sum(system.masses * system.position))
    energy(System(jnp.ones(3), jnp.ones(3)))
    ```

    What is to be left out of training is masked there, or goes through `jax.lax.stop_gradient`. A
    tuple of numbers may be metadata.

    ## Messages

    - `...` of `...` is metadata and holds an array, which ... cannot compare: another one raises;
      make it a leaf
    """

    code = "JXL813"
    name = "metadata-array"
    summary = "an array among the metadata of a pytree"
    severity = "warning"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: the second object with an array of its own makes the call raise ValueError: "
        "Exception raised while checking equality of metadata fields of pytree.",
        exceptions=("ValueError",),
    )

    def same_cause(self, event: events.MetadataArray) -> Hashable:
        return event.owner, event.name

    def message(self, event: events.MetadataArray) -> str:
        return (
            f"`{event.name}` of `{event.owner}` is metadata and holds an array, which "
            f"{event.function} cannot compare: another one raises; make it a leaf"
        )
