"""Functions that are given indices of which some lie outside of the array."""

from __future__ import annotations

import math
from typing import Literal

from jaxlint.events import IndexBeyond
from jaxlint.knowledge.indices import ALONG_LAST, FROM_AXIS, MODE, SEGMENTS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.extents import Extent, filled
from jaxlint.tracer.values.value import NONE, Const, Value


class Beyond(Analysis):
    """Notes arrays of indices whose numbers literal values decide."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.rpartition(".")[2] in module.loaded for name in (*FROM_AXIS, *SEGMENTS))

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
