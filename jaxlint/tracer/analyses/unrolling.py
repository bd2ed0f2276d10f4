"""Python loops of many iterations that run while tracing."""

from __future__ import annotations

from jaxlint.events import UnrolledLoop
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.value import Value


class Unrolling(Analysis):
    """Notes loops whose body JAX traces each time."""

    def on_loop(self, node: n.Node, iterable: Value, operations: int, where: n.Node) -> None:
        tracer = self.tracer
        level = tracer.stack.level
        if level is None or not (level.stages and level.tracing and level.computes):
            return
        count = iterable.contents.length if isinstance(iterable, Sequence) else None
        if count is None or operations == tracer.operations:
            return
        total = count
        for loop in tracer.stack.frame.loops:
            if loop.frame.level is not None:  # What loops around the trace is no part of it.
                total *= loop.count or 1
        if total >= tracer.settings.unroll:
            tracer.emit(UnrolledLoop(tracer.context(node, where), total))
