"""Functions that keep what they make, and look there first, as far as their text says it."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, walk

_LOOKS_UP = "get"
"""The method that asks a dict for what it may lack."""


def made_once(code: n.Function) -> frozenset[int]:
    """The nodes, by identity, of what a function puts into a container that it asks for it.

    ``if key in kept: return kept[key]``, or ``kept.get(key)``, and ``kept[key] = made``: as well as
    what is put in, what the names in it are bound to.
    """
    nodes = list(walk(code.body))
    asked = list(_asked(nodes))
    kept: list[n.Node] = []
    for node in nodes if asked else ():
        if isinstance(node, n.Assign) and any(_fills(each, asked) for each in node.targets):
            kept += walk([node.value])
    names = {each.id for each in kept if isinstance(each, n.Name)}
    for node in nodes if names else ():
        if isinstance(node, n.Assign) and any(_is_one_of(each, names) for each in node.targets):
            kept += walk([node.value])
        elif isinstance(node, n.FunctionDefinition) and node.target.id in names:
            kept += walk([node])
    return frozenset(map(id, kept))


def _fills(target: n.Node, asked: list[n.Node]) -> bool:
    return isinstance(target, n.Subscript) and any(alike(target.value, each) for each in asked)


def _is_one_of(target: n.Node, names: set[str]) -> bool:
    return isinstance(target, n.Name) and target.id in names


def _asked(nodes: list[n.Node]) -> Iterator[n.Node]:
    """The containers that code asks whether they have something."""
    for node in nodes:
        if isinstance(node, n.Comparison) and node.operators in (["in"], ["not in"]):
            yield node.comparators[0]
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr == _LOOKS_UP:
                yield node.function.value
