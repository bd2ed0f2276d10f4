"""Whether a line that runs again is given the same state again."""

from __future__ import annotations

import weakref
from types import FrameType, ModuleType
from typing import Any

from .journal import Journal
from .values import Values
from .watchlist import Watch

_MOST_LEAVES = 100


class States:
    """Compares, outside of traces, what a name holds with what it held the time before.

    A state is the same when its arrays are: they cannot be changed in place.
    """

    def __init__(self, journal: Journal, values: Values, jax: ModuleType) -> None:
        self._journal = journal
        self._values = values
        self._jax = jax
        self._before: dict[int, list[Any]] = {}

    def note(self, frame: FrameType, watch: Watch) -> None:
        """The line is about to be run."""
        for value in self._values.find(frame, watch.names[0]) if watch.names else ():
            leaves = self._jax.tree_util.tree_leaves(value)
            arrays = [each for each in leaves if isinstance(each, self._jax.Array)][:_MOST_LEAVES]
            before = self._before.get(watch.number)
            self._before[watch.number] = [weakref.ref(each) for each in arrays]
            if before is not None and arrays:
                same = len(before) == len(arrays) and all(
                    ref() is each for ref, each in zip(before, arrays, strict=True)
                )
                self._journal.count("state", watch.number, same)
