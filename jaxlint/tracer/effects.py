"""What a call does besides giving a value: it writes, reads a clock, advances an iterator."""

from __future__ import annotations

from jaxlint.events import HostInput, HostOutput, OuterIteration, Shown
from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.refusals import argument_nodes
from jaxlint.tracer.values import (
    NONE,
    Class,
    Const,
    Function,
    Host,
    Qualified,
    Sequence,
    Value,
    tracers,
)


class Effects(Machine):
    """Notes effects of Python that happen while tracing."""

    def note_input(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A clock, a random number, a file: read once while tracing."""
        level = self.level
        if level is None or not level.tracing or not level.full or self.abstract_only:
            return
        if name in python_api.SEEDED and arguments.args:
            return
        self.emit(HostInput(self.context(node), python_api.INPUT[name], name))

    def note_advanced(self, iterator: Value, node: n.Node) -> None:
        """An iterator from outside the trace gives an element while tracing."""
        level = self.level
        if not isinstance(iterator, Sequence) or iterator.kind != "iterator" or level is None:
            return
        moment = iterator.moment
        if moment is not None and level.effects_run_once(moment.level) and level.caching:
            self.emit(OuterIteration(self.context(node, node)))

    def output(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        level = self.level
        for value in arguments.all():
            self.waited(value, node, python_api.OUTPUT[name])
        if level is not None and level.tracing and level.full:
            shown = [value for key, value in arguments.kwargs.items() if key not in _PRINT_OPTIONS]
            shown += arguments.args
            tracer = next((value for value in shown if tracers(value)), None)
            context = self.context(node, value=tracer)
            shows = self._shows(node, arguments)
            self.emit(HostOutput(context, python_api.OUTPUT[name], name, shows, _text(node)))
        return NONE

    def _shows(self, node: n.Node, arguments: Arguments) -> Shown:
        """What is written: ``tracer``, ``static`` facts of a trace, or ``text`` alone."""
        kinds: set[Shown] = set()
        for value, item in zip(arguments.args, argument_nodes(node), strict=False):
            kinds |= self._kinds_shown(value, item)
        return min(kinds, key=_TELLING.index, default="text")

    def _kinds_shown(self, value: Value, node: n.Node) -> set[Shown]:
        if isinstance(node, n.FormattedString):
            kinds: set[Shown] = {"text"}
            for part in node.parts:
                if isinstance(part, n.Formatted):
                    kinds.add(_shown(self.evaluate(part.value)))
                elif not isinstance(part, n.Constant):
                    kinds |= self._kinds_shown(value, part)
            return kinds
        if isinstance(node, n.BinaryOperation) and node.operator == "%":
            return {_shown(self.evaluate(node.right))}
        return {_shown(value)}


def _shown(value: Value) -> Shown:
    if tracers(value):
        return "tracer"
    if isinstance(value, Const):
        return "text"
    if isinstance(value, (Host, Qualified, Function, Class)):
        return "static"
    if isinstance(value, Sequence) and value.items is not None:
        return max((_shown(item) for item in value.items), default="static")
    return "unknown"


def _text(node: n.Node) -> str:
    """The constant text in a call that writes something."""
    found: list[str] = []
    for item in argument_nodes(node):
        parts = item.parts if isinstance(item, n.FormattedString) else [item]
        for part in parts:
            if isinstance(part, n.Constant) and isinstance(part.value, str):
                found.append(part.value)
    return " ".join(found)


_PRINT_OPTIONS = frozenset({"sep", "end", "file", "flush"})
_TELLING: tuple[Shown, ...] = ("tracer", "unknown", "static", "text")
"""What output shows, the most telling first."""
