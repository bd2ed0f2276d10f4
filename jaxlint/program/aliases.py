"""Which variables stand for what another one holds, where a statement begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names, is_dotted, walk


def aliases_before(body: Iterable[n.Node], node: n.Node) -> dict[str, n.Node]:
    """The variables that ``old = state.params`` has bound on the way to a node, and to what.

    Or ``state = {"params": params}``: to a container of such. Going by the text alone: since then
    nothing before the node binds the variable again, or a name that the expression begins with, or
    sets an attribute of that.
    """
    found: dict[str, n.Node] = {}
    statements: Iterable[n.Node] | None = body
    while statements is not None:
        statements = _follow(statements, node, found)
    return found


def _follow(
    statements: Iterable[n.Node], node: n.Node, found: dict[str, n.Node]
) -> list[n.Node] | None:
    """Note what the statements before a node bind; the block around it, if one is."""
    for statement in statements:
        if any(each is node for each in walk([statement])):
            return next((b for b in _blocks(statement) if _holds(b, node)), None)
        bound = assigned_names([statement]) | _changed(statement)
        for name in [name for name, held in found.items() if ({name} | _roots(held)) & bound]:
            del found[name]
        for target, value in _assigned(statement):
            roots = _roots(value)
            if isinstance(target, n.Name) and roots and not roots & bound:
                found[target.id] = value
    return None


def _assigned(statement: n.Node) -> Iterator[tuple[n.Node, n.Node]]:
    """What an assignment binds, and to what: ``best, count = params, 0``, too."""
    if not isinstance(statement, n.Assign):
        return
    value = statement.value
    for target in statement.targets:
        if not isinstance(target, n.Display) or not isinstance(value, n.Display):
            yield target, value
        elif len(target.elements) == len(value.elements):
            if not any(isinstance(each, n.Starred) for each in target.elements):
                yield from zip(target.elements, value.elements, strict=True)


def names_within(expression: n.Node) -> Iterator[n.Node]:
    """The names, and attributes of them, that an expression is, or that its containers hold."""
    if is_dotted(expression):
        yield expression
    elif isinstance(expression, n.Display):
        for element in expression.elements:
            yield from names_within(element)
    elif isinstance(expression, n.DictDisplay):
        for _, value in expression.items:
            yield from names_within(value)


def _roots(expression: n.Node) -> set[str]:
    return {_root(each) for each in names_within(expression)}


def _changed(statement: n.Node) -> frozenset[str]:
    """Names of the objects of which a statement sets attributes."""
    targets = [
        target
        for each in walk([statement])
        if isinstance(each, (n.Assign, n.AugmentedAssign))
        for target in (each.targets if isinstance(each, n.Assign) else [each.target])
    ]
    return frozenset(
        _root(each) for each in walk(targets) if isinstance(each, n.Attribute) and is_dotted(each)
    )


def _holds(block: list[n.Node], node: n.Node) -> bool:
    return any(each is node for each in walk(block))


def _blocks(statement: n.Node) -> Iterator[list[n.Node]]:
    """The lists of statements inside of one."""
    for each in fields(statement):
        block = getattr(statement, each.name)
        if isinstance(block, list) and all(isinstance(item, n.Node) for item in block):
            yield block


def _root(dotted: n.Node) -> str:
    while isinstance(dotted, n.Attribute):
        dotted = dotted.value
    assert isinstance(dotted, n.Name)
    return dotted.id
