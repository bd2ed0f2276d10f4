"""Functions that are given indices of which some lie outside of the array."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from jaxlint.events import IndexBeyond
from jaxlint.knowledge.indices import ALONG_LAST, FROM_AXIS, MODE, SEGMENTS, SLICES, Slices
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.extents import Extent, filled
from jaxlint.tracer.values.value import NONE, Const, Value


class Beyond(Analysis):
    """Notes arrays of indices whose numbers literal values decide."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        names = (*FROM_AXIS, *SEGMENTS, *SLICES)
        return any(name.rpartition(".")[2] in module.loaded for name in names)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if not arguments.closed or MODE in arguments.kwargs:
            return
        if name in FROM_AXIS:
            row = FROM_AXIS[name]
            array, indices = arguments.args[0] if arguments.args else None, row.indices
            size = _size(array, arguments.get(*row.axis), name in ALONG_LAST)
            self._note(name, arguments.get(*indices), size, node, row.comes)
        elif name in SEGMENTS:
            count = arguments.get(*SEGMENTS[name])
            size = count.value if isinstance(count, Const) else None
            ids = arguments.get(1, "segment_ids")
            self._note(name, ids, size if type(size) is int else None, node, "drops")
        elif name in SLICES and not any(each.transform.exclusive for each in self._levels()):
            for starts, length, size in _slices(SLICES[name], arguments):
                if starts.most + length > size:
                    context = self.tracer.context(node)
                    last = size - length
                    self.tracer.emit(IndexBeyond(context, starts.most, last, "moves", name))
                    return

    def _levels(self) -> list[Level]:
        """The transforms in force: one that chooses a branch may keep out what does not fit."""
        return self.tracer.stack.levels()

    def _note(
        self,
        name: str,
        indices: Value | None,
        size: int | None,
        node: n.Node,
        comes: Literal["fills", "drops"],
    ) -> None:
        extent = indices.extent if isinstance(indices, Array) else None
        if isinstance(indices, Const) and type(indices.value) is int:
            extent = filled((), indices.value)
        if not size or not isinstance(extent, Extent):
            return
        if extent.most >= size or extent.least < -size:
            outside = extent.most if extent.most >= size else extent.least
            context = self.tracer.context(node)
            self.tracer.emit(IndexBeyond(context, outside, size, comes, name))


def _slices(row: Slices, arguments: Arguments) -> Iterator[tuple[Extent, int, int]]:
    """Where a slice begins along each axis, how long it is and how long the axis."""
    array = arguments.args[0] if arguments.args else None
    shape = array.aval.shape if isinstance(array, Array) and not array.assumed else None
    if shape is None:
        return
    starts, axis = [arguments.get(*row.starts)], arguments.get(*row.axis) if row.axis else None
    lengths = [arguments.get(*row.length) if row.length else Const(1)]
    place = 0 if axis is None else axis.value if isinstance(axis, Const) else None
    if row.axis is None:
        starts, lengths = map(_listed, (starts[0], lengths[0]))
        sizes = shape
    elif type(place) is int and -len(shape) <= place < len(shape):
        sizes = (shape[place],)
    else:
        return
    for start, length, size in zip(starts, lengths, sizes, strict=False):
        extent = _extent_of(start)
        long = length.value if isinstance(length, Const) else None
        if extent is not None and type(long) is int and type(size) is int and 0 < long <= size:
            yield extent, long, size


def _listed(values: Value | None) -> list[Value | None]:
    return list(values.items or ()) if isinstance(values, Sequence) else []


def _extent_of(value: Value | None) -> Extent | None:
    """The numbers that an integer may be, all of which it is some time."""
    if isinstance(value, Const) and type(value.value) is int:
        return filled((), value.value)
    extent = value.extent if isinstance(value, Array) and not value.aval.shape else None
    return extent if isinstance(extent, Extent) else None


def _size(array: Value | None, axis: Value | None, last: bool) -> int | None:
    """The size of the axis that indices are of; None where it is not in view."""
    shape = array.aval.shape if isinstance(array, Array) and not array.assumed else None
    if not shape or not all(type(size) is int for size in shape):
        return None
    sizes = [size for size in shape if type(size) is int]
    if axis is None or axis is NONE:
        return sizes[-1] if last else math.prod(sizes)
    place = axis.value if isinstance(axis, Const) else None
    known = type(place) is int and -len(sizes) <= place < len(sizes)
    return sizes[place] if known and isinstance(place, int) else None
