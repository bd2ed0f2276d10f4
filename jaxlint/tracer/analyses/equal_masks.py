"""Dropout that hides the same of each element of a batch: what it draws from is not mapped."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import EqualDraw, Site
from jaxlint.knowledge.masking import KEYED, MAPS, STREAMED
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import Stateful
from jaxlint.tracer.values.objects import Instance, Transformed
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import NONE, Const, Value

_DEEPEST = 4


class EqualMasks(Analysis):
    """Notes layers that draw, for each element, from a key or a stream that all of them share."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._shared: dict[int, tuple[Transformed, frozenset[int]]] = {}
        """By the ids of where functions are mapped over arrays: what all elements are given."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.rpartition(".")[2] in module.loaded for name in MAPS)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.name not in MAPS or not arguments.closed or arguments.kwargs:
            return
        axes = function.options.get("in_axes", Const(0))
        entries = axes.items if isinstance(axes, Sequence) else None
        if isinstance(axes, Const) and axes is not NONE:
            entries = (axes,) * len(arguments.args)
        if entries is None or len(entries) != len(arguments.args):
            return
        given = list(zip(entries, arguments.args, strict=True))
        mapped = [value for axis, value in given if axis is not NONE]
        # What is mapped besides arrays may be one network of several.
        if mapped and all(isinstance(value, Array) for value in mapped):
            alike = frozenset(
                each for axis, value in given if axis is NONE for each in _drawn_from(value)
            )
            self._shared[id(function.node.origin)] = function, alike

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool) -> None:
        if name in KEYED:
            self._note(key.serial, name, node, key)

    def on_change(self, owner: Instance | Stateful, node: n.Node) -> None:
        if isinstance(owner, Stateful) and owner.type in STREAMED:
            self._note(id(owner.cell), owner.type, node)

    def _note(self, source: int, layer: str, node: n.Node, key: Key | None = None) -> None:
        """A layer draws from what has this identity."""
        levels = list(self.tracer.stack.levels())
        for level in levels:
            function, alike = self._shared.get(id(level.site.origin), (None, frozenset()))
            outside = key is not None and _is_from_outside(key, level)
            if function is None or self.tracer.stack.muted:
                continue
            if source in alike or outside:
                context = self.tracer.context(function.node, function.node)
                self.tracer.emit(EqualDraw(context, layer, Site(node.origin), mapped=level.name))
                return


def _is_from_outside(key: Key, level: Level) -> bool:
    """Whether a function closes over a key: no argument is, and it was made further out."""
    made_in: Level | None = key.made_in
    while made_in is not None:
        if made_in is level:
            return False
        made_in = made_in.parent
    return key.serial not in level.given and key.part_of is None and not key.one_of


def _drawn_from(value: Value, depth: int = _DEEPEST) -> Iterator[int]:
    """The identities of keys in a value, and of the layers of a module that draw."""
    yield from (key.serial for key in keys_in(value))
    if isinstance(value, Stateful) and value.type in STREAMED:
        yield id(value.cell)
    elif isinstance(value, Instance) and depth:
        for each in value.attributes.values():
            yield from _drawn_from(each, depth - 1)
