"""What the static tracer shows where a program asks ``reveal(x)``."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.program import nodes as n
from jaxlint.program.lower import lower
from jaxlint.project import may_use_x64
from jaxlint.source import Source
from jaxlint.syntax.parse import parse
from jaxlint.syntax.spans import Spans
from jaxlint.tracer.calls import CALLS
from jaxlint.tracer.run import TABLES, follow
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Settings, Tracer
from jaxlint.tracer.values.describe import describe
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import Value

_REVEAL = "jaxlint.reveal"


def reveals(source: str) -> list[tuple[int, str]]:
    """Line and description of each ``reveal`` of a program, in the order in which they run."""
    text = Source(source, "chapter.py")
    module = parse(text)
    shown: list[tuple[n.Node, str]] = []

    def call(tracer: Tracer, function: Qualified, arguments: Arguments, node: n.Node) -> Value:
        if function.name != _REVEAL:
            return CALLS[Qualified](tracer, function, arguments, node)
        (value,) = arguments.args
        shown.append((node, describe(value)))
        return value

    tables = replace(TABLES, calls={**CALLS, Qualified: call})
    x64 = None if may_use_x64("chapter.py", source) else False
    follow(_Revealing(lower(module), tables, Settings({}, x64=x64)))
    spans = Spans(module, text.tree, text.text.split("\n"), [node.origin for node, _ in shown])
    return [(spans.of(node.origin).line, words) for node, words in shown]


class _Revealing(Tracer):
    """Knows the name ``reveal``."""

    def builtin(self, name: str) -> Value:
        return Qualified(_REVEAL) if name == "reveal" else super().builtin(name)
