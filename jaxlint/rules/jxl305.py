"""JXL305: an attribute of an outer object set while tracing."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.events import Event
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import counts_traces, text, tracing


class OuterAttributeSet(RuleOn[events.OuterAttribute]):
    """## What it does

    Finds `self.x = ...` and the like in traced code, on an object made outside of
    the trace. Quiet for a flag (True or False), for a text, and for what counts traces, as its name
    says (`self.traces += 1`).

    ## Why is this bad

    The attribute is set while tracing and not at later calls, and what it gets is
    a tracer: using it later raises UnexpectedTracerError.

    ## Bad

    ```python
    class Counter:
        @partial(jax.jit, static_argnums=0)
        def step(self, x):
            self.last = x
            return x + 1
    ```

    ## Instead

    Return the new value and set the attribute in the caller; or keep state in a
    pytree that goes in and comes out. Modules of libraries that manage state
    (flax, equinox, haiku) are left alone.

    ## Messages

    - attribute `...` of `...` is set only while ... traces `...` (line ...), not at later
      calls; return the value instead
    - attribute `...` of `...` is set to a tracer only while ... traces `...` (line ...),
      not at later calls; return the value instead
    """

    code = "JXL305"
    name = "outer-attribute-set"
    summary = "an attribute of an outer object set while tracing"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    evidence = Evidence(
        "effect",
        "jax 0.10.2: the attribute is set while tracing and not at later calls.",
        effects=("attribute",),
    )

    def same_cause(self, event: events.OuterAttribute) -> Hashable:
        function = event.context.tracing and event.context.tracing.function
        return function, event.leaks, text(event.subject)  # One `self`, with its attributes.

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where it counts traces, and its name says so."""
        assert isinstance(event, events.OuterAttribute)
        said = not event.leaks and counts_traces(event.attribute)
        return super().expected(event, file) or said

    def message(self, event: events.OuterAttribute) -> str:
        kept = "set to a tracer" if event.leaks else "set"
        return (
            f"attribute `{event.attribute}` of `{text(event.subject)}` is {kept} only while "
            f"{tracing(event)}, not at later calls; return the value instead"
        )
