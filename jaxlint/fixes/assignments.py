"""What pieces of code assign to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import libcst as cst

from jaxlint.syntax.spans import parts_of

_WITH_A_TARGET = (
    cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.Del, cst.NamedExpr,
)  # fmt: skip


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and everything in it, in the order of the text."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(parts_of(each)))


def targets(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The names, attributes and items that code in a node binds or deletes.

    Those of functions inside are among them: who asks for what stays the same minds these too.
    """
    for each in walk(node):
        if isinstance(each, _WITH_A_TARGET):
            yield from _flat(each.target)
        elif isinstance(each, cst.AsName):
            yield from _flat(each.name)
        elif isinstance(each, (cst.FunctionDef, cst.ClassDef)):
            yield each.name


def assigned_names(node: cst.CSTNode) -> frozenset[str]:
    """The names among them."""
    return frozenset(each.value for each in targets(node) if isinstance(each, cst.Name))


def bound_roots(node: cst.CSTNode) -> Counter[str]:
    """How often code binds each name, or an attribute or item of what it stands for."""
    return Counter(each.value for each in map(root, targets(node)) if each is not None)


def bound_names(node: cst.CSTNode) -> Counter[str]:
    """How often code binds each name."""
    return Counter(each.value for each in targets(node) if isinstance(each, cst.Name))


def written_names(node: cst.CSTNode) -> Counter[str]:
    """How often each name is written in code."""
    return Counter(each.value for each in walk(node) if isinstance(each, cst.Name))


def declared_names(node: cst.CSTNode) -> frozenset[str]:
    """The names that functions declare to be another one's: ``global``, ``nonlocal``."""
    return frozenset(each.name.value for each in walk(node) if isinstance(each, cst.NameItem))


def is_label(name: cst.Name, around: cst.CSTNode | None) -> bool:
    """Whether a name stands for an attribute or a keyword argument, and for no variable."""
    if isinstance(around, cst.Attribute):
        return around.attr is name
    return isinstance(around, cst.Arg) and around.keyword is name


def free_names(node: cst.CSTNode) -> list[cst.Name]:
    """The names that code reads from around it: of variables, functions, modules, builtins."""
    own = assigned_names(node)
    own |= {each.name.value for each in walk(node) if isinstance(each, cst.Param)}
    return [
        name
        for each in walk(node)
        for name in parts_of(each)
        if isinstance(name, cst.Name) and name.value not in own and not is_label(name, each)
    ]


def root(node: cst.BaseExpression) -> cst.Name | None:
    """The name that attributes and items are taken of; None for those of anything else."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node if isinstance(node, cst.Name) else None


def _flat(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _flat(element.value)
    else:
        yield target
