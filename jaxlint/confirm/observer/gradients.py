"""Gradients that come back outside of compiled code: do they hold NaN, and does the value?"""

from __future__ import annotations

from types import FrameType, ModuleType
from typing import Any

from .journal import Journal

RESULTS = (("ans", "g"), ("y", "jac"))
"""What ``jax.grad`` and ``jax.jacrev`` call the value and its gradient."""

_MOST_NUMBERS = 10_000_000
"""Numbers of one gradient that are looked at: each is brought to the host for that."""


class Gradients:
    """Looks at what ``jax.grad`` gives when a line with a finding has run for it.

    Inside of compiled code a gradient has no numbers: it is ``unseen`` there.
    """

    def __init__(self, journal: Journal, jax: ModuleType) -> None:
        self._journal = journal
        self._jax = jax
        self._waiting: set[int] = set()

    def note(self, number: int) -> None:
        """The line of a finding runs, perhaps under a gradient."""
        self._waiting.add(number)

    def begins(self, frame: FrameType) -> None:
        """``jax.grad`` is about to run its function: what ran before has no part in it."""
        self._waiting.clear()

    def come_back(self, frame: FrameType) -> None:
        """The value and its gradient are there."""
        waiting, self._waiting = self._waiting, set()
        if waiting:
            values = frame.f_locals
            names = next(names for names in RESULTS if names[1] in values)
            shown = self._shown(*(self._leaves(values.get(name)) for name in names))
            for number in waiting:
                self._journal.count("gradient", number, shown)

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
