"""JXL906: a spec that does not fit what it is for."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import counted


class SpecOfOtherArray(RuleOn[events.SpecMismatch]):
    """## What it does

    Finds `shard_map` with another number of `in_specs` than the call has arguments, or of
    `out_specs` than the function has results; specs with more entries than the array has axes, in
    `shard_map`, `device_put`, `with_sharding_constraint`, and `in_shardings` and `out_shardings` of
    `jit`; a `make_mesh` with another number of names than of sizes; and arrays whose size is no
    multiple of the number of devices along the axis that cuts it.

    Only where the number of arguments, the rank or the size is in view, and the mesh is made of
    literal sizes.

    ## Why is this bad

    JAX raises ValueError, not where the specs stand but when the function is called, on the machine
    with the devices. A mistake in the mesh that a laptop with one device forgives fails there.

    ## Bad

    ```python
    @partial(jax.shard_map, mesh=mesh, in_specs=(P("data"),), out_specs=P("data"))
    def scaled(x, factor):
        return x * factor

    scaled(x, 2.0)
    ```

    ## Instead

    ```python
    @partial(jax.shard_map, mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data"))
    def scaled(x, factor):
        return x * factor

    scaled(x, 2.0)
    ```

    One spec alone, and no tuple, holds for all arguments.

    ## Limits

    Under `jit`, `with_sharding_constraint` takes sizes that do not divide.

    ## Messages

    - `in_specs` has ... and `...` gets ...: ValueError; give one spec for each argument, or one
      for all
    - `out_specs` has ... and `...` returns ...: ValueError; give one spec for each part of the
      result
    - the spec has ..., for an array of rank ...: ValueError; leave off those beyond its axes
    - a spec in `...` has ..., for an array of rank ...: ValueError; leave off those beyond its
      axes
    - `make_mesh` gets ... and ...: ValueError; give each size a name
    - dimension ... has size ..., which the mesh cuts into ... pieces: ValueError; pad it to a
      multiple, or leave it whole
    """

    code = "JXL906"
    name = "spec-of-other-array"
    summary = "a spec that does not fit the array, or specs that do not fit the arguments"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (different lengths of tuple; in_specs entry which is too long; "
        "incompatible with its sharding annotation; not evenly divisible by the corresponding "
        "mesh axis sizes; Mesh requires the ndim of its first argument), IndivisibleError.",
        exceptions=("ValueError", "IndivisibleError"),
        differs=(Difference("0.6.1", "`jax.shard_map` is in `jax.experimental.shard_map`"),),
    )

    def message(self, event: events.SpecMismatch) -> str:
        if event.part == "mesh":
            sizes, names = counted(event.wants or 0, "size"), counted(event.has, "name")
            return f"`make_mesh` gets {sizes} and {names}: ValueError; give each size a name"
        if event.what == "count":
            return self._of_count(event)
        if event.what == "size":
            return (
                f"dimension {event.axis} has size {event.wants}, which the mesh cuts into "
                f"{event.has} pieces: ValueError; pad it to a multiple, or leave it whole"
            )
        entries = counted(event.has, "entry")
        spec = "the spec" if event.part == "sharding" else f"a spec in `{event.part}`"
        return (
            f"{spec} has {entries}, for an array of rank {event.wants}: ValueError; "
            "leave off those beyond its axes"
        )

    def _of_count(self, event: events.SpecMismatch) -> str:
        specs = counted(event.has, "spec")
        if event.part == "in_specs":
            return (
                f"`in_specs` has {specs} and `{event.function}` gets "
                f"{counted(event.wants or 0, 'argument')}: ValueError; "
                "give one spec for each argument, or one for all"
            )
        what = "one array" if event.wants is None else f"a tuple of {event.wants}"
        return (
            f"`out_specs` has {specs} and `{event.function}` returns {what}: ValueError; "
            "give one spec for each part of the result"
        )
