"""Gradients that come back outside of compiled code: do they hold NaN, and does the value?"""

from __future__ import annotations

from collections import Counter
from types import FrameType, ModuleType
from typing import Any

from .journal import Journal
from .stack import Stack

RESULTS = (("ans", "g"), ("y", "jac"))
"""What ``jax.grad`` and ``jax.jacrev`` call the value and its gradient."""

_MOST_NUMBERS = 10_000_000
"""Numbers of one gradient that are looked at: each is brought to the host for that."""

_MOST_NUMBERS_UNASKED = 1_000_000
_MOST_LOOKS_UNASKED = 8
"""Gradients of one line that are looked at where no finding wants it."""


class Gradients:
    """Looks at what ``jax.grad`` gives when a line with a finding has run for it.

    Inside of compiled code a gradient has no numbers: it is ``unseen`` there. Until a line with
    such a finding has run, other gradients are looked at too; from then on one of NaN may come from
    that line, by way of a trace that JAX has kept.
    """

    def __init__(self, journal: Journal, stack: Stack, jax: ModuleType) -> None:
        self._journal = journal
        self._stack = stack
        self._looks: Counter[tuple[int, int]] = Counter()
        self._jax = jax
        self._waiting: set[int] = set()
        self._is_foreseen = False

    def note(self, number: int) -> None:
        """The line of a finding runs, perhaps under a gradient."""
        self._waiting.add(number)
        self._is_foreseen = True

    def begins(self, frame: FrameType) -> None:
        """``jax.grad`` is about to run its function: what ran before has no part in it."""
        self._waiting.clear()

    def come_back(self, frame: FrameType) -> None:
        """The value and its gradient are there."""
        waiting, self._waiting = self._waiting, set()
        if waiting:
            shown = self._shown(*self._result(frame))
            for number in waiting:
                self._journal.count("gradient", number, shown)
        elif not self._is_foreseen:
            self._look_unasked(frame)

    def _look_unasked(self, frame: FrameType) -> None:
        """No finding has said that this gradient may be NaN: is it?"""
        line = self._stack.user_line(frame.f_back)
        if line is None or self._looks[line.file, line.line] >= _MOST_LOOKS_UNASKED:
            return
        self._looks[line.file, line.line] += 1
        value, gradient = self._result(frame)
        if sum(getattr(each, "size", 1) for each in gradient) > _MOST_NUMBERS_UNASKED:
            return
        if self._shown(value, gradient) == "nan":
            name = getattr(frame.f_locals.get("fun"), "__name__", "a function")
            facts = (line.file, line.line, name, line.direct, None)
            self._journal.count("event", "singular-gradient", *facts)

    def _result(self, frame: FrameType) -> tuple[list[Any], list[Any]]:
        """The value and its gradient, leaf by leaf."""
        values = frame.f_locals
        value, gradient = next(names for names in RESULTS if names[1] in values)
        return self._leaves(values.get(value)), self._leaves(values.get(gradient))

    def _leaves(self, value: Any) -> list[Any]:
        leaves: list[Any] = self._jax.tree_util.tree_leaves(value)
        return leaves

    def _shown(self, value: list[Any], gradient: list[Any]) -> str:
        """``nan`` in the gradient alone, in the ``value`` too, ``finite``, or ``unseen``."""
        if any(map(self._is_hidden, [*value, *gradient])):
            return "unseen"
        if not any(map(_holds_nan, gradient)):
            return "finite"
        return "value" if any(map(_holds_nan, value)) else "nan"

    def _is_hidden(self, leaf: Any) -> bool:
        if isinstance(leaf, self._jax.core.Tracer):
            return True
        far = not getattr(leaf, "is_fully_addressable", True)
        return far or getattr(leaf, "size", 1) > _MOST_NUMBERS


def _holds_nan(leaf: Any) -> bool:
    import numpy

    dtype = getattr(leaf, "dtype", None)
    if dtype is None or not (dtype.kind in "fc" or "float" in dtype.name):
        return False
    return bool(numpy.isnan(numpy.asarray(leaf).astype(complex)).any())
