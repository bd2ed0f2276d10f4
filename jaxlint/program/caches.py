"""Functions that keep what they make, and look there first, as far as their text says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import alike, last_name, walk

_LOOKS_UP = "get"
"""The method that asks a dict for what it may lack."""

_ASKS_ATTRIBUTE, _ASKS_LENGTH = "hasattr", "len"

_PUTS = frozenset({"append", "appendleft", "add", "extend", "insert", "setdefault", "update"})
"""Methods that put what they are given into a container."""

_KEEPS = frozenset({"cached_property"})
"""Decorators that keep what a method returns, in the object."""

_HAVE_BODIES = (n.Module, n.Function, n.For, n.While, n.If)

Kept = dict[int, "n.Node | None"]
"""The nodes of what is kept, by identity, and the place that keeps it; None: a decorator does."""


def made_once(code: n.Function | n.Module) -> Kept:
    """What a function keeps in a place that it asks for it.

    In a container: ``if key in kept: return kept[key]``, ``kept.get(key)`` or ``if not kept``, and
    ``kept[key] = made`` or ``kept.append(made)``. In an attribute, an element or a variable of the
    code around it: ``if self.step is None: self.step = made``. As well as what is put there, what
    the names in it are bound to, and all of the branch that puts it there. And all that a
    decorator keeps.
    """
    nodes = list(walk(code.body))
    decorators = code.decorators if isinstance(code, n.Function) else []
    if any(last_name(each) in _KEEPS for each in decorators):
        return dict.fromkeys(map(id, nodes))
    kept: Kept = {}
    named: dict[str, n.Node] = {}
    for place, put in _put(nodes, _asked_by(nodes, code.scope)):
        named |= {each.id: place for each in walk([put]) if isinstance(each, n.Name)}
        kept |= dict.fromkeys(map(id, walk([put])), place)
    for node in nodes if named else ():
        if isinstance(node, n.Assign):
            places = [named.get(each.id) for each in node.targets if isinstance(each, n.Name)]
            for place in filter(None, places):
                kept |= dict.fromkeys(map(id, walk([node.value])), place)
        elif isinstance(node, n.FunctionDefinition) and node.target.id in named:
            kept |= dict.fromkeys(map(id, walk([node])), named[node.target.id])
    for branch, asked in _branches(code) if kept else ():
        for place, _ in list(_put(branch, asked))[:1]:
            kept |= dict.fromkeys(map(id, branch), place)
    return kept


def made_where_asked(
    code: n.Function | n.Module, call: n.Node, called: n.Function
) -> n.Node | None:
    """The place that a function fills, where it is called because the place was asked.

    ``if not self.built: self.build()``, and ``self.built = True`` in the method.
    """
    for asked in once(_calls_where_asked, code).get(id(call), ()):
        for place, _ in _put(walk(called.body), asked):
            return place
    return None


@dataclass(frozen=True, slots=True)
class _Asked:
    """What code asks: containers, whether they have something; places, whether it is there."""

    containers: list[n.Node]
    places: list[n.Node]


def _put(nodes: Iterable[n.Node], asked: _Asked) -> Iterator[tuple[n.Node, n.Node]]:
    """The places among those asked that code puts something into, with what it puts there."""
    for node in nodes if asked.containers or asked.places else ():
        if isinstance(node, n.Assign):
            for target in node.targets:
                yield from ((each, node.value) for each in asked.places if alike(target, each))
                if isinstance(target, n.Subscript):
                    within = (each for each in asked.containers if alike(target.value, each))
                    yield from ((each, node.value) for each in within)
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr in _PUTS:
                for each in asked.containers:
                    if alike(node.function.value, each):
                        yield from ((each, given.value) for given in node.arguments)


def _branches(code: n.Function | n.Module) -> Iterator[tuple[list[n.Node], _Asked]]:
    """The branches of tests that ask for something, with what they ask.

    What follows a branch that leaves is one, too.
    """
    nodes = list(walk(code.body))
    following = {id(test): rest for node in (code, *nodes) for test, rest in _left(node)}
    for node in nodes:
        if isinstance(node, n.If):
            asked = _asked_by(list(walk([node.test])), code.scope, node)
            if asked.containers or asked.places:
                branches = (node.body, node.orelse, following.get(id(node), []))
                yield from ((list(walk(branch)), asked) for branch in branches)


_ENDS = (n.Return, n.Raise, n.Jump)


def _left(node: n.Node) -> Iterator[tuple[n.If, list[n.Node]]]:
    """The tests in the body of a statement that end what they stand in, with what follows them."""
    body = node.body if isinstance(node, _HAVE_BODIES) else []
    for place, each in enumerate(body, 1):
        if isinstance(each, n.If) and each.body and isinstance(each.body[-1], _ENDS):
            yield each, body[place:]


def _calls_where_asked(code: n.Function | n.Module) -> dict[int, list[_Asked]]:
    """The calls in such branches."""
    found: dict[int, list[_Asked]] = {}
    for branch, asked in _branches(code):
        for node in branch:
            if isinstance(node, n.Call):
                found.setdefault(id(node), []).append(asked)
    return found


def _asked_by(nodes: list[n.Node], scope: n.Scope, test: n.If | None = None) -> _Asked:
    """What code asks; a test is an ``if`` whose condition these nodes are.

    So it does where it asks a variable of its own that holds what was found there.
    """
    tested = [each for node in ([test] if test else nodes) for each in _tested(node)]
    asked = [each for atom in tested for each in _asked(atom)]
    own = {each.id for each in asked if isinstance(each, n.Name)} - scope.outer.keys()
    for node in nodes if own else ():
        if isinstance(node, n.Assign) and any(_is_named(each, own) for each in node.targets):
            asked.append(node.value)
    lasting = [each for each in asked if not _is_own(each, scope)]
    containers = [*_looked_up(nodes), *(each for each in lasting if _is_truth(each, tested))]
    measured = [each for atom in tested for each in _measured(atom)]
    return _Asked([*containers, *(each for each in measured if not _is_own(each, scope))], lasting)


def _is_own(node: n.Node, scope: n.Scope) -> bool:
    """Whether it is a variable that each call has anew, or no place at all."""
    if isinstance(node, n.Name):
        return node.id in scope.bound and node.id not in scope.outer
    return not isinstance(node, (n.Attribute, n.Subscript))


def _is_truth(node: n.Node, tested: list[n.Node]) -> bool:
    """Whether it is asked for its truth: a container that has nothing in it is false."""
    return any(node is each for each in tested)


def _is_named(target: n.Node, names: set[str]) -> bool:
    return isinstance(target, n.Name) and target.id in names


def _looked_up(nodes: list[n.Node]) -> Iterator[n.Node]:
    """The containers that code asks whether they have something."""
    for node in nodes:
        if isinstance(node, n.Comparison) and node.operators in (["in"], ["not in"]):
            yield node.comparators[0]
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr == _LOOKS_UP:
                yield node.function.value


def _tested(node: n.Node) -> Iterator[n.Node]:
    """The parts of a test that are joined by ``not``, ``and`` and ``or``."""
    if isinstance(node, (n.If, n.While, n.Conditional)):
        waiting = [node.test]
    elif isinstance(node, n.BooleanOperation):
        # What is further to the left is asked by an operation of its own: the chain may be long.
        within = node.left
        waiting = [within.right if isinstance(within, n.BooleanOperation) else within]
    else:
        waiting = []
    while waiting:
        test = waiting.pop()
        if isinstance(test, n.UnaryOperation) and test.operator == "not":
            waiting.append(test.operand)
        elif isinstance(test, n.BooleanOperation):
            waiting += (test.left, test.right)
        elif isinstance(test, n.Walrus):
            waiting += (test.target, test.value)
        else:
            yield test


def _asked(test: n.Node) -> Iterator[n.Node]:
    """What a test asks whether it is None, whether it is true, or whether it is there."""
    if isinstance(test, n.Comparison) and _is_none(test.comparators[0]):
        left = test.left
        yield from (left.target, left.value) if isinstance(left, n.Walrus) else (left,)
    elif isinstance(test, n.Call):
        yield from _attribute_asked(test)
    elif isinstance(test, (n.Name, n.Attribute, n.Subscript)):
        yield test


def _is_none(node: n.Node) -> bool:
    return isinstance(node, n.Constant) and node.value is None


def _attribute_asked(test: n.Call) -> Iterator[n.Node]:
    """``hasattr(self, "step")`` asks for ``self.step``."""
    given = [each.value for each in test.arguments]
    if last_name(test.function) == _ASKS_ATTRIBUTE and len(given) > 1:
        if isinstance(given[1], n.Constant):
            yield n.Attribute(test.origin, given[0], str(given[1].value))


def _measured(test: n.Node) -> Iterator[n.Node]:
    """``len(kept) == 0`` and ``len(kept)`` ask for what is in ``kept``."""
    length = test.left if isinstance(test, n.Comparison) else test
    if isinstance(length, n.Call) and last_name(length.function) == _ASKS_LENGTH:
        yield from (each.value for each in length.arguments)
