"""JXL304: traced code reads a value that changes later."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, tracing


class StaleValue(RuleOn[events.StaleRead]):
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

    ## Messages

    - ... `...` is read while ... traces `...`, and changed later at line ...: compiled code
      keeps the old value; pass it as an argument
    """

    code = "JXL304"
    name = "stale-value"
    summary = "traced code reads a value that changes later"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    evidence = Evidence(
        "stale",
        "jax 0.10.2: after the change the compiled function returns the old result, the same "
        "program under jax.disable_jit() the new one.",
    )

    def same_cause(self, event: events.StaleRead) -> Hashable:
        tracing = event.context.tracing
        function = tracing.function if tracing is not None else ""
        if event.holder == "attribute":
            return event.holder, function  # One `self` too many, however many of its attributes.
        return event.holder, event.name, function, event.changed_at and event.changed_at.place

    def message(self, event: events.StaleRead) -> str:
        what = "variable" if event.holder == "closure" else event.holder
        return (
            f"{what} `{event.name}` is read while {tracing(event, located=False)}, and changed "
            f"later{at_line(event.changed_at)}: compiled code keeps the old value; pass it as an "
            "argument"
        )
