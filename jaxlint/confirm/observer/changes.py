"""What a line of traced code changes outside of the trace: values before it and after it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FrameType

from .copies import Parts, differ, is_of_library, parts_of
from .journal import Journal
from .pictures import Picture, changes_inside, picture
from .stack import JAX, Stack
from .values import Values
from .watchlist import Watch

_DEPTH = 3


def _parameters(code: CodeType) -> tuple[str, ...]:
    number = code.co_argcount + code.co_kwonlyargcount
    number += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_varnames[:number]


def _is_of_a_function(code: CodeType, name: str) -> bool:
    """Whether a name is one of a function's, this one's or one around it, and no global."""
    return name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars)


@dataclass
class _Open:
    """A line that runs: the values before it, and whether another line made a change since."""

    watches: list[Watch]
    before: dict[str, Picture]
    copies: dict[str, tuple[object, Parts]]
    calls_changes: bool = False


class Changes:
    """Takes a picture when a line with findings begins, and compares when the next one does."""

    def __init__(self, journal: Journal, stack: Stack, values: Values) -> None:
        self._journal = journal
        self._stack = stack
        self._values = values
        self._open: dict[FrameType, _Open] = {}

    def begin(self, frame: FrameType, watches: list[Watch]) -> None:
        """A line that these findings are about begins, traced."""
        self._open[frame] = _Open(
            watches, self._pictures(frame, watches), self._copies(frame, watches)
        )

    def end(self, frame: FrameType, raised: bool = False) -> None:
        """The line that ran before in this frame has ended, or raised, if there was one."""
        line = self._open.pop(frame, None)
        if line is None:
            return
        after = self._pictures(frame, line.watches)
        found = set(self._differences(frame, line.before, after))
        same = all(name in after and after[name][1] is was[1] for name, was in line.before.items())
        for watch in line.watches:
            if watch.look in ("copy", "given"):
                changed = any(differ(was, parts_of(each)) for each, was in line.copies.values())
                self._journal.count("copied", watch.number, changed)
            elif watch.look == "changes":
                for change in found:
                    self._journal.count("change", watch.number, *change, not line.calls_changes)
            elif not raised:
                self._journal.count("same" if same else "rebound", watch.number)
        if found:
            self._tell_callers(frame)

    def _tell_callers(self, frame: FrameType) -> None:
        """The lines that are running further out have not made the change themselves."""
        caller = frame.f_back
        while caller is not None:
            line = self._open.get(caller)
            if line is not None:
                line.calls_changes = True
            caller = caller.f_back

    def _differences(
        self, frame: FrameType, before: dict[str, Picture], after: dict[str, Picture]
    ) -> Iterator[tuple[str, bool, bool]]:
        """Kind of change, whether a tracer got in, and whether it is one outside of the trace."""
        for name, new in after.items():
            old = before.get(name)
            if old is not None and old[1] is new[1]:
                changes = list(changes_inside(old, new, self._values.is_tracer))
                outer = bool(changes) and self._is_value_from_outside(frame, name, new[1])
                for kind, leaks in changes:
                    yield kind, leaks, outer
            elif name not in frame.f_code.co_varnames:
                outer = self._is_name_from_outside(frame, name)
                yield "rebinding", self._values.is_tracer(new[1]), outer

    def _is_name_from_outside(self, frame: FrameType, name: str) -> bool:
        """Whether a name belongs to the module, or to a function that is not traced itself."""
        if name in frame.f_code.co_cellvars:
            return False
        if name not in frame.f_code.co_freevars:
            return True
        owner: FrameType | None = frame
        while owner is not None and name not in owner.f_code.co_cellvars:
            owner = owner.f_back
        return owner is None or not self._stack.is_below_jax(owner)

    def _is_value_from_outside(self, frame: FrameType, name: str, value: object) -> bool:
        """Whether a value was there before the trace began: who is the first to know it?

        A function outside of the trace, or a traced one that did not make it.
        """
        if not _is_of_a_function(frame.f_code, name):
            return True
        first, known_as = frame, name
        caller: FrameType | None = frame
        while caller is not None:
            if self._stack.kind(caller.f_code.co_filename) >= 0:
                names = caller.f_locals.items()
                found = next((each for each, known in names if known is value), "")
                first, known_as = (caller, found) if found else (first, known_as)
            caller = caller.f_back
        code = first.f_code
        if not self._stack.is_below_jax(first) or known_as in code.co_freevars:
            return True
        if any(known is value for known in first.f_globals.values()):
            return True
        # JAX makes the containers that it hands to a function anew, from their leaves.
        is_argument = known_as in _parameters(code) and not isinstance(value, (list, dict, tuple))
        return is_argument and code.co_name != "__init__"

    def _pictures(self, frame: FrameType, watches: list[Watch]) -> dict[str, Picture]:
        """The values that the findings are about, and what outer names are bound to."""
        found: dict[str, Picture] = {}
        for name in {name.split(".")[0] for watch in watches for name in watch.names}:
            for value in self._values.find(frame, name):
                found[name] = picture(value, self._is_own, _DEPTH)
        return found

    def _copies(self, frame: FrameType, watches: list[Watch]) -> dict[str, tuple[object, Parts]]:
        """What hangs on the objects of nnx that findings are about."""
        given = self._is_called_by_jax(frame)
        looks = ("copy", "given") if given else ("copy",)
        names = [name for watch in watches if watch.look in looks for name in watch.names]
        return {
            name: (value, parts_of(value))
            for name in {name.split(".")[0] for name in names}
            for value in self._values.find(frame, name)
        }

    def _is_called_by_jax(self, frame: FrameType) -> bool:
        """Whether JAX calls a function, and no library has made its own arguments for it."""
        caller = frame.f_back
        if caller is None or self._stack.kind(caller.f_code.co_filename) != JAX:
            return False
        while caller is not None:
            if is_of_library(caller.f_globals.get("__name__")):
                return False
            caller = caller.f_back
        return True

    def _is_own(self, kind: type) -> bool:
        """Whether to look into objects of a class: those of the user's files."""
        module = sys.modules.get(kind.__module__)
        return self._stack.kind(getattr(module, "__file__", None) or "<none>") >= 0
