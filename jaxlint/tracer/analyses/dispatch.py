"""Asynchronous dispatch: what is still running when the host reads a clock, or waits."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from jaxlint.events import HostSync, Site, UnsyncedTiming
from jaxlint.knowledge.python_api import RUNS_OFTEN
from jaxlint.program import nodes as n
from jaxlint.program.walk import statements
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.borders import lies_in_library
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Level, Loop
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Clock, Unknown, Value

_STAMPS = 3
"""Places that call a function which says how long the program has run: it says when, not how long
something took."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What had been dispatched when a clock was read.

    ``waited``: how much of it when something was last waited for; ``chain``: the calls that lead
    there; ``work``: those that lead to what is pending, itself
    included; ``frames``: those that run; ``maker``: the one that made the compiled function that it
    called last.
    """

    count: int
    waited: int
    pending: n.Node | None
    chain: tuple[n.Node, ...]
    work: tuple[n.Node, ...]
    frames: frozenset[int]
    maker: Frame | None


class Dispatch(Analysis):
    """Follows work that was dispatched and not waited for."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._count = self._waited = 0
        self._pending: n.Node | None = None
        self._chain: tuple[n.Node, ...] = ()
        self._loops: tuple[Loop, ...] = ()
        self._readings: dict[int, tuple[Clock, _Reading]] = {}
        self._returns: set[int] = set()
        self._first: dict[tuple[int, n.Scope], n.Node] = {}
        self._again: set[int] = set()
        self._maker: Frame | None = None
        self._warming: list[tuple[UnsyncedTiming, n.Node]] = []
        self._stamps: dict[tuple[int, int], set[int]] = {}
        self._stamped: list[tuple[UnsyncedTiming, tuple[int, int]]] = []

    def _on_host(self) -> bool:
        return self.tracer.stack.level is None and not self.tracer.stack.muted

    def on_dispatch(self, node: n.Node, returns: bool) -> None:
        if self._on_host():
            self._count += 1
            self._pending = self._of_program(node)
            if returns:
                self._returns.add(id(self._pending))
            self._chain = self._calls()
            self._loops = self.tracer.stack.frame.loops

    def _of_program(self, node: n.Node) -> n.Node:
        """The call by which the program has a library do something."""
        calls = (link.node for link in reversed(self.tracer.stack.chain))
        ours = (call for call in (node, *calls) if not lies_in_library(call.origin))
        return next(ours, node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.transform.compiles and self._on_host():
            which = id(function.node.origin), self.tracer.stack.frame.scope
            first = self._first.setdefault(which, node)
            stack, made = self.tracer.stack, function.made.frame
            running = (*stack.running, stack.frame)
            here = made.function is not None and any(frame is made for frame in running)
            self._maker = made if here else None
            if first is not node:
                self._again.add(id(first))

    def _may_be_for_compiling(self, call: n.Node) -> bool:
        """Whether a call is a body's first of a compiled function, and its result thrown away."""
        if not any(first is call for first in self._first.values()):
            return False
        body = self.body_of(self.tracer.stack.frame)
        alone = (each for each in statements(body) if isinstance(each, n.ExpressionStatement))
        return any(each.value is call and not each.shown for each in alone)

    def _calls(self) -> tuple[n.Node, ...]:
        return tuple(link.node for link in self.tracer.stack.chain)

    def on_wait(self, value: Value | None, node: n.Node, construct: str) -> None:
        if not self._on_host():
            return
        certain = not self.tracer.stack.in_branch()
        if value is None and construct and certain:
            self._waited = self._count
        parts = list(leaves(value)) if value is not None else []
        if value is None or any(isinstance(part, Unknown) for part in parts):
            self._pending = None
        elif any(isinstance(part, (Array, Tree)) for part in parts):
            self._note_sync(node, construct)
            self._pending = None
            self._waited = self._count if certain else self._waited

    def _note_sync(self, node: n.Node, construct: str) -> None:
        frame = self.tracer.stack.frame
        if not frame.loops or frame.loops[-1] not in self._loops:
            return
        loop = frame.loops[-1]
        if loop.frame is frame and frame.conditional == loop.conditional:
            context = self.tracer.context(node, node)
            self.tracer.emit(HostSync(context, construct, Site(loop.node.origin)))

    def on_clock(self, clock: Clock) -> None:
        frame, pending = self.tracer.stack.frame, self._pending
        if frame.conditional and frame.loops and frame.loops == self._loops:
            pending = None  # Every so often in a running loop: a rate, not a duration.
        work = (*self._chain, pending) if pending is not None else ()
        self._readings[id(clock)] = clock, _Reading(
            self._count, self._waited, pending, self._calls(), work,
            frozenset(map(id, (*self.tracer.stack.running, frame))), self._maker,
        )  # fmt: skip

    def on_elapsed(self, later: Clock, earlier: Clock) -> None:
        """The difference of two readings: was everything done by the later one?"""
        _, end = self._readings[id(later)]
        _, start = self._readings[id(earlier)]
        which = id(later.node), id(earlier)
        self._stamps.setdefault(which, set()).update(map(id, end.chain[-1:]))
        if end.pending is None or end.count <= start.count:
            return
        if end.waited - start.count >= end.count - end.waited:
            return  # What was to be measured was waited for; something more was begun since.
        alone = end.count == start.count + 1 and later.name != RUNS_OFTEN
        if alone and end.maker is not None and id(end.maker) not in start.frames:
            return  # It was made in between, and compiled: that is what takes long.
        context = self.tracer.context(self._read_at(later, end), end.pending)
        dispatched, started = Site(end.pending.origin), Site(earlier.node.origin)
        pairs = zip(end.chain, end.work, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        waits_for = end.work[min(shared, len(end.work) - 1)]
        returns = waits_for is end.pending and id(end.pending) in self._returns
        event = UnsyncedTiming(
            context, later.name, dispatched, started, Site(waits_for.origin), returns
        )
        if alone and self._may_be_for_compiling(end.pending):
            self._warming.append((event, end.pending))
        else:
            self.tracer.emit(event)
            self._stamped.append((event, which))

    def _read_at(self, clock: Clock, reading: _Reading) -> n.Node:
        """Where the function that dispatched has the clock read: by itself, or by a timer."""
        chain = reading.chain
        shared = sum(1 for one, other in zip(chain, self._chain, strict=False) if one is other)
        return chain[shared] if len(chain) > shared == len(self._chain) else clock.node

    # ------------------------------------------------------------------------ memory

    def before_call(self) -> int:
        return self._count

    def after_call(self, before: int) -> tuple[int, n.Node | None] | None:
        """What the call dispatched and left running; None when it did nothing of the kind."""
        if self._count > before or self._pending is None:
            return self._count - before, self._pending
        return None

    def replay(self, record: tuple[int, n.Node | None] | None, level: Level | None = None) -> None:
        if record is not None and self.tracer.stack.level is None:
            self._count += record[0]
            self._pending, self._chain = record[1], self._calls()

    def on_settle(self) -> None:
        self._pending, self._loops = None, ()

    def on_end(self) -> None:
        for event, call in self._warming:
            # Compiling is not asynchronous: where others follow there, that is what was timed.
            if id(call) not in self._again:
                self.tracer.emit(event)
        for event, which in self._stamped:
            if len(self._stamps[which]) >= _STAMPS:
                self.tracer.record.withdraw(event)
        self._warming.clear()
        self._stamps.clear()
        self._stamped.clear()
        self._first.clear()
        self._again.clear()
        self._readings.clear()
        self._returns.clear()
