"""How deep a syntax tree will be, asked before libcst builds it.

libcst's parser is native code that nests what is chained: ``a or b or c``, ``a.b.c`` and
``import a.b.c`` become as many levels as they have parts. Past some thousands of levels the
stack is used up, which ends the process, and from a thousand on the time for some chains
grows with the cube of their length. Python's own tree is there first and tells.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxlint.cells import lines_inside
from jaxlint.source import Source, SourceError

DEEPEST = 1000
"""Levels of a tree that libcst is asked to build."""

_SHORTEST_LEVEL = 2
"""Characters that one more level takes: a dot and a name."""


def refuse_what_is_too_deep(source: Source) -> None:
    """Make sure that libcst can build the tree.

    Raises:
        jaxlint.source.SourceError: it is not Python, or is nested too deeply.
    """
    for statement in _long_statements(source):
        line = _too_deep(statement)
        if line:
            cell, line, column = source.at(line, 0)
            reason = f"libcst cannot read this: more than {DEEPEST} parts in one expression"
            raise SourceError(source.filename, line, column, reason, cell)


def is_tame(text: str) -> bool:
    """Whether a text that Python has not read can do no harm: all that nests is rare enough."""
    return max(map(len, map(_NESTS.findall, _lines_joined(text))), default=0) <= DEEPEST


_NESTS = re.compile(r"\b(?:and|or|not|if|else|lambda|await)\b|[-+*/%@&|^~.(\[{'\"]|^[ \t]+")


def _lines_joined(text: str) -> Iterator[str]:
    """Lines, those that begin inside brackets or a string together with the one before."""
    inside = lines_inside(text)
    joined: list[str] = []
    for number, line in enumerate(text.split("\n")):
        if number not in inside and joined:
            yield "\n".join(joined)
            joined = []
        joined.append(line)
    yield "\n".join(joined)


def _long_statements(source: Source) -> Iterator[ast.AST]:
    """Parts of statements, without the blocks in them, that have room for so many levels."""
    begins = [0]
    for line in source.text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    waiting: list[ast.AST] = [*source.tree.body]
    while waiting:
        node = waiting.pop()
        for part in ast.iter_child_nodes(node):
            if isinstance(part, _BLOCKS):
                waiting.append(part)
        begin, end = _lines(node, len(begins) - 1)
        if begins[end] - begins[begin - 1] > DEEPEST * _SHORTEST_LEVEL:
            yield node


def _lines(node: ast.AST, last: int) -> tuple[int, int]:
    """First and last line; all of the file when Python does not say."""
    begin, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or last
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([begin, *(each.lineno for each in decorators)]), end


_BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)


def _too_deep(statement: ast.AST) -> int:
    """The line on which a statement goes too deep, blocks in it aside; 0 when it does not."""
    waiting = [(statement, _levels(statement))]
    line = getattr(statement, "lineno", 1)
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            return getattr(node, "lineno", line)
        for part in ast.iter_child_nodes(node):
            if not isinstance(part, _BLOCKS):
                waiting.append((part, depth + _levels(part)))
    return 0


def _levels(node: ast.AST) -> int:
    """Levels that libcst makes of one node of Python's tree."""
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, ast.alias):
        return node.name.count(".") + 1
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").count(".") + 1
    return 1
