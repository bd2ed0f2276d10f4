"""Asynchronous dispatch: what is still running when the host reads a clock, or waits."""

from __future__ import annotations

from jaxlint.events import HostSync, Site, UnsyncedTiming
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.values import Array, Clock, Sequence, Tree, Unknown, Value


class Waiting(Machine):
    """Follows work that was dispatched and not waited for."""

    def dispatched(self, node: n.Node) -> None:
        """A compiled function was called by the host."""
        if self.level is None and not self.muted:
            self.clock.dispatches += 1
            self.clock.pending = node
            self.clock.loops = self.frame.loops

    def waited(self, value: Value | None, node: n.Node, construct: str) -> None:
        """The host reads an array; None when nobody knows what is waited for."""
        if self.level is not None or self.muted:
            return
        if value is None or isinstance(value, Unknown):
            self.clock.pending = None
        elif isinstance(value, (Array, Tree)) or (
            isinstance(value, Sequence) and any(isinstance(v, Array) for v in value.items or [])
        ):
            self._note_sync(node, construct)
            self.clock.pending = None

    def _note_sync(self, node: n.Node, construct: str) -> None:
        loops = self.frame.loops
        if not loops or loops[-1] not in self.clock.loops:
            return
        loop = loops[-1]
        if loop.frame is self.frame and self.frame.conditional == loop.conditional:
            self.emit(HostSync(self.context(node, node), construct, Site(loop.node.origin)))

    def read_clock(self, name: str, node: n.Node) -> Value:
        """``time.perf_counter()`` and its like."""
        pending = self.clock.pending
        if self.frame.conditional and self.frame.loops and self.frame.loops == self.clock.loops:
            pending = None  # Every so often in a running loop: a rate, not a duration.
        return Clock(self.clock.dispatches, pending, node, name)

    def elapsed(self, later: Clock, earlier: Clock) -> None:
        """The difference of two readings: was everything done by the later one?"""
        if later.pending is None or later.dispatches <= earlier.dispatches:
            return
        context = self.context(later.node, later.pending)
        dispatched, started = Site(later.pending.origin), Site(earlier.node.origin)
        self.emit(UnsyncedTiming(context, later.name, dispatched, started))

    def note_dispatch_by_name(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A heavy operation of ``jax.numpy`` called by the host runs asynchronously too."""
        if name in jax_api.HEAVY and any(isinstance(value, Array) for value in arguments.args):
            self.dispatched(node)
