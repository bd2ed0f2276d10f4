"""JXL910: an explicit axis of a mesh, used as one that lays arrays out."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.meshes import EXPLICIT_FROM
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text


class ExplicitAxis(RuleOn[events.ExplicitAxis]):
    """## What it does

    Finds meshes of `jax.make_mesh` without `axis_types`, or with `AxisType.Explicit`, that are used
    as if their axes were Auto:

    - `jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data")))`, where no mesh is set;
    - a function under `jax.shard_map` with `in_specs` that name an axis, called with an array that
      nobody has laid out along it: `f(jnp.arange(8.0))`.

    ## Why is this bad

    Since JAX 0.9 the axes of `jax.make_mesh` are Explicit, where they were Auto: how an array lies
    along them is part of its type, and JAX changes it only where it is told to. A constraint on
    such an axis raises, and so does `shard_map` for an array that does not lie as `in_specs` say.
    Programs that ran for years stop with the new release.

    ## Bad

    ```python
    mesh = jax.make_mesh((1,), ("data",))

    @jax.jit
    def double(x):
        return jax.lax.with_sharding_constraint(2 * x, jax.NamedSharding(mesh, jax.P("data")))

    double(jnp.ones(8))
    ```

    ## Instead

    ```python
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))

    @jax.jit
    def double(x):
        return jax.lax.with_sharding_constraint(2 * x, jax.NamedSharding(mesh, jax.P("data")))

    double(jnp.ones(8))
    ```

    Or keep the axes explicit: `jax.device_put` lays an argument out, `jax.reshard` what is
    computed.

    ## Limits

    Only where the mesh is in view, and the constraint is reached by code in view that sets no mesh;
    with `jax.set_mesh` the constraint asserts how the array lies.

    ## Messages

    - axis "..." of the mesh is Explicit, and `with_sharding_constraint` raises; pass
      `axis_types=(AxisType.Auto,)` to `make_mesh`
    - axis "..." of the mesh is Explicit, and `...` does not lie along it: ValueError; lay it out by
      `jax.device_put` first
    """

    code = "JXL910"
    name = "explicit-axis"
    summary = "an explicit axis of a mesh, used as one that lays arrays out"
    evidence = Evidence(
        "raises",
        "jax 0.9.2 to 0.12.0: ValueError (can only refer to Auto axes of the mesh; in_specs passed "
        "to shard_map does not match the specs of the input), on one device too. 0.8.2 raises for "
        "axis_types=(AxisType.Explicit,) alone.",
        exceptions=("ValueError",),
        differs=(Difference(EXPLICIT_FROM, "the axes of `jax.make_mesh` are Auto", silent=True),),
    )

    def began(self, event: events.ExplicitAxis) -> str:
        return EXPLICIT_FROM

    def message(self, event: events.ExplicitAxis) -> str:
        what = f'axis "{event.axis}" of the mesh is Explicit'
        if event.part == "sharding":
            return (
                f"{what}, and `with_sharding_constraint` raises; pass "
                "`axis_types=(AxisType.Auto,)` to `make_mesh`"
            )
        return (
            f"{what}, and `{text(event.subject)}` does not lie along it: ValueError; lay it out by "
            "`jax.device_put` first"
        )
