"""Places in source: the code objects around them and the names that stand there."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

Scope = tuple[str, int]
"""(name, first line) of a code object, as Python itself names it."""

Position = tuple[int, int]
"""Line from 1, column from 0 in UTF-8 bytes."""

_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_ANONYMOUS = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


def scopes_at(tree: ast.Module, at: Position) -> list[Scope]:
    """The code objects around a place, innermost first; the module is the last."""
    found: list[Scope] = []
    _descend(tree, at, found)
    return [*reversed(found), ("<module>", 1)]


def _descend(node: ast.AST, at: Position, found: list[Scope]) -> None:
    outer = set(map(id, _evaluated_outside(node)))
    for child in ast.iter_child_nodes(node):
        if not _covers(child, at):
            continue
        if isinstance(node, _SCOPES) and id(child) not in outer:
            found.append(_scope(node))
        _descend(child, at, found)
        return


def _covers(node: ast.AST, at: Position) -> bool:
    if isinstance(node, (ast.arguments, ast.comprehension, ast.match_case)):
        # These have no place of their own: their parts have.
        return any(_covers(child, at) for child in ast.iter_child_nodes(node))
    if not isinstance(node, (ast.stmt, ast.expr, ast.keyword, ast.ExceptHandler, ast.arg)):
        if isinstance(node, ast.withitem):
            return any(_covers(child, at) for child in ast.iter_child_nodes(node))
        return False
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    start = (first, 0) if first < node.lineno else (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    return start <= at < end or start == at


def _evaluated_outside(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a function, class or comprehension that run in the code around it."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from node.decorator_list
        yield node.args
        if node.returns is not None:
            yield node.returns
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
    elif isinstance(node, ast.Lambda):
        yield node.args
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield node.generators[0].iter


def _scope(node: ast.AST) -> Scope:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])
    assert isinstance(node, ast.expr)
    return _ANONYMOUS[type(node)], node.lineno


def names_in(tree: ast.Module, first: Position, last: Position) -> list[str]:
    """The names and dotted names (``x``, ``self.count``) between two places."""
    found = {name: None for name, start, end in _names(tree) if first <= start and end <= last}
    return list(found)


def heads_in(tree: ast.Module) -> dict[int, tuple[int, int]]:
    """Line of a decorator, or of the ``def`` below it -> first and last of these lines."""
    found: dict[int, tuple[int, int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.decorator_list:
                first = min(decorator.lineno for decorator in node.decorator_list)
                lines = range(first, node.lineno + 1)
                found.update(dict.fromkeys(lines, (first, node.lineno)))
    return found


def names_on(tree: ast.Module) -> dict[int, list[str]]:
    """Line -> the names and dotted names that begin on it."""
    found: dict[int, dict[str, None]] = {}
    for name, (line, _), _ in _names(tree):
        found.setdefault(line, {})[name] = None
    return {line: list(names) for line, names in found.items()}


def _names(tree: ast.Module) -> Iterator[tuple[str, Position, Position]]:
    for node in ast.walk(tree):
        name = _dotted(node)
        if name:
            assert isinstance(node, ast.expr)
            end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
            yield name, (node.lineno, node.col_offset), end


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def shown(path: str) -> str:
    """A path as the user knows it: relative where that is shorter."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
