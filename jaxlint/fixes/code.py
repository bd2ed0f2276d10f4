"""A file as one who mends it sees it: which syntax stands where, and what may be written instead.

Everything is asked of the syntax tree, everything is said in text: a fix is a few edits, and
what lies between them stays as its author wrote it, byte for byte.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import TypeAlias, TypeVar

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import Event, Site
from jaxlint.fixes.bindings import Bindings
from jaxlint.fixes.imports import Importing
from jaxlint.program import nodes as n
from jaxlint.project import Releases
from jaxlint.source import Source
from jaxlint.syntax.spans import Span, Spans, parts_of

NodeT = TypeVar("NodeT", bound=cst.CSTNode)
Statement: TypeAlias = cst.BaseSmallStatement | cst.BaseCompoundStatement

_ATOMS = (
    cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float, cst.Imaginary,
    cst.SimpleString, cst.FormattedString, cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp,
    cst.SetComp, cst.Ellipsis,
)  # fmt: skip
"""Expressions that bind as tightly as anything: they need no parentheses anywhere."""


_NEED_PARENTHESES = (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)
"""Expressions whose parentheses are part of what they say."""


class Code:
    """A file, for those who mend it.

    Args:
        source: the file.
        tree: its syntax.
        program: what that was lowered to.
        releases: gives those of JAX that the project allows.
    """

    def __init__(
        self, source: Source, tree: cst.Module, program: n.Module, releases: Callable[[], Releases]
    ) -> None:
        self.source = source
        self._releases = releases
        self._tree = tree
        self._program = program
        self._lines = source.text.split("\n")
        self._spans: dict[int, Spans] = {}

    @cached_property
    def releases(self) -> Releases:
        """The releases of JAX that the project allows: a fix must hold on all of them."""
        return self._releases()

    # ------------------------------------------------------------------ what stands there

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

    def binds(self, name: cst.Name) -> bool:
        """Whether the innermost function around a name (or the module) has it for its own.

        Assigning to a name of an outer function would make another variable of it.
        """
        scope = next(each for each in self._scopes_at(name) if each.kind in ("function", "module"))
        return name.value in scope.bound and name.value not in scope.outer

    def is_read_after(self, name: str, statement: cst.CSTNode) -> bool:
        """Whether anything in the function around a statement reads a name once that has run.

        A loop comes back to what stands above the statement, a function may be called at any time;
        what a module binds is there for everybody.
        """
        home = self.enclosing(statement, cst.FunctionDef)
        if home is None:
            return True
        inside = list(takewhile(lambda each: each is not home, self.around(statement)))
        looping = [each for each in inside if isinstance(each, (cst.For, cst.While))]
        again = looping[-1] if looping else None
        end = self.span(statement)[2:]
        for each in self.names_in(home):
            if each.value != name or not self._reads(each):
                continue
            above = list(takewhile(lambda one: one is not home, self.around(each)))
            called = any(isinstance(one, (cst.FunctionDef, cst.Lambda)) for one in above)
            if called or again in above or self.span(each)[:2] >= end:
                return True
        return False

    def is_bound_before(self, name: str, statement: cst.CSTNode) -> bool:
        """Whether a variable of the function around a statement has a value by then, by its place.

        A loop that runs no time, or a branch, may still have left it out.
        """
        home = self.enclosing(statement, cst.FunctionDef)
        if home is not None and name in {each.name.value for each in _parameters(home)}:
            return True
        start = self.span(statement)[:2]
        return any(
            each.value == name and not self._reads(each) and self.span(each)[:2] < start
            for each in self.names_in(home.body if home is not None else self._tree)
            if self.enclosing(each, cst.FunctionDef) is home
        )

    def is_bound_between(self, name: str, first: cst.CSTNode, last: cst.CSTNode) -> bool:
        """Whether a variable gets a value anywhere between two places of the same function."""
        home = self.enclosing(last, cst.FunctionDef)
        start, end = self.span(first)[2:], self.span(last)[:2]
        return any(
            each.value == name and not self._reads(each) and start <= self.span(each)[:2] < end
            for each in self.names_in(home.body if home is not None else self._tree)
        )

    def qualified(self, node: cst.CSTNode) -> str:
        """The full dotted name of something that a file imports at its top; else empty."""
        scopes = self._scopes_at(node)
        if isinstance(node, cst.Attribute):
            package = self.qualified(node.value)
            return f"{package}.{node.attr.value}" if package else ""
        if not isinstance(node, cst.Name) or any(node.value in each.bound for each in scopes[:-1]):
            return ""
        return self._bindings.imports_at_the_top(node.value)

    def value_of(self, name: cst.Name) -> cst.BaseExpression | None:
        """What a local variable was assigned, where one simple assignment alone binds it."""
        home = self.enclosing(name, cst.FunctionDef)
        if home is None or name.value in {each.name.value for each in _parameters(home)}:
            return None
        found = [
            each
            for each in self.names_in(home.body)
            if each.value == name.value and each is not name and not self._reads(each)
        ]
        target = self.parent(found[0]) if len(found) == 1 else None
        if not isinstance(target, cst.AssignTarget) or target.target is not found[0]:
            return None
        assign = self.parent(target)
        return assign.value if isinstance(assign, cst.Assign) else None

    def is_only_traced(self, event: Event) -> bool:
        """Whether the code at an event runs under its transform alone, which is a decorator there.

        Other code may call a function that is traced elsewhere on its own, with Python numbers.
        """
        tracing, node = event.context.tracing, self.node(event.site)
        made = self.node(tracing.site) if tracing is not None else None
        if node is None or made is None:
            return False
        return any(
            made is each or made is each.decorator
            for around in self.around(node)
            if isinstance(around, cst.FunctionDef)
            for each in around.decorators
        )

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

    # ------------------------------------------------------------------ what to write instead

    def replace(self, node: cst.CSTNode, text: str) -> Edit:
        """Another text for a node; the parentheses around it stay."""
        return Edit(*self.span(node), text)

    def replace_whole(self, node: cst.CSTNode, text: str) -> Edit:
        """Another text for a node and the parentheses around it: a call needs none."""
        line, column, end_line, end_column = self.whole(node)
        before = self._lines[line - 1][:column][-1:]
        after = self._lines[end_line - 1][end_column : end_column + 1]
        text = f" {text}" if before.isalnum() else text
        return Edit(line, column, end_line, end_column, f"{text} " if after.isalnum() else text)

    def insert_before(self, statement: cst.CSTNode, lines: str) -> Edit:
        """New statements, at the indentation of a statement that has its line for itself."""
        line, column = self._first_place(statement)
        indent = self._lines[line - 1][:column]
        return Edit(line, column, line, column, lines.replace("\n", f"\n{indent}") + f"\n{indent}")

    def insert_after(self, statement: cst.CSTNode, lines: str) -> Edit:
        """New statements in the lines after a statement that has its line for itself."""
        _, _, line, _ = self.span(statement)
        width = len(self._lines[line - 1])
        indent = self.indent(statement)
        new = "".join(f"\n{indent}{each}" for each in lines.split("\n"))
        return Edit(line, width, line, width, new)

    def uses(self, binding: cst.CSTNode, name: str) -> list[cst.Name]:
        """Where a name is read that an import binds, in its namespace and in those inside it."""
        scope = self._scopes_at(binding)[0]
        found: list[cst.Name] = []
        for node in self._bindings.reads.get(name, ()):
            origin = node.origin
            assert isinstance(origin, cst.Name)
            scopes = self._scopes_at(origin)
            owner = next((each for each in scopes if name in each.bound), None)
            if owner is scope:
                found.append(origin)
        return found

    def is_imported(self, node: cst.CSTNode, name: str) -> bool:
        """Whether ``module.name`` stands there and the file imports just that module."""
        module = name.rpartition(".")[0]
        return isinstance(node, cst.Attribute) and module in {
            self._bindings.imports_at_the_top(root.value)
            for root in [node.value]
            if isinstance(root, cst.Name)
        }

    def is_exported(self, binding: cst.CSTNode, name: str) -> bool:
        """Whether other modules may read a name of this one: ``__all__`` or ``__init__.py``."""
        if self._scopes_at(binding)[0].kind != "module":
            return False
        return "__all__" in self._bindings.module.bound or self.source.filename.endswith(
            "__init__.py"
        )

    def text_of_argument(self, argument: cst.Arg) -> str:
        """An argument as it is written, keyword and stars included."""
        keyword = f"{argument.keyword.value}=" if argument.keyword is not None else argument.star
        return keyword + self.text(argument.value)

    def delete(self, statement: cst.CSTNode) -> Edit | None:
        """Nothing in place of a statement and of its lines; None when other code is on them.

        The only statement of a block leaves ``pass`` behind.
        """
        if not self.stands_alone(statement):
            return None
        line = self.parent(statement)
        block = self.parent(line) if line is not None else None
        if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
            return self.replace(statement, "pass")
        first, _, last, end = self.span(statement)
        if self._lines[last - 1][end:].strip():
            return None  # A comment, which may speak of more than this.
        if last < len(self._lines):
            return Edit(first, 0, last + 1, 0, "")
        return Edit(first, 0, last, len(self._lines[last - 1]), "")

    def insert_at(self, node: cst.CSTNode, text: str) -> Edit:
        """Text in front of a node and its parentheses."""
        line, column, *_ = self.whole(node)
        return Edit(line, column, line, column, text)

    def rename_keyword(self, argument: cst.Arg, name: str) -> Edit:
        """Another keyword for an argument; none when the name is empty."""
        assert argument.keyword is not None
        if name:
            return self.replace(argument.keyword, name)
        line, column, *_ = self.span(argument.keyword)
        end_line, end_column, *_ = self.whole(argument.value)
        return Edit(line, column, end_line, end_column, "")

    def without_item(self, items: Sequence[cst.CSTNode], item: cst.CSTNode) -> Edit | None:
        """Takes one item out of several with commas between; None when a comment would go too."""
        place = next(at for at, each in enumerate(items) if each is item)
        if place + 1 < len(items):
            start, end = self.span(item)[:2], self.span(items[place + 1])[:2]
        else:
            start, end = self.span(items[place - 1])[2:], self.span(item)[2:]
        return None if "#" in self._between(*start, *end) else Edit(*start, *end, "")

    def name(self, qualified: str, at: cst.CSTNode) -> tuple[str, list[Edit]] | None:
        """How a name of a library is written at a node, and the imports that this needs.

        What the file calls it already is taken (``jnp``, ``from jax import numpy``); else an
        import is added in the usual form. None where every name for it means something else.

        Args:
            qualified: the full dotted name, such as ``jax.numpy.where``.
            at: the node that it is for: names bound in the functions around it count.
        """
        scopes = self._scopes_at(at)
        known = self._bindings.name_of(qualified, scopes, self._is_bound_before(at))
        if known is not None:
            return known, []
        return self._importing.name_of(qualified, scopes)

    def fix(self, title: str, *edits: Edit | None, safe: bool) -> Fix | None:
        """A fix with places as findings have them; None when an edit cannot be made.

        What stands in lines of a notebook that are no Python as they are written (magics) cannot.
        """
        placed = [self._placed(edit) for edit in edits if edit is not None]
        given = [edit for edit in placed if edit is not None]
        if not given or len(given) < len(edits):
            return None
        return Fix(title, tuple(given), safe)

    # ------------------------------------------------------------------------------------

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
        top = next(
            (each for each in self.around(node) if isinstance(self.parent(each), cst.Module)), node
        )
        if id(top) not in self._spans:
            self._spans[id(top)] = self._spans_of(top)
        return self._spans[id(top)]

    def _spans_of(self, top: cst.CSTNode) -> Spans:
        """Places of everything in one statement of the module."""
        tree, stmts = self.source.tree_if_any, []
        position = 0
        for each in self._tree.body:
            count = len(each.body) if isinstance(each, cst.SimpleStatementLine) else 1
            if each is top and tree is not None:
                stmts = tree.body[position : position + count]
            position += count
        alone = self._tree.with_changes(body=[top], header=())
        wanted: list[cst.CSTNode] = [top]
        for node in wanted:
            wanted.extend(parts_of(node))
            if isinstance(node, cst.BaseExpression):
                wanted += [*node.lpar, *node.rpar]
        if tree is None:
            return Spans(self._tree, None, self.source.text, wanted)
        return Spans(alone, ast.Module(stmts, []), self.source.text, wanted)

    def _first_place(self, statement: cst.CSTNode) -> tuple[int, int]:
        """Where a statement begins: of a decorated definition, at its first decorator."""
        if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) and statement.decorators:
            line, column, _, _ = self.span(statement.decorators[0])
            return line, column
        line, column, _, _ = self.span(statement)
        return line, column

    @cached_property
    def _bindings(self) -> Bindings:
        return Bindings(self._program)

    @cached_property
    def _importing(self) -> Importing:
        return Importing(self._tree, self._bindings, self.span)

    def _scopes_at(self, node: cst.CSTNode) -> list[n.Scope]:
        """The namespaces that a name at a node is looked up in, from the inside out."""
        found: list[n.Scope] = []
        below = node
        for each in self.around(node):
            scope = self._bindings.scopes.get(id(each))
            # Decorators, defaults and bases of a definition belong to what is around it.
            inside = isinstance(each, cst.Module) or below is getattr(each, "body", below)
            if scope is not None and inside and not (found and scope.kind == "class"):
                found.append(scope)
            below = each
        return found

    def _is_bound_before(self, at: cst.CSTNode) -> Bindings.Before:
        """Whether an import has run by the time that a node does."""
        line = self.span(at).line
        inside = any(isinstance(each, (cst.FunctionDef, cst.Lambda)) for each in self.around(at))

        def before(origin: object, scope: n.Scope) -> bool:
            assert isinstance(origin, cst.CSTNode)
            if scope.kind == "module" and inside:
                return True
            return self.span(origin).line < line

        return before

    def _placed(self, edit: Edit) -> Edit | None:
        cell, line, column = self.source.at(edit.line, edit.column)
        end_cell, end_line, end_column = self.source.at(edit.end_line, edit.end_column)
        numbers = range(edit.line, edit.end_line + 1)
        for number in numbers:
            of_cell, of_line, _ = self.source.at(number, 0)
            written = self.source.original(of_cell, of_line)
            if of_cell != cell or written != self.source.line(number):
                return None
        if end_cell != cell:
            return None
        return Edit(line, column, end_line, end_column, edit.text, cell)


def _parameters(function: cst.FunctionDef) -> Iterator[cst.Param]:
    """All parameters of a function."""
    given = function.params
    yield from (*given.posonly_params, *given.params, *given.kwonly_params)
    for star in (given.star_arg, given.star_kwarg):
        if isinstance(star, cst.Param):
            yield star
