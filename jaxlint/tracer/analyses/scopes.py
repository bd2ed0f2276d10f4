"""What layers of linen ask of the ``apply`` around them: what does not come with it, or is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from jaxlint.events import IncompleteApply, LostStatistics, Site
from jaxlint.knowledge.libraries import ANY_STREAM
from jaxlint.program import nodes as n
from jaxlint.program.demand import any_of, parts_of
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.externals import Scope

_Lacks = Literal["rngs", "mutable", "variables"]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Something that a layer asked for, and the branches that led there."""

    lacks: _Lacks
    name: str
    layer: str
    node: n.Node
    path: Branches


class Scopes(Analysis):
    """Notes calls of ``apply`` that lack what some layer asks for, whatever the tests say.

    And those in a training step whose new statistics nobody reads, in a file that keeps none.
    """

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._unread = Unread(tracer, finished=True)
        self._lost: list[LostStatistics] = []
        self._kept: set[str] = set()
        self._asked: list[_Asked] = []
        self._scopes: list[tuple[int, Branches]] = []

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return not {"apply", "apply_fn"}.isdisjoint(module.loaded)

    # ------------------------------------------------------------------ what happens

    def on_scope(self) -> None:
        self._scopes.append((len(self._asked), self.tracer.stack.path))

    def on_ask_scope(self, lacks: str, name: str, layer: str, node: n.Node) -> None:
        path = self.tracer.stack.path
        self._asked.append(_Asked(cast(_Lacks, lacks), name, layer, node, path))

    def on_scope_end(self, scope: Scope, node: n.Node) -> None:
        start, path = self._scopes.pop()
        asked = self._asked[start:]
        del self._asked[start:]
        for each in asked:
            # What hangs on a test that nobody can decide may never be asked for.
            if each.path == path and _lacks(scope, each):
                where = node.function if isinstance(node, n.Call) else node
                context = self.tracer.context(node, where)
                site = Site(each.node.origin)
                event = IncompleteApply(context, each.lacks, each.name, each.layer, site)
                self.tracer.emit(event)
                return
        for each in asked:
            if each.lacks == "mutable" and each.name in (scope.mutable or ()):
                self._on_change(each, node)

    def _on_change(self, asked: _Asked, node: n.Node) -> None:
        """A layer has changed a collection, which the second result has.

        What the function around it gives back is somebody else's to keep.
        """
        stack = self.tracer.stack
        changed = parts_of(self._unread.asked((stack.link(node),)), 2)[1]
        if any_of(changed):
            self._kept.add(asked.name)
        elif self.tracer.tracks_cotangents and not stack.muted:
            where = node.function if isinstance(node, n.Call) else node
            context, site = self.tracer.context(node, where), Site(asked.node.origin)
            self._lost.append(LostStatistics(context, asked.name, asked.layer, site))

    def on_end(self) -> None:
        for event in self._lost:
            if event.name not in self._kept:
                self.tracer.emit(event)
        self._lost.clear()

    # ------------------------------------------------------------------------ memory

    def before_call(self) -> tuple[int, Branches]:
        return len(self._asked), self.tracer.stack.path

    def after_call(self, before: tuple[int, Branches]) -> tuple[_Asked, ...]:
        """What was asked for since, by the branches since."""
        start, path = before
        return tuple(
            _Asked(each.lacks, each.name, each.layer, each.node, each.path[len(path) :])
            for each in self._asked[start:]
        )

    def replay(self, record: tuple[_Asked, ...], level: Level | None = None) -> None:
        path = self.tracer.stack.path
        self._asked += [
            _Asked(each.lacks, each.name, each.layer, each.node, (*path, *each.path))
            for each in record
        ]


def _lacks(scope: Scope, asked: _Asked) -> bool:
    """Whether a module is run without what a layer of it asked for."""
    if asked.lacks == "rngs":
        return scope.streams is not None and scope.streams.isdisjoint({asked.name, ANY_STREAM})
    if asked.lacks == "mutable":
        return scope.mutable is not None and asked.name not in scope.mutable
    given, mutable = scope.collections, scope.mutable
    if given is None or mutable is None:
        return False
    return asked.name not in given | mutable
