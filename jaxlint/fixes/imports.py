"""Imports that a fix adds: in the form that everybody uses, where the file has the others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.bindings import Bindings, reaches
from jaxlint.program import nodes as n
from jaxlint.syntax.spans import Span


class _Form(NamedTuple):
    """An import statement, and what it calls a package."""

    statement: str
    name: str


_USUAL = {
    "jax": _Form("import jax", "jax"),
    "jax.numpy": _Form("import jax.numpy as jnp", "jnp"),
    "numpy": _Form("import numpy as np", "np"),
    "functools": _Form("import functools", "functools"),
}
"""How packages are usually imported; everything else comes by its own name from its module."""

_FROM_ITS_MODULE = frozenset({"functools.partial"})
"""What people import by name although its package has a usual form."""


class Importing:
    """Adds imports to a file.

    Args:
        tree: its syntax.
        bindings: the names that it has.
        span: where a statement of it stands.
    """

    def __init__(
        self, tree: cst.Module, bindings: Bindings, span: Callable[[cst.CSTNode], Span]
    ) -> None:
        self._tree = tree
        self._bindings = bindings
        self._span = span

    def name_of(self, qualified: str, scopes: Sequence[n.Scope]) -> tuple[str, list[Edit]] | None:
        """What something is called after an import, and that import; None: no name is free."""
        for package, form in _forms(qualified):
            if self._bindings.is_free(form.name, scopes):
                return form.name + qualified[len(package) :], [self._adding(form.statement)]
        return None

    def _adding(self, statement: str) -> Edit:
        """The statement among the imports at the top of the file, where sorting would put it."""
        key = _key(statement)
        block = [(_key(_written(each)), each) for each in self._block()]
        alike = [each for (section, _), each in block if section == key[0]]
        before = [each for other, each in block if other[0] == key[0] and other <= key]
        earlier = [each for (section, _), each in block if section < key[0]]
        if before:
            return self._after(before[-1], f"\n{statement}")
        if alike:
            return self._ahead(alike[0], f"{statement}\n")
        # The first of its section: a blank line keeps it apart from the others.
        if earlier:
            return self._after(earlier[-1], f"\n\n{statement}")
        if block:
            return self._ahead(block[0][1], f"{statement}\n\n")
        return self._at_the_head(statement)

    def _after(self, line: cst.SimpleStatementLine, text: str) -> Edit:
        number, column = self._end(line)
        return Edit(number, column, number, column, text)

    def _ahead(self, line: cst.SimpleStatementLine, text: str) -> Edit:
        number = self._span(line.body[0]).line
        return Edit(number, 0, number, 0, text)

    def _block(self) -> list[cst.SimpleStatementLine]:
        """The imports at the top: statements of the module before anything else happens."""
        found: list[cst.SimpleStatementLine] = []
        for each in self._tree.body:
            if _is_import(each):
                assert isinstance(each, cst.SimpleStatementLine)
                found.append(each)
            elif found and not isinstance(each, (cst.Try, cst.If, cst.SimpleStatementLine)):
                break
        return [each for each in found if len(each.body) == 1]

    def _at_the_head(self, statement: str) -> Edit:
        """In a file without imports: after its docstring, before everything else."""
        first = self._tree.body[0]
        if isinstance(first, cst.SimpleStatementLine) and _is_docstring(first):
            line, column = self._end(first)
            return Edit(line, column, line, column, f"\n\n{statement}")
        decorators = getattr(first, "decorators", ())
        line = self._span(decorators[0] if decorators else _first_statement(first)).line
        return Edit(line, 0, line, 0, f"{statement}\n\n")

    def _end(self, line: cst.SimpleStatementLine) -> tuple[int, int]:
        """The end of the line that a statement is on; a comment behind it stays there."""
        _, _, last, column = self._span(line.body[-1])
        trailing = line.trailing_whitespace
        comment = trailing.comment.value if trailing.comment is not None else ""
        blanks = trailing.whitespace.value
        return last, column + len(blanks) + len(comment)


def _forms(qualified: str) -> list[tuple[str, _Form]]:
    """The ways to import something, the best first, each with the package that gets the name."""
    module, _, name = qualified.rpartition(".")
    by_name = (qualified, _Form(f"from {module} import {name}", name))
    if qualified in _FROM_ITS_MODULE:
        return [by_name, *_packages(qualified)]
    return [*_packages(qualified), *([by_name] if module else [])]


def _packages(qualified: str) -> list[tuple[str, _Form]]:
    """Packages with a usual form from which something can be reached, the longest name first."""
    found = [
        (package, form)
        for package, form in _USUAL.items()
        if qualified.startswith(f"{package}.")
        and reaches(package, qualified.removeprefix(f"{package}."))
    ]
    return sorted(found, key=lambda item: -len(item[0]))


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], (cst.Import, cst.ImportFrom)
    )


def _first_statement(line: cst.CSTNode) -> cst.CSTNode:
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) else line


def _is_docstring(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, (cst.SimpleString, cst.ConcatenatedString))
    )


def _written(line: cst.SimpleStatementLine) -> str:
    return cst.Module([line.with_changes(leading_lines=())]).code.strip()


def _key(statement: str) -> tuple[int, str]:
    """What sorters of imports go by: whose it is, then the module."""
    module = statement.split()[1].rstrip(",")
    top = module.split(".")[0]
    if top == "__future__":
        section = 0
    elif module.startswith("."):
        section = 3
    else:
        section = 1 if top in sys.stdlib_module_names else 2
    return section, module
