"""Another name for what an import binds, wherever it is read."""

from __future__ import annotations

import re

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.assignments import is_label, targets, walk
from jaxlint.fixes.code import Code


def renamed(alias: cst.ImportAlias, new: str, code: Code) -> list[Edit] | None:
    """The edits that call a module something else.

    None where its name, or the new one, stands for anything else in the function that imports it
    (or in the file), and where a quoted annotation holds it.
    """
    bound = alias.asname.name if alias.asname is not None else None
    home: cst.CSTNode | None = code.body_around(alias)
    if not isinstance(bound, cst.Name) or home is None:
        return None
    module = _imported(alias, code)
    home = home.body if isinstance(home, cst.FunctionDef) else home
    names = [each for each in walk(home) if isinstance(each, cst.Name)]
    names = [each for each in names if not is_label(each, code.parent(each))]
    uses = [each for each in names if each.value == bound.value]
    rivals = [each for each in names if each.value == new]
    others = [each for each in targets(home) if each is not bound]
    others += [each for each in names if _binds(code.parent(each))]
    if any(isinstance(each, cst.Name) and each.value == bound.value for each in others):
        return None
    if not all(code.qualified(each) == module for each in rivals):
        return None
    if not rivals and not code.is_free(new, alias):
        return None
    if any(_quotes(each, bound.value) for each in walk(home) if isinstance(each, cst.Annotation)):
        return None
    return [code.replace(each, new) for each in uses]


def _imported(alias: cst.ImportAlias, code: Code) -> str:
    """The full dotted name of what an import statement brings in."""
    statement, name = code.statement(alias), _dotted(alias.name)
    if isinstance(statement, cst.ImportFrom) and statement.module is not None:
        return f"{_dotted(statement.module)}.{name}"
    return name


def _dotted(name: cst.BaseExpression) -> str:
    if isinstance(name, cst.Attribute):
        return f"{_dotted(name.value)}.{name.attr.value}"
    return name.value if isinstance(name, cst.Name) else ""


def _binds(node: cst.CSTNode | None) -> bool:
    """Whether a name directly in a node is bound, or declared to be another one's."""
    return isinstance(node, (cst.Param, cst.NameItem, cst.ImportAlias, cst.MatchAs, cst.MatchStar))


def _quotes(annotation: cst.Annotation, name: str) -> bool:
    """Whether an annotation holds a name in a string."""
    return any(
        isinstance(each, cst.SimpleString) and re.search(rf"\b{re.escape(name)}\b", each.value)
        for each in walk(annotation)
    )
