"""Walking the lowered program without running it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from operator import attrgetter

from jaxlint.program import nodes as n
from jaxlint.program.once import once

_KINDS = [kind for kind in vars(n).values() if isinstance(kind, type) and issubclass(kind, n.Node)]
_NAMES = frozenset(kind.__name__ for kind in _KINDS)
_FIELDS: dict[type[n.Node], tuple[str, ...]] = {
    kind: tuple(
        each.name
        for each in fields(kind)
        if not _NAMES.isdisjoint(re.findall(r"\w+", str(each.type)))
    )
    for kind in _KINDS
}
"""The fields of each kind of node that can hold nodes, going by their types."""


def children(node: n.Node) -> list[n.Node]:
    """The nodes directly below a node; functions nested in it included."""
    found: list[n.Node] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, n.Node):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            _add_nodes(value, found)
    return found


def _add_nodes(values: Iterable[object], found: list[n.Node]) -> None:
    for value in values:
        if isinstance(value, n.Node):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            _add_nodes(value, found)


def walk(nodes: Iterable[n.Node]) -> Iterator[n.Node]:
    """The nodes and everything below them, parents first."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(children(node))


_BODIES = {
    n.If: (attrgetter("body"), attrgetter("orelse")),
    n.For: (attrgetter("body"), attrgetter("orelse")),
    n.While: (attrgetter("body"), attrgetter("orelse")),
    n.Try: tuple(map(attrgetter, ("body", "handlers", "orelse", "final"))),
    n.Handler: (attrgetter("body"),),
    n.With: (attrgetter("body"),),
    n.Match: (attrgetter("cases"),),
    n.Case: (attrgetter("body"),),
    n.RaisingCell: (attrgetter("body"),),
    n.FunctionDefinition: (attrgetter("function.body"),),
    n.ClassDefinition: (attrgetter("body"),),
}
"""Where statements hold statements."""


def alike(one: n.Node, other: n.Node) -> bool:
    """Whether two expressions are written alike: the same names, constants and operators."""
    if type(one) is not type(other) or _words(one) != _words(other):
        return False
    inside, others = children(one), children(other)
    return len(inside) == len(others) and all(map(alike, inside, others))


def _words(node: n.Node) -> list[object]:
    """What an expression says besides its parts, and which of them it has."""
    if isinstance(node, n.Constant):
        return [type(node.value), node.value]
    values = [getattr(node, each.name) for each in fields(node) if each.name not in _NOT_SAID]
    return [
        value
        if isinstance(value, str)
        else [part for part in value if isinstance(part, str)]
        if isinstance(value, list)
        else value is None
        for value in values
    ]


_NOT_SAID = frozenset({"origin", "scope", "hops", "found"})


def statements(nodes: Iterable[n.Node]) -> Iterator[n.Node]:
    """The statements that :func:`walk` comes by, in its order; their expressions left out."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        for body in bodies_of(node):
            waiting += body


def bodies_of(statement: n.Node) -> list[list[n.Node]]:
    """The blocks of statements that a statement holds."""
    return [body(statement) for body in _BODIES.get(type(statement), ())]


def own_statements(nodes: Iterable[n.Node]) -> Iterator[n.Node]:
    """The same, without those of functions and classes inside."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (n.FunctionDefinition, n.ClassDefinition)):
            for body in bodies_of(node):
                waiting += body


def is_dotted(node: n.Node) -> bool:
    """Whether an expression is a name, or attributes of one."""
    while isinstance(node, n.Attribute):
        node = node.value
    return isinstance(node, n.Name)


def last_name(node: n.Node) -> str:
    """The last part of a name, or the name of an attribute; empty for anything else."""
    if isinstance(node, n.Attribute):
        return node.attr
    return node.id if isinstance(node, n.Name) else ""


def assigned_names(nodes: Iterable[n.Node]) -> frozenset[str]:
    """Names that code in these nodes binds, nested functions left out.

    A comprehension binds its own for itself alone: they count where it is one of the nodes.
    """
    return frozenset(name for _, name in bindings(nodes))


def bindings_in(code: n.Module | n.Function) -> list[tuple[n.Node, str]]:
    """What :func:`bindings` gives of a whole module or function, looked for once."""
    return once(_bindings_in, code)


def _bindings_in(code: n.Module | n.Function) -> list[tuple[n.Node, str]]:
    return list(bindings(code.body))


def bindings(nodes: Iterable[n.Node]) -> Iterator[tuple[n.Node, str]]:
    """Each name that :func:`assigned_names` gives, with the node that binds it."""
    waiting = list(nodes)
    for node in waiting:
        for clause in node.clauses if isinstance(node, n.Comprehension) else ():
            yield from ((node, name) for name in _bound(clause.target))
    while waiting:
        node = waiting.pop()
        targets: list[n.Node] = []
        if isinstance(node, n.Assign):
            targets = node.targets
        elif isinstance(node, (n.AugmentedAssign, n.AnnotatedAssign, n.For, n.Walrus)):
            targets = [node.target]
        elif isinstance(node, n.WithItem):
            targets = [node.target] if node.target is not None else []
        for target in targets:
            yield from ((node, name) for name in _bound(target))
        if not isinstance(node, n.Function):
            waiting.extend(children(node))


def _bound(target: n.Node) -> Iterator[str]:
    """Names that assigning to a target binds; an item or attribute of one stays bound as it is."""
    if isinstance(target, n.Name):
        yield target.id
    elif isinstance(target, n.Starred):
        yield from _bound(target.value)
    elif isinstance(target, n.Display):
        for element in target.elements:
            yield from _bound(element)
