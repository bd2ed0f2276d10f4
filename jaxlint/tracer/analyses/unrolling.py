"""Python loops of many iterations that run while tracing."""

from __future__ import annotations

from jaxlint.events import UnrolledLoop
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
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
        total, compiled = count, _compiled(level)
        for loop in tracer.stack.frame.loops:
            # What loops around the trace is no part of it: a compiled function is traced once.
            if loop.frame.level is not None and loop.frame.level.within(compiled):
                total *= loop.count or 1
        if total >= tracer.settings.unroll:
            tracer.emit(UnrolledLoop(tracer.context(node, where), total))


def _compiled(level: Level | None) -> Level | None:
    """The innermost compiled function in which something runs."""
    while level is not None and not level.transform.compiles:
        level = level.parent
    return level
