"""A file as one who mends it sees it: what may be written instead of what stands there.

A fix is a few edits, and what lies between them stays as its author wrote it, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import Event
from jaxlint.fixes.imports import Importing
from jaxlint.fixes.layout import Statement
from jaxlint.fixes.names import Names
from jaxlint.knowledge.jax_api import PACKAGE
from jaxlint.program import nodes as n
from jaxlint.project import Releases
from jaxlint.source import Source


class Code(Names):
    """A file, for those who mend it.

    Args:
        source: the file.
        tree: its syntax.
        program: what that was lowered to.
        releases_of: gives those of a package that the project allows.
    """

    def __init__(
        self,
        source: Source,
        tree: cst.Module,
        program: n.Module,
        releases_of: Callable[[str], Releases],
    ) -> None:
        super().__init__(source, tree, program)
        self.releases_of = releases_of

    @cached_property
    def releases(self) -> Releases:
        """The releases of JAX that the project allows: a fix must hold on all of them."""
        return self.releases_of(PACKAGE)

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

    def insert_ahead(self, statement: cst.CSTNode, new: str) -> Edit | None:
        """One new statement that runs each time before another one does.

        None where there is no place for it: the test of an ``elif`` or a ``while``.
        """
        line = self.parent(statement)
        if isinstance(statement, (cst.While, cst.FunctionDef, cst.ClassDef)):
            return None
        if isinstance(line, cst.If) and line.orelse is statement:
            return None
        leads = isinstance(line, cst.SimpleStatementLine) and line.body[0] is statement
        if leads or isinstance(statement, cst.BaseCompoundStatement):
            return self.insert_before(statement, new)
        row, column, *_ = self.span(statement)
        return Edit(row, column, row, column, f"{new}; ")

    def insert_after(self, statement: cst.CSTNode, lines: str) -> Edit:
        """New statements in the lines after a statement that has its line for itself."""
        _, _, line, _ = self.span(statement)
        width = len(self._lines[line - 1])
        indent = self.indent(statement)
        new = "".join(f"\n{indent}{each}" for each in lines.split("\n"))
        return Edit(line, width, line, width, new)

    def insert_above(self, statement: cst.CSTNode, lines: str) -> Edit:
        """New lines before a statement that has its own, and before the comments on top of it."""
        line, column = self._first_place(statement)
        indent = self._lines[line - 1][:column]
        while line > 1 and self._lines[line - 2].startswith(f"{indent}#"):
            line -= 1
        new = (f"{indent}{each}\n" if each else "\n" for each in lines.split("\n"))
        return Edit(line, 0, line, 0, "".join(new))

    def is_spaced(self, statement: cst.CSTNode) -> bool:
        """Whether what is inserted above a statement has a blank line, or a head, above it."""
        above = self._lines[self.insert_above(statement, "").line - 2].strip()
        return not above or above.endswith(":")

    def taken_out(self, statement: Statement) -> tuple[str, Edit] | None:
        """The lines of a statement as they would be at the margin, and the edit without them.

        None where other code is on them, and for the only statement of a block.
        """
        simple = isinstance(statement, cst.BaseSmallStatement)
        home = self.parent(statement) if simple else statement
        block = self.parent(home) if home is not None else None
        if not self.stands_alone(statement) or len(getattr(block, "body", ())) < 2:
            return None
        first, column = self._first_place(statement)
        *_, last, _ = self.span(statement)
        indent = self._lines[first - 1][:column]
        text = "\n".join(each.removeprefix(indent) for each in self._lines[first - 1 : last])
        while isinstance(statement, cst.FunctionDef) and not self._lines[first - 2].strip():
            first -= 1
        if last == len(self._lines):
            return None
        leads = self._lines[first - 2].rstrip().endswith(":")
        while leads and not self._lines[last].strip():
            last += 1
        return text, Edit(first, 0, last + 1, 0, "")

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

    @cached_property
    def _importing(self) -> Importing:
        return Importing(self._tree, self._bindings, self.span)

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
