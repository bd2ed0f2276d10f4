"""Parsing a file again after an edit: what has not changed keeps its tree.

libcst takes a tenth of a second for a thousand lines, Python's own parser a tenth of
that. So Python says where statements begin and end, and libcst parses only those,
of the module and of long classes in it, whose text is new.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from jaxlint.source import Source
from jaxlint.syntax.depth import refuse_what_is_too_deep
from jaxlint.syntax.parse import parse

_LONG_CLASS = 60
_CLASS = "class _:\n"

_CANNOT = (
    cst.ParserSyntaxError, cst.CSTValidationError, AttributeError, IndexError, RecursionError
)  # fmt: skip

Statements = list[Any]


class Reparser:
    """The parser for one file that is being edited. The trees it gives share statements."""

    def __init__(self) -> None:
        self._known: dict[str, list[Statements]] = {}
        self._used: dict[str, list[Statements]] = {}

    def __call__(self, source: Source) -> cst.Module:
        """Parse a file.

        Raises:
            jaxlint.source.SourceError: it is not Python.
        """
        self._used = {}
        if source.tree_if_any is None:
            return parse(source)
        refuse_what_is_too_deep(source)
        try:
            body = self._block(source.text.split("\n"), 0, source.tree.body, "")
        except _CANNOT:
            # Statements that cannot be parsed apart: the whole file can, or says why not.
            return parse(source)
        self._known = self._used
        return cst.Module(body)

    def _block(
        self, lines: list[str], begin: int, stmts: Sequence[ast.stmt], head: str
    ) -> Statements:
        """The statements of a block whose text begins at a line (from 0)."""
        found: Statements = []
        for group in _by_line(stmts):
            end = max(stmt.end_lineno or 0 for stmt in group)
            last = group[-1]
            if isinstance(last, ast.ClassDef) and not head and end - begin > _LONG_CLASS:
                found += self._class(lines, begin, last)
            else:
                found += self._statements(head + "\n".join(lines[begin:end]) + "\n", bool(head))
            begin = end
        return found

    def _class(self, lines: list[str], begin: int, stmt: ast.ClassDef) -> Statements:
        """A long class, member by member."""
        first = _begin(stmt.body[0])
        inside = " " * stmt.body[0].col_offset
        if first == stmt.lineno or lines[first - 1][: len(inside)].strip():
            text = "\n".join(lines[begin : stmt.end_lineno]) + "\n"
            return self._statements(text, False)
        text = "\n".join(lines[begin : first - 1]) + f"\n{inside}pass\n"
        *before, head = self._statements(text, False)
        body = self._block(lines, first - 1, stmt.body, _CLASS)
        return [*before, head.with_changes(body=head.body.with_changes(body=body))]

    def _statements(self, text: str, is_member: bool) -> Statements:
        """The statements that a text holds, parsed now or before."""
        known = self._known.get(text)
        if known:
            # Equal statements are different nodes: each tree is used once.
            return self._use(text, known.pop())
        module = cst.parse_module(text)
        parsed: Statements = list(module.body)
        if is_member:
            parsed = list(parsed[0].body.body)
        elif module.header and parsed:
            above = [*module.header, *parsed[0].leading_lines]
            parsed[0] = parsed[0].with_changes(leading_lines=above)
        return self._use(text, parsed)

    def _use(self, text: str, parsed: Statements) -> Statements:
        self._used.setdefault(text, []).append(parsed)
        return parsed


def _by_line(stmts: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Statements, those that share a line together."""
    group: list[ast.stmt] = []
    for stmt in stmts:
        if group and _begin(stmt) > (group[-1].end_lineno or 0):
            yield group
            group = []
        group.append(stmt)
    if group:
        yield group


def _begin(stmt: ast.stmt) -> int:
    """The line on which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(stmt, "decorator_list", [])
    return min([stmt.lineno, *(each.lineno for each in decorators)])
