"""JXL303: a global or nonlocal name rebound while tracing."""

from __future__ import annotations

from jaxlint import events
from jaxlint.events import Event
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import counts_traces, tracing


class OuterNameRebound(RuleOn[events.OuterRebinding]):
    """## What it does

    Finds `global` and `nonlocal` names that traced code binds anew. Quiet for a flag (True or
    False), for a text such as the name of a backend, which stays so once it was said, and for what
    counts traces, as its name says (`traces`, `trace_count`).

    ## Why is this bad

    The binding happens while tracing and not at later calls. A traced value that
    gets out this way is a leaked tracer: using it raises UnexpectedTracerError.

    ## Bad

    ```python
    total = 0.0

    @jax.jit
    def add(x):
        global total
        total = total + x
        return x
    ```

    ## Instead

    ```python
    @jax.jit
    def add(total, x):
        return total + x
    ```

    ## Messages

    - ... `...` is set only while ... traces `...` (line ...), not at later calls; pass it
      in and return it
    - ... `...` is set to a tracer only while ... traces `...` (line ...), not at later
      calls; pass it in and return it
    """

    code = "JXL303"
    name = "outer-name-rebound"
    summary = "a global or nonlocal name rebound while tracing"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    evidence = Evidence(
        "effect",
        "jax 0.10.2: the name is bound while tracing and not at later calls.",
        effects=("rebinding",),
    )

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where it counts traces, and its name says so."""
        assert isinstance(event, events.OuterRebinding)
        said = not event.leaks and counts_traces(event.name)
        return super().expected(event, file) or said

    def message(self, event: events.OuterRebinding) -> str:
        kept = "set to a tracer" if event.leaks else "set"
        return (
            f"{event.declaration} `{event.name}` is {kept} only while {tracing(event)}, not at "
            "later calls; pass it in and return it"
        )
