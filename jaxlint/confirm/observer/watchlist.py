"""What to look at: the files the user named, and the findings in them."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from types import CodeType, FrameType
from typing import Any

FILE_NAME = "watchlist.json"
UNROLLED = 50
"""Iterations of a Python loop, in one call of a traced function, that count as unrolled."""

MOST_HITS = 10_000
"""How often a line is looked at outside of traces; the count stops there."""

SEES_CHANGES = frozenset({"changes", "copy", "given", "same"})
"""What is looked at when a line begins, and again when it has ended."""

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")


@dataclass
class Watch:
    """One finding of the linter.

    Attributes:
        number: its place in the list of findings.
        lines: first and last line.
        scopes: (name, first line) of the code around it, innermost first.
        names: the names, and dotted names, that it is about.
        look: what is to be looked at besides the line: ``changes`` made while
            tracing, whether names stay the ``same``, ``stale`` reads, arrays that are
            not ``ready``, ``waits`` of the host, a ``loop`` in one call, whether the backend
            has ``started``, the ``gradient`` that goes back through it, whether the ``state``
            that is its one name is the same each time, whether its first name is the state of an
            ``optimizer`` that is the same each time while another name changes, whether a
            ``copy`` of an object of nnx changes, whether one does that plain JAX has ``given``
            the function, or nothing.
        is_head: it stands on a decorator, or on the ``def`` below one: Python comes there
            twice, before and after it makes the function.
    """

    number: int
    lines: tuple[int, int]
    scopes: list[tuple[str, int]]
    names: list[str]
    look: str
    is_head: bool

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Watch:
        """The watch that was written as JSON."""
        first, last = facts["lines"]
        scopes = [(name, line) for name, line in facts["scopes"]]
        return cls(**{**facts, "lines": (first, last), "scopes": scopes})

    def is_in(self, code: CodeType) -> bool:
        """Whether the finding stands in this code itself, not in code around or inside it."""
        scopes = self.scopes
        if sys.version_info >= (3, 12):
            # Comprehensions are part of the code around them there.
            scopes = [scope for scope in scopes if scope[0] not in _COMPREHENSIONS]
        return scopes[0] == (code.co_name, code.co_firstlineno)


@dataclass
class Plan:
    """What to look at in one code object: line -> findings counted there."""

    watches: list[Watch] = field(default_factory=list)
    at: dict[int, list[Watch]] = field(default_factory=dict)
    sees_changes: bool = False


class Watchlist:
    """The files and findings of a run.

    Args:
        consumers: functions of ``jax.random`` that consume a key.
        waits: whether any watch, also one that comes later, is about waits of the host.
        settings: variables of the environment that JAX reads once: when it is imported, or when
            its backend starts.
    """

    def __init__(
        self,
        consumers: Iterable[str] = (),
        waits: bool = False,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.consumers = frozenset(consumers)
        self.settings = dict(settings or {})
        self.waits = waits
        self.paths: list[str] = []
        self._numbers: dict[str, int] = {}
        self._tails: dict[tuple[str, ...], int] = {}
        self._watches: dict[int, list[Watch]] = {}

    @classmethod
    def read(cls, folder: str) -> Watchlist:
        """The watch list that lies in the folder of a run."""
        with open(os.path.join(folder, FILE_NAME), encoding="utf-8") as stream:
            content: dict[str, Any] = json.load(stream)
        found = cls(content["consumers"], settings=content["settings"])
        for path, watches in content["files"].items():
            found.watch(path, list(map(Watch.of, watches)))
        return found

    def write(self, folder: str) -> None:
        """For :meth:`read`, in another process."""
        files = {path: list(map(asdict, self._watches[n])) for path, n in self._numbers.items()}
        with open(os.path.join(folder, FILE_NAME), "w", encoding="utf-8") as stream:
            content = {
                "consumers": sorted(self.consumers),
                "settings": self.settings,
                "files": files,
            }
            json.dump(content, stream)

    def watch(self, path: str, watches: list[Watch]) -> None:
        """Look at a file; in place of what was looked at in it before."""
        path = os.path.realpath(path)
        if path not in self._numbers:
            self._numbers[path] = self._tails[_tail(path)] = len(self.paths)
            self.paths.append(path)
        self._watches[self._numbers[path]] = watches
        self.waits = self.waits or any(watch.look == "waits" for watch in watches)

    @property
    def watches(self) -> list[Watch]:
        """All of them, in the order of the files."""
        return [watch for watches in self._watches.values() for watch in watches]

    def at(self, number: int, line: int) -> list[Watch]:
        """What is looked at in a line of a named file."""
        watches = self._watches.get(number, [])
        return [watch for watch in watches if watch.lines[0] <= line <= watch.lines[1]]

    def number_of(self, filename: str) -> int:
        """The number of a file that the user named; -1 for all others."""
        return self._numbers.get(os.path.realpath(filename), -1)

    def look_alike(self, filename: str) -> int:
        """The number of a named file of which this one, elsewhere, looks like a copy; or -1."""
        return self._tails.get(_tail(filename), -1)

    def plan_for(self, code: CodeType, number: int) -> Plan | None:
        """What to look at in a code object of a named file; None when nothing."""
        plan = Plan([watch for watch in self._watches[number] if watch.is_in(code)])
        if not plan.watches:
            return None
        for watch in plan.watches:
            plan.at.setdefault(counting_line(code, *watch.lines), []).append(watch)
        plan.sees_changes = any(watch.look in SEES_CHANGES for watch in plan.watches)
        return plan


def _tail(path: str) -> tuple[str, ...]:
    return tuple(path.replace("\\", "/").split("/")[-3:])


@functools.lru_cache(maxsize=256)
def _line_starts(code: CodeType) -> dict[int, list[int]]:
    """Line -> the places in the bytecode where it begins."""
    starts: dict[int, list[int]] = {}
    last = None
    for start, _, line in code.co_lines():
        if line is not None and line != last:
            starts.setdefault(line, []).append(start)
        last = line
    return starts


def is_at_first_start(frame: FrameType) -> bool:
    """Whether the line that begins in a frame begins at the first of its places."""
    return frame.f_lasti == _line_starts(frame.f_code)[frame.f_lineno][0]


def counting_line(code: CodeType, first: int, last: int) -> int:
    """The one of these lines that Python comes to once each time they are run.

    A call over several lines begins and ends on its first one: Python reports
    that line twice and those between once.
    """
    starts = _line_starts(code)
    lines = [line for line in range(first, last + 1) if line in starts]
    return min(lines, key=lambda line: (len(starts[line]), line)) if lines else first
