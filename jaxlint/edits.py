"""What a fix is: edits of the text, and whether somebody should look at them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of text and what takes its place; an empty stretch is an insertion.

    Lines count from 1, columns from 0, in characters; in a notebook they are those of the cell,
    whose number counts from 1, else it is 0. ``text`` has ``\\n`` as its line ends.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    cell: int = 0

    @property
    def start(self) -> tuple[int, int, int]:
        """Where it begins; sorts as the file does."""
        return self.cell, self.line, self.column

    @property
    def adds(self) -> bool:
        """Whether it takes nothing away."""
        return self.start == self.end

    @property
    def end(self) -> tuple[int, int, int]:
        """Where it ends."""
        return self.cell, self.end_line, self.end_column


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend a finding, all of them together.

    Attributes:
        title: what they do, as an order: "Write `x.at[i].set(v)`".
        edits: in no order; none overlaps another one.
        safe: the program means the same, on every release of JAX that the project allows, but
            for the mistake. One that is not is for a person to look at.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool


def together(fixes: Iterable[Fix | None]) -> Fix | None:
    """One fix for a finding that is several places: of those that have one; None: none has."""
    found = [fix for fix in dict.fromkeys(fixes) if fix is not None]
    if not found:
        return None
    first, *others = found
    if not others:
        return first
    edits = tuple(dict.fromkeys(edit for fix in found for edit in fix.edits))
    if overlapping(edits):
        return first  # What is left is found again, and mended then.
    return Fix(first.title, edits, all(fix.safe for fix in found))


def overlapping(edits: Iterable[Edit]) -> bool:
    """Whether two edits would change the same text, or insert at the same place."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for before, after in pairwise(ordered):
        if after.start < before.end or (before.start == after.start and before.end == after.end):
            return True
    return False


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text after some edits of it, whose cell is not asked for.

    Args:
        text: lines end with ``\\n``, ``\\r\\n`` or ``\\r``, as the author likes it.
        edits: none overlaps another one. What they insert gets the line end that is used where
            it goes.

    Raises:
        ValueError: a place that is not in the text.
    """
    # Past the last line end there is a line too, with nothing in it.
    lines = [*lines_of(text), ""]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        start = _offset(lines, starts, edit.line, edit.column)
        end = _offset(lines, starts, edit.end_line, edit.end_column)
        new = edit.text.replace("\n", _line_end(lines, edit.line))
        text = text[:start] + new + text[end:]
    return text


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as Python and editors tell them apart.

    A form feed, or one of Unicode's own separators, ends no line.
    """
    return _LINE.findall(text)


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def _line_end(lines: list[str], line: int) -> str:
    """The line end in use at a line; the last line of a file may have none."""
    for candidate in (lines[line - 1], *lines):
        bare = candidate.rstrip("\r\n")
        if bare != candidate:
            return candidate[len(bare) :]
    return "\n"


def _offset(lines: list[str], starts: list[int], line: int, column: int) -> int:
    if not 0 < line <= len(lines) or not 0 <= column <= len(lines[line - 1].rstrip("\r\n")):
        raise ValueError(f"no column {column} in line {line}")
    return starts[line - 1] + column
