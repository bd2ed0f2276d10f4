"""Positions, bought only for what is reported.

libcst nodes carry no position: it has to be found by writing the file out again,
which costs more than parsing it did. Python's own tree has the positions of
statements for a tenth of that. So both trees are walked side by side down to the
statements that hold the wanted nodes, and only those are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import libcst as cst
from libcst.metadata.position_provider import PositionProvider, PositionProvidingCodegenState

_LONGEST_SNIPPET = 48
_NO_CHILDREN = frozenset(
    {"lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "semicolon", "dot",
     "equal", "leading_lines", "lines_after_decorators", "header", "footer", "colon"}
)  # fmt: skip
_FIELDS: dict[type, tuple[str, ...]] = {}


class Span(NamedTuple):
    """A stretch of source. Lines count from 1, columns from 0, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


class _Part(NamedTuple):
    """A piece of a file that is written out for the positions in it: a statement or its head.

    Attributes:
        node: what is written out.
        start: the node in it whose place is known ...
        line, column: ... and the place.
        is_elif: an ``if`` that is written ``elif``.
    """

    node: cst.CSTNode
    start: cst.CSTNode
    line: int
    column: int
    is_elif: bool = False


class Spans:
    """Positions and source snippets of some nodes of one module.

    Args:
        module: the syntax tree.
        tree: Python's own, of the same text; None when the running Python cannot read it.
        lines: those of that text.
        wanted: the nodes whose positions will be asked for.
    """

    def __init__(
        self,
        module: cst.Module,
        tree: ast.Module | None,
        lines: Sequence[str],
        wanted: Iterable[object],
    ) -> None:
        self._module = module
        self._lines = lines
        self._snippets: dict[int, str] = {}
        self._wanted = {id(node) for node in wanted}
        self._spans: dict[int, Span] = {id(module): Span(1, 0, 1, 0)}
        if tree is None:
            self._write_all(module)
            return
        for part in self._block(module.body, tree.body):
            self._write(part)

    def of(self, node: object) -> Span:
        """The span of a node, without the whitespace around it."""
        return self._spans.get(id(node), Span(1, 0, 1, 0))

    def snippet(self, node: object) -> str:
        """The node's source on one line, shortened in the middle when long."""
        assert isinstance(node, cst.CSTNode)
        if id(node) not in self._snippets:
            self._snippets[id(node)] = shortened(self._module.code_for_node(node))
        return self._snippets[id(node)]

    # ------------------------------------------------------- statements, in pairs

    def _block(self, body: Sequence[Any], stmts: Sequence[Any]) -> Iterator[_Part]:
        """The parts of a block with wanted nodes in them."""
        position = 0
        for statement in body:
            if position >= len(stmts):
                return
            stmt = stmts[position]
            if isinstance(statement, cst.SimpleStatementLine):
                position += len(statement.body)
                if self._holds(statement):
                    yield _Part(statement, statement.body[0], stmt.lineno, stmt.col_offset)
            else:
                position += 1
                yield from self._compound(statement, stmt)

    def _compound(self, node: Any, stmt: Any, is_elif: bool = False) -> Iterator[_Part]:
        """The parts of one compound statement."""
        if id(node) in self._wanted:
            last = self._lines[stmt.end_lineno - 1].encode()[: stmt.end_col_offset]
            self._spans[id(node)] = Span(
                stmt.lineno, stmt.col_offset, stmt.end_lineno, len(last.decode())
            )
        if type(node) is cst.Match:
            # Python's tree has no position of a case.
            if self._holds(node):
                yield _Part(node, node, stmt.lineno, stmt.col_offset)
            return
        inner = [(node.body, stmt.body)]
        if hasattr(node, "handlers"):
            heads: list[Any] = list(node.handlers)
            for handler, stmt_handler in zip(heads, stmt.handlers, strict=False):
                yield from self._head(handler, stmt_handler, False)
                inner.append((handler.body, stmt_handler.body))
            if node.finalbody is not None:
                inner.append((node.finalbody.body, stmt.finalbody))
        else:
            heads = [node]
            yield from self._head(node, stmt, is_elif)
        orelse = getattr(node, "orelse", None)
        if isinstance(orelse, cst.If):
            yield from self._compound(orelse, stmt.orelse[0], is_elif=True)
        elif orelse is not None:
            inner.append((orelse.body, stmt.orelse))
        for suite, stmts in inner:
            if isinstance(suite, cst.IndentedBlock):
                yield from self._block(suite.body, stmts)
            elif not any(suite is head.body for head in heads) and self._holds(suite):
                # "else: x = 1" on one line: its statements stand where Python says.
                yield _Part(suite, suite.body[0], stmts[0].lineno, stmts[0].col_offset)

    def _head(self, node: Any, stmt: Any, is_elif: bool) -> Iterator[_Part]:
        """The statement without what is indented below it."""
        if isinstance(node.body, cst.IndentedBlock):
            changes: dict[str, Any] = {"body": cst.SimpleStatementSuite([cst.Pass()])}
        else:
            changes = {"body": node.body}
        if getattr(node, "orelse", None) is not None:
            changes["orelse"] = None
        head = node.with_changes(**changes)
        if self._holds(head):
            yield _Part(head, head, stmt.lineno, stmt.col_offset, is_elif)

    def _holds(self, node: Any) -> bool:
        """Whether a wanted node lies in this one."""
        wanted = self._wanted
        waiting: list[Any] = [node]
        while waiting:
            below = waiting.pop()
            if id(below) in wanted:
                return True
            waiting.extend(parts_of(below))
        return False

    # -------------------------------------------------------------- writing out

    def _write_all(self, module: cst.Module) -> None:
        """Write the whole file out: slower, and needs no tree of Python's."""
        provider = PositionProvider()
        module._codegen(
            PositionProvidingCodegenState(
                default_indent=module.default_indent,
                default_newline=module.default_newline,
                provider=provider,
            )
        )
        places: dict[cst.CSTNode, Any] = dict(provider._computed)
        for node, place in places.items():
            if id(node) in self._wanted:
                start, end = place.start, place.end
                self._spans[id(node)] = Span(start.line, start.column, end.line, end.column)

    def _write(self, part: _Part) -> None:
        provider = PositionProvider()
        state = PositionProvidingCodegenState(
            default_indent=self._module.default_indent,
            default_newline=self._module.default_newline,
            provider=provider,
        )
        state.increase_indent(" " * part.column)
        options = {"is_elif": True} if part.is_elif else {}
        part.node._codegen(state, **options)
        places: dict[cst.CSTNode, Any] = dict(provider._computed)
        first = places[part.start].start
        down, right = part.line - first.line, part.column - first.column
        for node, place in places.items():
            if id(node) not in self._wanted or id(node) in self._spans:
                continue
            start, end = place.start, place.end
            self._spans[id(node)] = Span(
                start.line + down,
                start.column + (right if start.line == first.line else 0),
                end.line + down,
                end.column + (right if end.line == first.line else 0),
            )


def parts_of(node: Any) -> list[cst.CSTNode]:
    """The syntax directly below a node; whitespace and punctuation left out."""
    found: list[cst.CSTNode] = []
    for name in _FIELDS.get(type(node)) or _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            found.append(value)
        elif type(value) in (tuple, list):
            found.extend(value)
    return found


def shortened(text: str) -> str:
    """Source on one line, shortened in the middle when long."""
    text = " ".join(text.split())
    if len(text) <= _LONGEST_SNIPPET:
        return text
    half = (_LONGEST_SNIPPET - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def _fields(kind: type) -> tuple[str, ...]:
    names: dict[str, Any] = getattr(kind, "__dataclass_fields__", {})
    left_out = _NO_CHILDREN | {"__slots__"}
    found = tuple(name for name in names if "whitespace" not in name and name not in left_out)
    _FIELDS[kind] = found
    return found
