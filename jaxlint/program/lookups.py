"""In which variables an expression looks something up that its text does not name.

``getattr(config, name)``, ``config[key]``, ``reduce(getattr, path, config)``: a part of what the
variable holds, nobody knows which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import bindings_in, last_name, walk

Called = Callable[[n.Call], "n.Function | None"]
"""Tells which function of the program a call calls."""

_GETS_ATTRIBUTE, _GOES_DOWN = "getattr", "reduce"

_GIVE_PARTS = frozenset({"get", "setdefault", "pop", "values", "items", "__getitem__"})
"""Methods of containers that give something in them."""

_DEEPEST = 3
"""Functions that hand on what others look up."""

_Base = tuple[str, bool]
"""A variable, and whether it is a part of it that is meant."""


def looked_up(
    code: n.Function | n.Module, node: n.Node, called: Called, depth: int = _DEEPEST
) -> frozenset[str]:
    """The variables, of a function or around it, of which an expression may give a part."""
    bound = once(_bindings, code)
    waiting, seen = list(_bases(node, called, depth)), set[_Base]()
    while waiting:
        base = waiting.pop()
        if base not in seen:
            seen.add(base)
            name, inside = base
            for binding in bound.get(name, ()):
                found = _bases_of_binding(binding, name, called, depth)
                waiting += ((other, inside or deeper) for other, deeper in found)
    return frozenset(name for name, inside in seen if inside)


def _bindings(code: n.Function | n.Module) -> dict[str, list[n.Node]]:
    """What binds each name."""
    found: dict[str, list[n.Node]] = {}
    for binding, name in bindings_in(code):
        found.setdefault(name, []).append(binding)
    return found


def _bases_of_binding(node: n.Node, name: str, called: Called, depth: int) -> Iterator[_Base]:
    if isinstance(node, n.For):
        yield from _inside([node.iterable], called, depth)
    elif isinstance(node, (n.Assign, n.AnnotatedAssign, n.Walrus)) and node.value is not None:
        yield from _bases(node.value, called, depth)


def _bases(node: n.Node, called: Called, depth: int) -> Iterator[_Base]:
    """The variables that an expression is made of, as far as it may be a part of one."""
    if isinstance(node, n.Name):
        yield node.id, False
    elif isinstance(node, n.Attribute):
        yield from _bases(node.value, called, depth)
    elif isinstance(node, n.Subscript):
        named = isinstance(node.index, n.Constant)
        yield from (_bases if named else _inside_one)(node.value, called, depth)
    elif isinstance(node, n.Walrus):
        yield from _bases(node.value, called, depth)
    elif isinstance(node, n.Conditional):
        yield from _bases(node.body, called, depth)
        yield from _bases(node.orelse, called, depth)
    elif isinstance(node, n.BooleanOperation):
        yield from _bases(node.left, called, depth)
        yield from _bases(node.right, called, depth)
    elif isinstance(node, n.Call):
        yield from _bases_of_call(node, called, depth)


def _bases_of_call(node: n.Call, called: Called, depth: int) -> Iterator[_Base]:
    given, name = [each.value for each in node.arguments], last_name(node.function)
    if name == _GETS_ATTRIBUTE and len(given) > 1:
        named = isinstance(given[1], n.Constant)
        yield from (_bases if named else _inside_one)(given[0], called, depth)
    elif name == _GOES_DOWN:
        yield from _inside(given[-1:], called, depth)
    elif isinstance(node.function, n.Attribute) and name in _GIVE_PARTS:
        named = bool(given) and isinstance(given[0], n.Constant)
        yield from (_bases if named else _inside_one)(node.function.value, called, depth)
    elif isinstance(node.function, n.Call):
        yield from _inside(given, called, depth)  # As `attrgetter(path)(config)` does.
    elif depth:
        yield from _handed_on(node, given, called, depth - 1)


def _handed_on(node: n.Call, given: list[n.Node], called: Called, depth: int) -> Iterator[_Base]:
    """Of a function of the program that returns a part of what it is given."""
    code = called(node)
    if code is None:
        return
    returned = [each.value for each in walk(code.body) if isinstance(each, n.Return)]
    names = [looked_up(code, each, called, depth) for each in returned if each is not None]
    found = frozenset[str]().union(*names)
    parameters = [each.name for each in code.parameters]
    parts = [value for name, value in zip(parameters, given, strict=False) if name in found]
    yield from _inside(parts, called, depth)


def _inside(nodes: Iterable[n.Node], called: Called, depth: int) -> Iterator[_Base]:
    for node in nodes:
        yield from ((name, True) for name, _ in _bases(node, called, depth))


def _inside_one(node: n.Node, called: Called, depth: int) -> Iterator[_Base]:
    return _inside([node], called, depth)
