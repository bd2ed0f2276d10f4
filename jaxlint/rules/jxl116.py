"""JXL116: an option of a transform that names no parameter."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Difference, Evidence, Rule


class UnknownParameter(Rule):
    """## What it does

    Finds `static_argnums`, `static_argnames`, `donate_argnums` and `donate_argnames` that name a
    parameter which the function does not have, and `in_axes` of another length than the call.

    ## Why is this bad

    JAX raises when the transform is applied (`in_axes`: when it is called).

    ## Bad

    ```python
    @partial(jax.jit, static_argnames="size")
    def fill(n, value):
        return jnp.full(n, value)
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="n")
    def fill(n, value):
        return jnp.full(n, value)
    ```

    Positions count from 0.
    """

    code = "JXL116"
    name = "unknown-parameter"
    summary = "an option of a transform that names no parameter"
    listens_to = (Kind.UNKNOWN_PARAMETER,)
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError for static_argnums out of range, for unknown "
        "static_argnames and donate_argnames, and for vmap in_axes of another length; "
        "with **kwargs in the signature an unknown name is accepted.",
        exceptions=("ValueError",),
        differs=(Difference("0.4.27", "JAX only warns", silent=True),),
    )

    def judge(self, event: Event) -> bool:
        return not event.guarded

    def message(self, event: Event) -> str:
        detail = event.detail
        if event.construct == "in_axes":
            return (
                f"`in_axes` has {detail['unknown']} entries, and `{detail['function']}` is "
                f"called with "
                f"{detail['count']} arguments; give one entry for each"
            )
        if event.construct.endswith("names"):
            return (
                f"`{event.construct}` names `{detail['unknown']}`, which `{detail['function']}` "
                + ("has no parameter for")
            )
        return (
            f"`{event.construct}` names position {detail['unknown']}, and `{detail['function']}` "
            f"has "
            f"{detail['count']} positional parameters, counted from 0"
        )
