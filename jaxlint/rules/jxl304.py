"""JXL304: traced code reads a value that changes later."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, line_of


class StaleValue(Rule):
    """## What it does

    Finds globals, closure variables and attributes that a compiled function reads
    and that are bound or changed again after it was first traced.

    ## Why is this bad

    The value is read while tracing and becomes part of the compiled code. Later
    calls use the old value, silently.

    ## Bad

    ```python
    scale = 1.0

    @jax.jit
    def multiply(x):
        return x * scale

    multiply(x)
    scale = 2.0
    multiply(x)        # still times 1.0
    ```

    ## Instead

    ```python
    @jax.jit
    def multiply(x, scale):
        return x * scale
    ```

    Globals that nothing changes are fine.
    """

    code = "JXL304"
    name = "stale-value"
    summary = "traced code reads a value that changes later"
    severity = "warning"
    listens_to = (Kind.STALE_READ,)
    in_tests = False
    evidence = Evidence(
        "stale",
        "jax 0.10.2: after the change the compiled function returns the old result, the same "
        "program under jax.disable_jit() the new one.",
    )

    def message(self, event: Event) -> str:
        detail = event.detail
        what = {"attribute": "attribute", "global": "global", "closure": "variable"}[
            event.construct
        ]
        return (
            f"{what} `{detail['name']}` is read once, when {detail['transform']} traces "
            f"`{detail['traced_function']}`, and changed later{line_of(event, 'changed_at')}: "
            "the compiled code keeps the old value; pass it as an argument"
        )
