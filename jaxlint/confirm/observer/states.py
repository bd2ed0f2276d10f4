"""Whether a line that runs again is given the same state again."""

from __future__ import annotations

import weakref
from types import FrameType, ModuleType
from typing import Any

from .journal import Journal
from .values import Values
from .watchlist import Watch

_MOST_LEAVES = 100

_Arrays = list["weakref.ref[Any]"]


class States:
    """Compares, outside of traces, what a name holds with what it held the time before.

    A state is the same when its arrays are: they cannot be changed in place. Of what may be the
    state of an optimizer it counts only where something else has changed: the loop goes on.
    """

    def __init__(self, journal: Journal, values: Values, jax: ModuleType) -> None:
        self._journal = journal
        self._values = values
        self._jax = jax
        self._before: dict[int, tuple[_Arrays, _Arrays]] = {}

    def note(self, frame: FrameType, watch: Watch) -> None:
        """The line is about to be run."""
        by_type = watch.look == "optimizer"
        for value in self._values.find(frame, watch.names[0]) if watch.names else ():
            arrays = self._arrays(value) if not by_type or _is_of_an_optimizer(value) else []
            if not arrays:
                continue
            others = [x for name in watch.names[1:] for x in self._values.find(frame, name)]
            beside = self._arrays(others) if by_type else []
            before = self._before.get(watch.number)
            self._before[watch.number] = _refer_to(arrays), _refer_to(beside)
            if before is not None:
                same = _are(before[0], arrays)
                if not (by_type and same and _are(before[1], beside)):
                    self._journal.count("state", watch.number, same)

    def _arrays(self, value: object) -> list[Any]:
        leaves = self._jax.tree_util.tree_leaves(value)
        return [each for each in leaves if isinstance(each, self._jax.Array)][:_MOST_LEAVES]


def _refer_to(arrays: list[Any]) -> _Arrays:
    return list(map(weakref.ref, arrays))


def _are(known: _Arrays, arrays: list[Any]) -> bool:
    """Whether these are the arrays of the time before."""
    return len(known) == len(arrays) and all(
        ref() is each for ref, each in zip(known, arrays, strict=True)
    )


def _is_of_an_optimizer(value: object) -> bool:
    """Whether a class of optax is in it: its states are tuples of tuples."""
    if type(value).__module__.startswith("optax."):
        return True
    return isinstance(value, tuple) and any(map(_is_of_an_optimizer, value))
