"""Functions that keep what they make, and look there first, as far as their text says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, last_name, walk

_LOOKS_UP = "get"
"""The method that asks a dict for what it may lack."""

_ASKS_ATTRIBUTE = "hasattr"

_KEEPS = frozenset({"cached_property"})
"""Decorators that keep what a method returns, in the object."""


def made_once(code: n.Function) -> frozenset[int]:
    """The nodes, by identity, of what a function keeps in a place that it asks for it.

    In a container: ``if key in kept: return kept[key]``, or ``kept.get(key)``, and
    ``kept[key] = made``. In an attribute or in a variable of the code around it:
    ``if self.step is None: self.step = made``. As well as what is put there, what the names in it
    are bound to. And all that a decorator keeps.
    """
    nodes = list(walk(code.body))
    if any(last_name(each) in _KEEPS for each in code.decorators):
        return frozenset(map(id, nodes))
    containers = list(_asked_containers(nodes))
    places = list(_asked_places(nodes, code.scope))
    kept: list[n.Node] = []
    for node in nodes if containers or places else ():
        if isinstance(node, n.Assign) and any(
            _fills(each, containers) or _is_one_of(each, places) for each in node.targets
        ):
            kept += walk([node.value])
    names = {each.id for each in kept if isinstance(each, n.Name)}
    for node in nodes if names else ():
        if isinstance(node, n.Assign) and any(_is_named(each, names) for each in node.targets):
            kept += walk([node.value])
        elif isinstance(node, n.FunctionDefinition) and node.target.id in names:
            kept += walk([node])
    return frozenset(map(id, kept))


def _fills(target: n.Node, asked: list[n.Node]) -> bool:
    return isinstance(target, n.Subscript) and any(alike(target.value, each) for each in asked)


def _is_named(target: n.Node, names: set[str]) -> bool:
    return isinstance(target, n.Name) and target.id in names


def _is_one_of(target: n.Node, places: list[n.Node]) -> bool:
    return any(alike(target, each) for each in places)


def _asked_containers(nodes: list[n.Node]) -> Iterator[n.Node]:
    """The containers that code asks whether they have something."""
    for node in nodes:
        if isinstance(node, n.Comparison) and node.operators in (["in"], ["not in"]):
            yield node.comparators[0]
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr == _LOOKS_UP:
                yield node.function.value


def _asked_places(nodes: list[n.Node], scope: n.Scope) -> Iterator[n.Node]:
    """The attributes, and the variables of the code around, that code asks whether they are there.

    So it does where it asks a variable of its own that holds what was found there.
    """
    asked = [each for node in nodes for each in _asked(node)]
    own = {each.id for each in asked if isinstance(each, n.Name)} - scope.outer.keys()
    for node in nodes if own else ():
        if isinstance(node, n.Assign) and any(_is_named(each, own) for each in node.targets):
            asked.append(node.value)
    for each in asked:
        if isinstance(each, n.Attribute) or _is_named(each, {*scope.outer}):
            yield each


def _asked(node: n.Node) -> Iterator[n.Node]:
    """What a test asks whether it is None, whether it is true, or whether it is there."""
    if isinstance(node, (n.If, n.While, n.Conditional)):
        yield from _said_of([node.test])
    elif isinstance(node, n.BooleanOperation):
        yield from _said_of([node.left])


def _said_of(tests: Iterable[n.Node]) -> Iterator[n.Node]:
    waiting = list(tests)
    while waiting:
        test = waiting.pop()
        if isinstance(test, n.UnaryOperation) and test.operator == "not":
            waiting.append(test.operand)
        elif isinstance(test, n.BooleanOperation):
            waiting += (test.left, test.right)
        elif isinstance(test, n.Walrus):
            waiting += (test.target, test.value)
        elif isinstance(test, n.Comparison) and _is_none(test.comparators[0]):
            waiting.append(test.left)
        elif isinstance(test, n.Call):
            yield from _attribute_asked(test)
        elif isinstance(test, (n.Name, n.Attribute)):
            yield test


def _is_none(node: n.Node) -> bool:
    return isinstance(node, n.Constant) and node.value is None


def _attribute_asked(test: n.Call) -> Iterator[n.Node]:
    """``hasattr(self, "step")`` asks for ``self.step``."""
    given = [each.value for each in test.arguments]
    if isinstance(test.function, n.Name) and test.function.id == _ASKS_ATTRIBUTE:
        if len(given) > 1 and isinstance(given[1], n.Constant):
            yield n.Attribute(test.origin, given[0], str(given[1].value))
