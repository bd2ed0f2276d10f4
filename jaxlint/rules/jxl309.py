"""JXL309: `jax.debug.print` given a text that Python has filled in."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import tracing


class TextOfTracer(RuleOn[events.FormattedTracer]):
    """## What it does

    Finds `jax.debug.print(f"x = {x}")` and `jax.debug.print("x = %s" % x)` in traced code.

    ## Why is this bad

    Python fills in the text once, while JAX traces: every run prints the tracer, never a value.

    ## Bad

    ```python
    @jax.jit
    def step(x):
        jax.debug.print(f"x = {x}")
        return x * 2
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x):
        jax.debug.print("x = {x}", x=x)
        return x * 2
    ```

    ## Messages

    - this text is filled in once, when ... traces `...` (line ...), and shows a tracer; pass the
      value instead: `...("x = {x}", x=x)`
    """

    code = "JXL309"
    name = "text-of-tracer"
    summary = "jax.debug.print given a text that Python has filled in"
    severity = "warning"
    evidence = Evidence(
        "shows_tracer",
        "jax 0.10.2: every run prints `x = JitTracer(~float32[])`.",
    )

    def message(self, event: events.FormattedTracer) -> str:
        return (
            f"this text is filled in once, when {tracing(event)}, and shows a tracer; "
            f'pass the value instead: `{event.function}("x = {{x}}", x=x)`'
        )
