"""What a line of traced code changes outside of the trace: values before it and after it."""

from __future__ import annotations

import sys
from types import FrameType

from .journal import Journal
from .pictures import Picture, changes_inside, picture
from .stack import Stack
from .values import Values
from .watchlist import Watch

_DEPTH = 3


class Changes:
    """Takes a picture when a line with findings begins, and compares when the next one does."""

    def __init__(self, journal: Journal, stack: Stack, values: Values) -> None:
        self._journal = journal
        self._stack = stack
        self._values = values
        self._open: dict[FrameType, tuple[list[Watch], dict[str, Picture]]] = {}

    def begin(self, frame: FrameType, watches: list[Watch]) -> None:
        """A line that these findings are about begins, traced."""
        self._open[frame] = (watches, self._pictures(frame, watches))

    def end(self, frame: FrameType) -> None:
        """The line that ran before in this frame has ended, if there was one."""
        opened = self._open.pop(frame, None)
        if opened is None:
            return
        watches, before = opened
        changes = set()
        for name, new in self._pictures(frame, watches).items():
            old = before.get(name)
            if old is not None and old[1] is new[1]:
                changes |= set(changes_inside(old, new, self._values.is_tracer))
            elif name not in frame.f_code.co_varnames:
                changes.add(("rebinding", self._values.is_tracer(new[1])))
        for watch in watches:
            for kind, leaks in changes:
                self._journal.count("change", watch.number, kind, leaks)

    def _pictures(self, frame: FrameType, watches: list[Watch]) -> dict[str, Picture]:
        """The values that the findings are about, and what outer names are bound to."""
        found: dict[str, Picture] = {}
        for name in {name.split(".")[0] for watch in watches for name in watch.names}:
            for value in self._values.find(frame, name):
                found[name] = picture(value, self._is_own, _DEPTH)
        return found

    def _is_own(self, kind: type) -> bool:
        """Whether to look into objects of a class: those of the user's files."""
        module = sys.modules.get(kind.__module__)
        return self._stack.kind(getattr(module, "__file__", None) or "<none>") >= 0
