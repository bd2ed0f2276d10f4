"""JXL302: a container from outside changed while tracing."""

from __future__ import annotations

from jaxlint import events
from jaxlint.events import Event
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import counts_traces, text, tracing


class OuterContainerChanged(RuleOn[events.OuterMutation]):
    """## What it does

    Finds traced code that changes a list, dict or set made outside of the trace:
    `append`, `update`, `d[k] = v`, `del d[k]`, `+=`. Quiet for what counts traces, as its name
    says: `traces.append(1)`.

    ## Why is this bad

    The change happens while tracing, once per signature, and not at later calls.
    What was stored is a tracer: using it later raises UnexpectedTracerError.

    ## Bad

    ```python
    history = []

    @jax.jit
    def step(x):
        history.append(x)
        return x * 2
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x):
        return x * 2, x

    x, seen = step(x)
    history.append(seen)
    ```

    Containers made inside the traced function are fine.

    ## Messages

    - `...` changes only while ... traces `...` (line ...), not at later calls, and keeps a
      tracer; return the value, change it outside
    - `...` changes only while ... traces `...` (line ...), not at later calls; return the
      value, change it outside
    """

    code = "JXL302"
    name = "outer-container-changed"
    summary = "a container from outside changed while tracing"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    evidence = Evidence(
        "effect",
        "jax 0.10.2: the container changes while tracing and not at later calls; what it gets "
        "is a tracer.",
        effects=("mutation",),
    )

    def judge(self, event: events.OuterMutation, file: FileFacts) -> bool:
        # What another module notes of a trace, and not of its values, is its author's.
        return event.leaks or event.context.reached is None

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where it counts traces, and its name says so."""
        assert isinstance(event, events.OuterMutation)
        said = not event.leaks and counts_traces(text(event.subject))
        return super().expected(event, file) or said

    def message(self, event: events.OuterMutation) -> str:
        kept = ", and keeps a tracer" if event.leaks else ""
        return (
            f"`{text(event.subject)}` changes only while {tracing(event)}, not at later "
            f"calls{kept}; return the value, change it outside"
        )
