"""JXL301: output written while tracing."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.events import Event
from jaxlint.fixes.code import Code
from jaxlint.fixes.output import as_callback, as_debug_print
from jaxlint.rules.exhibits import is_shown
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import tracing

_STATIC_FACTS = ("shape", "dtype", "size", "len", "type", "struct", "tree")
"""Words that say that what is shown is known while tracing."""

_NOTICES = ("trac", "compil", "jit", "warn", "deprecat")
"""Words of a notice: once for each trace is what it is meant to be."""

_WARNS = (".warning", ".warn", ".warning_once")
"""Ends of the names of functions that give notice, whatever they say."""


class OutputWhileTracing(RuleOn[events.HostOutput]):
    """## What it does

    Finds `print`, logging and other output in traced code. Quiet when it says
    only what is known while tracing (`print(x.shape)`), when a log shows no tracer,
    when it is a notice: a warning, or a text about tracing or compiling, or one beside that,
    where whoever compiles the function calls it once, and where a notebook keeps what it wrote: its
    author has seen that it shows a tracer.

    ## Why is this bad

    The Python code of a traced function runs once per signature. The output
    appears then, shows tracers in place of values, and never again.

    ## Bad

    ```python
    @jax.jit
    def step(x):
        print("x =", x)
        return x * 2
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x):
        jax.debug.print("x = {}", x)
        return x * 2
    ```

    ## Messages

    - `...` runs only while ... traces `...` (line ...), not at each call, and shows a
      tracer, not a value; use `jax.debug.print`
    - `...` runs only while ... traces `...` (line ...), not at each call; use
      `jax.debug.print`
    """

    code = "JXL301"
    name = "output-while-tracing"
    summary = "output written while tracing"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    fixes = (
        "`print` becomes `jax.debug.print`, with one format string of its texts, f-strings and "
        "`%` formats; unsafe where it shows no tracer, because it may be meant to run once. "
        "Logging and `write` go into a `jax.debug.callback`, which is unsafe. None for `end=` and "
        "`file=`."
    )
    evidence = Evidence(
        "effect",
        "jax 0.10.2: the output is written while tracing and not at later calls.",
        effects=("output",),
    )

    def judge(self, event: events.HostOutput, file: FileFacts) -> bool:
        warns = event.function.endswith(_WARNS)
        if warns and event.in_branch:
            return False  # Python decides the test: it warns of what holds for the whole trace.
        if event.context.reached is not None:
            return event.shows == "tracer"  # The rest is its author's, who may mean it.
        if event.construct == "logging" and event.shows != "tracer":
            return False  # A label in a log tells how far a trace has come.
        words = event.text.lower()
        meant = warns or any(word in words for word in _NOTICES)
        if event.shows == "unknown":
            return not meant and not any(word in words for word in _STATIC_FACTS)
        told = any(word in event.beside.lower() for word in _NOTICES)
        return event.shows == "tracer" or (event.shows == "text" and not (meant or told))

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where a notebook keeps what it wrote: its author has seen that."""
        assert isinstance(event, events.HostOutput)
        return super().expected(event, file) or is_shown(event, file)

    def message(self, event: events.HostOutput) -> str:
        if not event.once:
            return (
                f"`{event.construct}` shows the tracer of a whole batch, not its values, where "
                f"{tracing(event)}; use `jax.debug.print`"
            )
        shown = ", and shows a tracer, not a value" if event.shows == "tracer" else ""
        return (
            f"`{event.construct}` runs only while {tracing(event)}, not at each call{shown}; "
            "use `jax.debug.print`"
        )

    def fix(self, event: events.HostOutput, code: Code) -> Fix | None:
        call = code.node(event.site)
        if not isinstance(call, cst.Call):
            return None
        traced = [node for node in map(code.node, event.traced) if node is not None]
        plain = [node for node in map(code.node, event.plain) if node is not None]
        if event.function == "builtins.print":
            return as_debug_print(call, traced, plain, code, safe=event.shows == "tracer")
        return as_callback(call, traced, code) if event.construct in ("logging", "write") else None
