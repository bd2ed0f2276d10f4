"""JXL911: values that differ along an axis of the mesh, where JAX wants one for all devices."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import short

_BEGAN = {"carry": "0.6.0", "branches": "0.6.0", "reduced": "0.8.2"}
"""The first releases of JAX that tell what differs from what is the same there."""


class VaryingAxis(RuleOn[events.VaryingAxis]):
    """## What it does

    Follows, in functions under `jax.shard_map`, along which axes of the mesh a value differs from
    device to device, and finds

    - results that differ along an axis that `out_specs` do not name: a `psum` is missing;
    - loops whose carry begins the same on all devices and differs after a pass, or the other way;
    - `cond` and `switch` of which one branch gives what differs and another what is the same;
    - `psum` and its like along several axes, along one of which the operand is the same.

    ## Why is this bad

    What differs is part of an array's type there: JAX raises ValueError when the function is
    called, TypeError in a loop or a `cond`. One device is enough for that.

    ## Bad

    ```python
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))

    @partial(jax.shard_map, mesh=mesh, in_specs=jax.P("data"), out_specs=jax.P())
    def total(x):
        return jnp.sum(x)

    total(jnp.ones(8))
    ```

    ## Instead

    ```python
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))

    @partial(jax.shard_map, mesh=mesh, in_specs=jax.P("data"), out_specs=jax.P())
    def total(x):
        return jax.lax.psum(jnp.sum(x), "data")

    total(jnp.ones(8))
    ```

    A carry that is to differ begins as `jax.lax.pcast(jnp.zeros(()), "data", to="varying")`, or as
    `0 * x[0]`.

    ## Limits

    Quiet with `check_vma=False` and `check_rep=False`, and where a spec or an operand is not in
    view.

    ## Messages

    - `...` returns what differs along axis "...", and its spec in `out_specs` does not name it:
      ValueError; use `jax.lax.psum`, or name it
    - the carry of ... differs along axis "..." either at its start or after a pass, not both:
      TypeError; begin with `jax.lax.pcast(..., to="varying")`
    - one branch of ... gives what differs along axis "...", another does not: TypeError; use
      `jax.lax.pcast(..., to="varying")` there
    - `...` gets what is the same along axis "...", and differs along another one: ValueError;
      leave that axis out
    """

    code = "JXL911"
    name = "varying-axis"
    summary = "a value that differs along an axis of the mesh, where JAX wants one for all"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (out_specs which require replication which can't be statically "
        "inferred; can only accept axis_name which corresponds to one of varying), TypeError "
        "(carry input and carry output must have equal types; branches must have equal output "
        "types), on one device too.",
        exceptions=("ValueError", "TypeError"),
        differs=(
            Difference("0.6.0", "loops and branches take what differs beside what is the same"),
            Difference("0.7.0", "`jax.shard_map` and `jax.P` are not there"),
            Difference("0.8.2", "`psum` takes axes along one of which its operand is the same"),
        ),
    )

    def began(self, event: events.VaryingAxis) -> str:
        return _BEGAN.get(event.part, "")

    def message(self, event: events.VaryingAxis) -> str:
        along = f'differs along axis "{event.axis}"'
        name = short(event.function)
        if event.part == "output":
            return (
                f"`{name}` returns what {along}, and its spec in `out_specs` does not name it: "
                "ValueError; use `jax.lax.psum`, or name it"
            )
        if event.part == "carry":
            return (
                f"the carry of {name} {along} either at its start or after a pass, not both: "
                'TypeError; begin with `jax.lax.pcast(..., to="varying")`'
            )
        if event.part == "branches":
            return (
                f"one branch of {name} gives what {along}, another does not: TypeError; use "
                '`jax.lax.pcast(..., to="varying")` there'
            )
        return (
            f'`{name}` gets what is the same along axis "{event.axis}", and differs along another '
            "one: ValueError; leave that axis out"
        )
