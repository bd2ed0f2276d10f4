"""Origins of the nodes of imported modules: a file, and where in it."""

from __future__ import annotations

import ast

from jaxlint.source import Source


def is_elsewhere(origin: object) -> bool:
    """Whether an origin lies in a module that the linted file imports, not in the file itself."""
    return type(origin) is Spot


class Spot:
    """A place in a module that the linted file imports.

    Attributes:
        source: the module's file.
        node: Python's own node.
    """

    __slots__ = ("node", "source")

    def __init__(self, source: Source, node: ast.AST) -> None:
        self.source = source
        self.node = node

    @property
    def span(self) -> tuple[int, int, int, int]:
        """First and last line, from 1, each with its column in characters, from 0."""
        node = self.node
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line = getattr(node, "end_lineno", None) or line
        end_column = getattr(node, "end_col_offset", None) or column
        return (
            line, self._characters(line, column), end_line, self._characters(end_line, end_column),
        )  # fmt: skip

    @property
    def text(self) -> str:
        """What is written there."""
        return ast.get_source_segment(self.source.text, self.node) or ""

    def _characters(self, line: int, column: int) -> int:
        """The column in characters of one that Python gives in bytes."""
        return len(self.source.line(line).encode()[:column].decode(errors="ignore"))
