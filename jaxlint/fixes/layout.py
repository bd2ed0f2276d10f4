"""A file by its syntax: which node stands where, in which text.

Everything is asked of the syntax tree, everything is said in text.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

import libcst as cst

from jaxlint.events import Site
from jaxlint.source import Source
from jaxlint.syntax.spans import Span, Spans, parts_of

NodeT = TypeVar("NodeT", bound=cst.CSTNode)
AnswerT = TypeVar("AnswerT")
Statement: TypeAlias = cst.BaseSmallStatement | cst.BaseCompoundStatement

_ATOMS = (
    cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float, cst.Imaginary,
    cst.SimpleString, cst.FormattedString, cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp,
    cst.SetComp, cst.Ellipsis,
)  # fmt: skip
"""Expressions that bind as tightly as anything: they need no parentheses anywhere."""

_NEED_PARENTHESES = (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)
"""Expressions whose parentheses are part of what they say."""


class Mentions(NamedTuple):
    """Where a name is written in some syntax, whatever it means there.

    Attributes:
        written: all places, in no order.
        bound: those that bind it, or delete it.
    """

    written: list[cst.Name]
    bound: list[cst.Name]


_NOWHERE = Mentions([], [])


class Layout:
    """Where everything in a file stands, and what is written there.

    Args:
        source: the file.
        tree: its syntax.
    """

    def __init__(self, source: Source, tree: cst.Module) -> None:
        self.source = source
        self._tree = tree
        self._lines = source.text.split("\n")
        self._spans: dict[int, Spans] = {}
        self._answers: dict[Hashable, Any] = {}

    def once(self, ask: Callable[..., AnswerT], node: cst.CSTNode, *more: Hashable) -> AnswerT:
        """The answer to a question about some syntax, which is asked once of each.

        A loop that holds a thousand findings is walked once, not for each of them.
        """
        key = (ask, id(node), *more)
        if key not in self._answers:
            self._answers[key] = ask(node, *more)
        answer: AnswerT = self._answers[key]
        return answer

    def node(self, site: Site | None) -> cst.CSTNode | None:
        """The syntax at a site of this file; None for one in another module."""
        return site.origin if site is not None and isinstance(site.origin, cst.CSTNode) else None

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The syntax directly around a node; None for the module."""
        return self._parents.get(id(node))

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The syntax around a node, from the inside out; the node itself comes first."""
        at: cst.CSTNode | None = node
        while at is not None:
            yield at
            at = self.parent(at)

    def enclosing(self, node: cst.CSTNode, kind: type[NodeT]) -> NodeT | None:
        """The innermost syntax of a kind at a node; None when there is none."""
        return next((each for each in self.around(node) if isinstance(each, kind)), None)

    def statement(self, node: cst.CSTNode) -> Statement:
        """The innermost statement that a node is in, or is."""
        return next(each for each in self.around(node) if isinstance(each, Statement))

    def statement_at(self, site: Site | None) -> Statement | None:
        """The innermost statement at a site of this file; None for one in another module."""
        node = self.node(site)
        return None if node is None else self.statement(node)

    def stands_alone(self, statement: cst.CSTNode) -> bool:
        """Whether a statement has its lines for itself: no ``;``, no ``if x: statement``."""
        line = self.parent(statement)
        if isinstance(statement, cst.BaseCompoundStatement):
            return True
        return isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without the whitespace and the parentheses around it."""
        return self._spans_around(node).of(node)

    def whole(self, node: cst.CSTNode) -> Span:
        """Where a node stands, with the parentheses around it."""
        line, column, end_line, end_column = self.span(node)
        if isinstance(node, cst.BaseExpression) and node.lpar:
            line, column, *_ = self._spans_around(node).of(node.lpar[0])
            *_, end_line, end_column = self._spans_around(node).of(node.rpar[-1])
        return Span(line, column, end_line, end_column)

    def text(self, node: cst.CSTNode) -> str:
        """What is written there: parentheses, comments and line ends included."""
        return self._between(*self.whole(node))

    def operand(self, node: cst.BaseExpression) -> str:
        """What is written there, in parentheses where an operator beside it would take part of it.

        What goes over several lines is in parentheses too.
        """
        text = self.text(node)
        if node.lpar or (isinstance(node, _ATOMS) and "\n" not in text):
            return text
        return f"({text})"

    def argument(self, node: cst.BaseExpression) -> str:
        """What is written there, as an argument of a call: without parentheses that say nothing."""
        text = self.text(node)
        if len(node.lpar) == 1 and not isinstance(node, _NEED_PARENTHESES):
            return text[1:-1].strip() if "\n" not in text else text[1:-1]
        return text

    def bare(self, node: cst.CSTNode) -> str:
        """What is written there, without the parentheses around it."""
        return self._between(*self.span(node))

    def in_parentheses_of(self, node: cst.BaseExpression, text: str) -> str:
        """Another text in the parentheses that are around a node, if there are any."""
        first, last = self.whole(node), self.span(node)
        before = self._between(*first[:2], *last[:2])
        return f"{before}{text}{self._between(*last[2:], *first[2:])}"

    def between(self, left: cst.CSTNode, right: cst.CSTNode) -> str:
        """What is written between two nodes, the first of which ends before the other begins."""
        *_, line, column = self.whole(left)
        end_line, end_column, *_ = self.whole(right)
        return self._between(line, column, end_line, end_column)

    def brackets(self, node: cst.Subscript) -> str:
        """The brackets of a subscript, with what is in them."""
        *_, line, column = self.whole(node.value)
        *_, end_line, end_column = self.span(node)
        return self._between(line, column, end_line, end_column).lstrip()

    def indent(self, node: cst.CSTNode) -> str:
        """The blanks in front of the statement that a node is in."""
        line = self._lines[self.span(self.statement(node)).line - 1]
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    def has_comment(self, node: cst.CSTNode) -> bool:
        """Whether a comment stands inside of a node: rewriting all of it would lose that."""
        return bool(self.comments(node))

    def comments(self, node: cst.CSTNode) -> list[cst.Comment]:
        """The comments inside of a node, in no order."""
        found: list[cst.Comment] = []
        if isinstance(node, cst.BaseExpression) and "#" not in self.text(node):
            return found
        waiting: list[cst.CSTNode] = [node]
        while waiting:
            below = waiting.pop()
            if isinstance(below, cst.Comment):
                found.append(below)
            waiting.extend(below.children)
        return found

    def names_in(self, node: cst.CSTNode) -> Iterator[cst.Name]:
        """The names written in some syntax, in no order."""
        waiting = [node]
        while waiting:
            below = waiting.pop()
            if isinstance(below, cst.Name):
                yield below
            else:
                waiting.extend(parts_of(below))

    def mentions(self, name: str, within: cst.CSTNode) -> Mentions:
        """The places in a function, a body or the module where a name is written."""
        return self.once(self._mentions_in, within).get(name, _NOWHERE)

    def _mentions_in(self, node: cst.CSTNode) -> dict[str, Mentions]:
        found: dict[str, Mentions] = {}
        for each in self.names_in(node):
            places = found.setdefault(each.value, Mentions([], []))
            places.written.append(each)
            if not self._reads(each):
                places.bound.append(each)
        return found

    def body_around(self, node: cst.CSTNode) -> cst.FunctionDef | cst.Module | None:
        """The function whose body evaluates a node each time that it runs, or the module.

        None for what stands in a lambda, a comprehension or a class.
        """
        below = node
        for each in itertools.islice(self.around(node), 1, None):
            if isinstance(each, (cst.Lambda, cst.BaseComp, cst.ClassDef)):
                return None
            if isinstance(each, cst.FunctionDef):
                return each if below is each.body else None
            if isinstance(each, cst.Module):
                return each
            below = each
        return None

    def previous(self, statement: cst.CSTNode) -> cst.CSTNode | None:
        """The statement before one in its block; None for the first."""
        line = self.parent(statement)
        block: Sequence[cst.CSTNode] = getattr(line, "body", ())
        if isinstance(statement, cst.BaseSmallStatement) and statement is block[0]:
            assert line is not None
            return self.previous(line) if isinstance(line, cst.SimpleStatementLine) else None
        position = self._position(statement)
        if position == 0:
            return None
        before = block[position - 1]
        return before.body[-1] if isinstance(before, cst.SimpleStatementLine) else before

    def following(self, statement: cst.CSTNode) -> cst.CSTNode | None:
        """The statement, or line of statements, after one in its block; None for the last."""
        block: Sequence[cst.CSTNode] = getattr(self.parent(statement), "body", ())
        return next(iter(block[self._position(statement) + 1 :][:1]), None)

    def precedes(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether two statements are one, or in one block, in which the first comes before."""
        (block, *place), (other, *later) = self._order(first), self._order(second)
        return block is other and place <= later

    def _order(self, statement: cst.CSTNode) -> tuple[cst.CSTNode | None, int, int]:
        """The block that a statement is in, and where in it."""
        line = self.parent(statement)
        if isinstance(line, cst.SimpleStatementLine):
            return self.parent(line), self._position(line), self._position(statement)
        return line, self._position(statement), 0

    def _position(self, statement: cst.CSTNode) -> int:
        """The number of a statement among those beside it."""
        around = self.parent(statement)
        return self.once(_positions, around).get(id(statement), 0) if around is not None else 0

    def text_of_argument(self, argument: cst.Arg) -> str:
        """An argument as it is written, keyword and stars included."""
        keyword = f"{argument.keyword.value}=" if argument.keyword is not None else argument.star
        return keyword + self.text(argument.value)

    @cached_property
    def _parents(self) -> dict[int, cst.CSTNode]:
        above: dict[int, cst.CSTNode] = {}
        waiting: list[cst.CSTNode] = [self._tree]
        while waiting:
            node = waiting.pop()
            for part in parts_of(node):
                above[id(part)] = node
                waiting.append(part)
        return above

    def _reads(self, name: cst.Name) -> bool:
        """Whether a name that is written somewhere is read there, not bound."""
        match self.parent(name):
            case cst.Attribute(attr=part) | cst.Arg(keyword=part) if part is name:
                return False
            case cst.For(target=part) | cst.CompFor(target=part) if part is name:
                return False
            case cst.NamedExpr(target=part) if part is name:
                return False
            case cst.FunctionDef(name=part) | cst.ClassDef(name=part) if part is name:
                return False
            case cst.Param(name=part) if part is name:
                return False
            case cst.AssignTarget() | cst.NameItem() | cst.ImportAlias() | cst.AsName() | cst.Del():
                return False
            case cst.Element() as element:
                return not self._is_target(element)
        return True

    def _is_target(self, element: cst.Element) -> bool:
        """Whether an element belongs to a tuple or list that is assigned to."""
        display = self.parent(element)
        around = self.parent(display) if display is not None else None
        if isinstance(around, cst.Element):
            return self._is_target(around)
        if isinstance(around, (cst.For, cst.CompFor)):
            return around.target is display
        return isinstance(around, (cst.AssignTarget, cst.AsName))

    def _between(self, line: int, column: int, end_line: int, end_column: int) -> str:
        lines = self._lines[line - 1 : end_line]
        lines[-1] = lines[-1][:end_column]
        lines[0] = lines[0][column:]
        return "\n".join(lines)

    def _spans_around(self, node: cst.CSTNode) -> Spans:
        """Places in the statement of the module that a node is in."""
        if id(node) not in self._spans:
            ways = (each for each in self.around(node) if self.parent(each) is self._tree)
            top = next(ways, node) if self.source.tree_if_any is not None else self._tree
            if id(top) not in self._spans:
                self._find_spans(top)
            self._spans.setdefault(id(node), self._spans[id(top)])
        return self._spans[id(node)]

    def _find_spans(self, top: cst.CSTNode) -> None:
        """Find the places of everything in one statement of the module, or in the module."""
        wanted: list[cst.CSTNode] = [top]
        for node in wanted:
            wanted.extend(parts_of(node))
            if isinstance(node, cst.BaseExpression):
                wanted += [*node.lpar, *node.rpar]
        if self.source.tree_if_any is None:
            spans = Spans(self._tree, None, self._lines, wanted)
        else:
            plain, alone = (
                self._plain.get(id(top), []),
                self._tree.with_changes(body=[top], header=()),
            )
            spans = Spans(alone, ast.Module(plain, []), self._lines, wanted)
        for node in wanted:
            self._spans[id(node)] = spans

    @cached_property
    def _plain(self) -> dict[int, list[ast.stmt]]:
        """What Python's own tree has for each statement of the module, or line of them."""
        tree = self.source.tree_if_any
        every = iter(tree.body if tree is not None else ())
        counts = {
            id(each): len(each.body) if isinstance(each, cst.SimpleStatementLine) else 1
            for each in self._tree.body
        }
        return {key: [*itertools.islice(every, count)] for key, count in counts.items()}

    def _first_place(self, statement: cst.CSTNode) -> tuple[int, int]:
        """Where a statement begins: of a decorated definition, at its first decorator."""
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and statement.decorators:
            line, column, _, _ = self.span(statement.decorators[0])
            return line, column
        line, column, _, _ = self.span(statement)
        return line, column


def _positions(block: cst.CSTNode) -> dict[int, int]:
    """The numbers of the statements of a block."""
    return {id(each): number for number, each in enumerate(getattr(block, "body", ()))}
