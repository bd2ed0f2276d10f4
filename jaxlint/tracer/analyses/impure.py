"""Callbacks that JAX takes for pure functions, and that give something else at each call."""

from __future__ import annotations

from jaxlint.events import ImpureCallback
from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.value import Value

_TAKES = frozenset({"pop", "popleft"})
_DRAWN = "a random number"
_SHARED = frozenset(python_api.SEEDS.values())
"""Modules that draw from a state which all of a program shares."""


class Impure(Analysis):
    """Notes what such a callback draws, or takes out of what was made outside of it."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._seeded: set[object] = set()

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.endswith("callback") for name in module.loaded)

    def on_advance(self, iterator: Value, node: n.Node) -> None:
        if isinstance(iterator, Sequence) and iterator.kind == "iterator":
            self._note_taken(iterator, node)

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        if how in _TAKES and isinstance(container, Sequence):
            self._note_taken(container, node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        level = self._taken_for_pure()
        if level is None:
            return
        if name in python_api.SEEDS:
            self._seeded.add((level, python_api.SEEDS[name]))
        module = name.rpartition(".")[0]
        if module not in _SHARED or python_api.INPUT.get(name) != _DRAWN:
            return
        seeded = name in python_api.SEEDED and bool(arguments.args)
        if not seeded and (level, module) not in self._seeded:
            self._note("draws a number", level, node)

    def _note_taken(self, container: Sequence, node: n.Node) -> None:
        level, made = self._taken_for_pure(), container.made
        if level is None or made is None:
            return
        if made.level is None or not made.level.within(level):
            self._note("takes the next element", level, node)

    def _note(self, does: str, level: Level, node: n.Node) -> None:
        context = self.tracer.context(node, node)
        self.tracer.emit(ImpureCallback(context, does, level.function))

    def _taken_for_pure(self) -> Level | None:
        """The callback around this place, where JAX may leave its calls out or repeat them."""
        level = self.tracer.stack.level
        if level is None or level.tracing or self.tracer.stack.muted:
            return None
        transform = level.transform
        return level if transform.declared and not transform.for_effect else None
