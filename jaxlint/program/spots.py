"""Origins of the nodes that come of Python's own syntax: a file, and where in it."""

from __future__ import annotations

import ast
from typing import Any

from jaxlint.source import Source


class Spot:
    """A place in a module that the linted file imports, or in that file.

    Attributes:
        source: the file.
        line, end_line: from 1.
        start, end: columns in bytes, as Python counts them.
    """

    __slots__ = ("end", "end_line", "line", "source", "start")
    line: int
    start: int
    end_line: int
    end: int

    def __init__(self, source: Source, node: Any) -> None:
        self.source = source
        if isinstance(node, ast.Module):
            self.line, self.start, self.end_line, self.end = 1, 0, 1, 0
        else:
            self.line, self.start = node.lineno, node.col_offset
            self.end_line, self.end = node.end_lineno, node.end_col_offset

    @property
    def key(self) -> tuple[str, int, int]:
        """Equal for the same place."""
        return self.source.filename, self.line, self.start

    @property
    def span(self) -> tuple[int, int, int, int]:
        """First and last line, from 1, each with its column in characters, from 0."""
        start, end = (
            self._characters(self.line, self.start),
            self._characters(self.end_line, self.end),
        )
        return self.line, start, self.end_line, end

    @property
    def text(self) -> str:
        """What is written there."""
        line, start, end_line, end = self.span
        lines = [self.source.line(number) for number in range(line, end_line + 1)]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        return "\n".join(lines)

    def _characters(self, line: int, column: int) -> int:
        """The column in characters of one that Python gives in bytes."""
        return len(self.source.line(line).encode()[:column].decode(errors="ignore"))
