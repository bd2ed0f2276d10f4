"""JXL116: an option of a transform that names no parameter."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import counted


class UnknownParameter(RuleOn[events.UnknownParameter | events.AxesMismatch]):
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

    ## Messages

    - `...` names `...`, and `...` has no such parameter; name one that it has
    - `...` names position ..., and `...` has ... positional ...; count them from 0
    - `in_axes` has ..., and `...` is called with ...; give one entry for
      each
    """

    code = "JXL116"
    name = "unknown-parameter"
    summary = "an option of a transform that names no parameter"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError for static_argnums out of range, for unknown "
        "static_argnames and donate_argnames, and for vmap in_axes of another length; "
        "with **kwargs in the signature an unknown name is accepted.",
        exceptions=("ValueError",),
        differs=(
            Difference("0.4.27", "JAX only warns", silent=True, of=(events.UnknownParameter,)),
        ),
    )

    def message(self, event: events.UnknownParameter | events.AxesMismatch) -> str:
        if isinstance(event, events.AxesMismatch):
            return (
                f"`in_axes` has {counted(event.entries, 'entry')}, and `{event.function}` is "
                f"called with {counted(event.count, 'argument')}; give one entry for each"
            )
        if event.option.endswith("names"):
            return (
                f"`{event.option}` names `{event.unknown}`, and `{event.function}` has no such "
                "parameter; name one that it has"
            )
        return (
            f"`{event.option}` names position {event.unknown}, and `{event.function}` has "
            f"{counted(event.count, 'positional parameter')}; count them from 0"
        )
