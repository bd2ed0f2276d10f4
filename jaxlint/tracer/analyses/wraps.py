"""Integers that wrap around, where nobody takes them for what they then are."""

from __future__ import annotations

from jaxlint.events import IntegerWraps
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.tracer import Tracer


class Wraps(Analysis):
    """Notes what wraps around, unless a mask, a remainder or a test asks for what comes of it."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._found: dict[int, IntegerWraps] = {}
        self._meant: set[int] = set()

    def on_wrap(self, event: IntegerWraps, operation: int) -> None:
        self._found.setdefault(operation, event)

    def on_taken_as_it_is(self, operations: frozenset[int]) -> None:
        self._meant |= operations

    def on_end(self) -> None:
        for operation, event in self._found.items():
            if operation not in self._meant:
                self.tracer.emit(event)
        self._found.clear()
        self._meant.clear()
