"""What to look at: the files the user named, and the findings in them."""

from __future__ import annotations

import functools
import json
import os
import sys
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

FILE_NAME = "watchlist.json"
UNROLLED = 50
"""Iterations of a Python loop, in one call of a traced function, that count as unrolled."""

MOST_HITS = 10_000
"""How often a line is looked at outside of traces; the count stops there."""

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
            not ``ready``, ``reads`` of the host, a ``loop`` in one call, or nothing.
    """

    number: int
    lines: tuple[int, int]
    scopes: list[tuple[str, int]]
    names: list[str]
    look: str

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
    """The files and findings of a run."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, FILE_NAME), encoding="utf-8") as stream:
            content: dict[str, Any] = json.load(stream)
        self.consumers: frozenset[str] = frozenset(content["consumers"])
        self.paths: list[str] = list(content["files"])
        self._numbers = {path: number for number, path in enumerate(self.paths)}
        self._tails = {_tail(path): number for path, number in self._numbers.items()}
        self._watches = [
            [
                Watch(
                    entry["number"],
                    (entry["lines"][0], entry["lines"][1]),
                    [(name, line) for name, line in entry["scopes"]],
                    entry["names"],
                    entry["look"],
                )
                for entry in entries
            ]
            for entries in content["files"].values()
        ]

    def number_of(self, filename: str) -> int:
        """The number of a file that the user named; -1 for all others."""
        return self._numbers.get(os.path.realpath(filename), -1)

    def look_alike(self, filename: str) -> int:
        """The number of a named file of which this one, elsewhere, looks like a copy; or -1."""
        return self._tails.get(_tail(filename), -1)

    def wants_reads(self) -> bool:
        """Whether any finding is about the host waiting for values."""
        return any(watch.look == "reads" for watches in self._watches for watch in watches)

    def plan_for(self, code: CodeType, number: int) -> Plan | None:
        """What to look at in a code object of a named file; None when nothing."""
        plan = Plan([watch for watch in self._watches[number] if watch.is_in(code)])
        if not plan.watches:
            return None
        for watch in plan.watches:
            plan.at.setdefault(counting_line(code, *watch.lines), []).append(watch)
        plan.sees_changes = any(watch.look in ("changes", "same") for watch in plan.watches)
        return plan


def _tail(path: str) -> tuple[str, ...]:
    return tuple(path.replace("\\", "/").split("/")[-3:])


@functools.lru_cache(maxsize=256)
def _line_starts(code: CodeType) -> dict[int, int]:
    """Line -> in how many places of the bytecode it begins."""
    starts: dict[int, int] = {}
    last = None
    for _, _, line in code.co_lines():
        if line is not None and line != last:
            starts[line] = starts.get(line, 0) + 1
        last = line
    return starts


def counting_line(code: CodeType, first: int, last: int) -> int:
    """The one of these lines that Python comes to once each time they are run.

    A call over several lines begins and ends on its first one: Python reports
    that line twice and those between once.
    """
    starts = _line_starts(code)
    lines = [line for line in range(first, last + 1) if line in starts]
    return min(lines, key=lambda line: (starts[line], line)) if lines else first
