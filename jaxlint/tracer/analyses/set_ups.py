"""Modules of linen that are set up: parameters that ``init`` makes while a transform traces.

A layer makes its parameters where it is called first. In ``jax.lax.scan`` they are tracers, which
``init`` gives to its caller when their trace is over. linen's own transforms bring them out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from jaxlint.events import MisplacedLayer, Site
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.externals import External, Scope


@dataclass(frozen=True, slots=True)
class _Called:
    """A layer that holds parameters, where it was called, and the trace around that, if any."""

    layer: External
    node: n.Node
    level: Level | None
    path: Branches


@dataclass(frozen=True, slots=True)
class _Before:
    """Where a call began: how many layers had been called, in which trace, on which branches."""

    called: int
    level: Level | None
    path: Branches


@dataclass(slots=True)
class _Running:
    """A module that runs: since when, and the layers that it has called."""

    level: Level | None
    path: Branches
    called: list[_Called] = field(default_factory=list)


class SetUps(Analysis):
    """Notes layers that ``init`` calls first where JAX traces."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._running: list[_Running] = []
        self._ended: _Running | None = None

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return "init" in module.loaded

    def on_scope(self) -> None:
        self._running.append(_Running(self.tracer.stack.level, self.tracer.stack.path))

    def on_layer(self, layer: External, node: n.Node) -> None:
        stack = self.tracer.stack
        if self._running:
            self._running[-1].called.append(_Called(layer, node, stack.level, stack.path))

    def on_scope_end(self, scope: Scope, node: n.Node) -> None:
        self._ended = self._running.pop()

    def on_dummy_run(self, node: n.Node) -> None:
        ended, self._ended = self._ended, None
        if ended is None or self.tracer.stack.muted:
            return
        there: set[int] = set()
        for each in ended.called:
            level = _staged_in(each.level, ended.level)
            known = {id(each.layer), id(each.node)}
            if level is not None and there.isdisjoint(known) and each.path == ended.path:
                self._tell(each, level, node)
                return
            # One of another object, at the same place: nobody says which are the same.
            there |= known

    def _tell(self, called: _Called, level: Level, node: n.Node) -> None:
        where = node.function if isinstance(node, n.Call) else node
        context, site = self.tracer.context(node, where), Site(called.node.origin)
        layer = called.layer.type.rpartition(".")[2]
        self.tracer.emit(MisplacedLayer(context, "traced", layer, level.name, site))

    # ------------------------------------------------------------------------ memory

    def before_call(self) -> _Before:
        called = self._running[-1].called if self._running else []
        stack = self.tracer.stack
        return _Before(len(called), stack.level, stack.path)

    def after_call(self, before: _Before) -> tuple[Level | None, tuple[_Called, ...]]:
        """What was called since, by the branches since, and where that began."""
        called = self._running[-1].called[before.called :] if self._running else []
        depth = len(before.path)
        return before.level, tuple(replace(each, path=each.path[depth:]) for each in called)

    def replay(
        self, record: tuple[Level | None, tuple[_Called, ...]], level: Level | None = None
    ) -> None:
        """What ran in another trace is known to be there, wherever it was made."""
        if self._running:
            began, called = record
            path, here = self.tracer.stack.path, self.tracer.stack.level
            self._running[-1].called += [
                replace(each, level=each.level if began is here else None, path=(*path, *each.path))
                for each in called
            ]


def _staged_in(level: Level | None, around: Level | None) -> Level | None:
    """The outermost trace of JAX inside of the one around the module; None for none."""
    found = None
    while level is not None and level is not around:
        if level.transform.stages and level.name.startswith(f"{jax_api.PACKAGE}."):
            found = level
        level = level.parent
    return found if level is around else None
