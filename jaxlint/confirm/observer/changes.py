"""What a line of traced code changes outside of the trace: values before it and after it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FrameType

from .journal import Journal
from .pictures import Picture, changes_inside, picture
from .stack import Stack
from .values import Values
from .watchlist import Watch

_DEPTH = 3


def is_outer(code: CodeType, name: str) -> bool:
    """Whether what a name is bound to was there before the function began, as far as one sees.

    That holds for globals, closure variables and parameters; a local name may hold
    either.
    """
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return name not in code.co_varnames[arguments:] and name not in code.co_cellvars


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

    def end(self, frame: FrameType, raised: bool = False) -> None:
        """The line that ran before in this frame has ended, or raised, if there was one."""
        opened = self._open.pop(frame, None)
        if opened is None:
            return
        watches, before = opened
        after = self._pictures(frame, watches)
        found = set(self._differences(frame, before, after))
        same = all(name in after and after[name][1] is old[1] for name, old in before.items())
        for watch in watches:
            if watch.look == "changes":
                for kind, leaks, outer in found:
                    self._journal.count("change", watch.number, kind, leaks, outer)
            elif not raised:
                self._journal.count("same" if same else "rebound", watch.number)

    def _differences(
        self, frame: FrameType, before: dict[str, Picture], after: dict[str, Picture]
    ) -> Iterator[tuple[str, bool, bool]]:
        """Kind of change, whether a tracer got in, and whether an outer name shows it."""
        for name, new in after.items():
            old = before.get(name)
            outer = is_outer(frame.f_code, name)
            if old is not None and old[1] is new[1]:
                for kind, leaks in changes_inside(old, new, self._values.is_tracer):
                    yield kind, leaks, outer
            elif name not in frame.f_code.co_varnames:
                yield "rebinding", self._values.is_tracer(new[1]), outer

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
