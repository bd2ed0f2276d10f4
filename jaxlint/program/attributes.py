"""Which attributes code sets on objects, going by its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import statements, walk

CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "setup"})
"""Methods that set attributes of an object before anybody else has it."""

ANY = "*"
"""Stands for every attribute, where their names are not in the text."""

_SETS_ANY = frozenset({"setattr", "delattr", "__setattr__", "__dict__", "vars"})


def set_later(module: n.Module) -> frozenset[str]:
    """The attributes that code of a module sets on objects that were made before; found once.

    What constructors set on their own object is left out.
    """
    return once(_set_later, module)


def _set_later(module: n.Module) -> frozenset[str]:
    if not _SETS_ANY.isdisjoint(module.loaded):
        return frozenset({ANY})
    every = Counter(target.attr for target, _ in attribute_targets(module.body))
    for code in module.functions:
        if code.name in CONSTRUCTORS:
            every.subtract(target.attr for target, _ in attributes_of_self(code))
    return frozenset(+every)


def attributes_of_self(code: n.Function) -> Iterator[tuple[n.Attribute, n.Node]]:
    """What :func:`attribute_targets` gives of a function and its first parameter."""
    receiver = code.parameters[0].name if code.parameters else ""
    for target, statement in attribute_targets(code.body):
        if isinstance(target.value, n.Name) and target.value.id == receiver:
            yield target, statement


def calls_of_self(code: n.Function) -> frozenset[str]:
    """The methods that a function names on its first parameter: called, or handed on."""
    return once(_calls_of_self, code)


def _calls_of_self(code: n.Function) -> frozenset[str]:
    receiver = code.parameters[0].name if code.parameters else ""
    return frozenset(
        each.attr
        for each in walk(code.body)
        if isinstance(each, n.Attribute)
        and isinstance(each.value, n.Name)
        and each.value.id == receiver
    )


def attribute_targets(nodes: Iterable[n.Node]) -> Iterator[tuple[n.Attribute, n.Node]]:
    """The attributes that statements assign to or delete, functions' inside of them too.

    Each with its statement.
    """
    for node in statements(nodes):
        for target in _flat(_targets(node)):
            if isinstance(target, n.Attribute):
                yield target, node


def _targets(statement: n.Node) -> list[n.Node]:
    if isinstance(statement, (n.Assign, n.Delete)):
        return statement.targets
    if isinstance(statement, (n.AugmentedAssign, n.AnnotatedAssign, n.For)):
        return [statement.target]
    if isinstance(statement, n.With):
        return [item.target for item in statement.items if item.target is not None]
    return []


def _flat(targets: list[n.Node]) -> list[n.Node]:
    """Assignment targets with tuples taken apart."""
    found: list[n.Node] = []
    for target in targets:
        if isinstance(target, n.Display):
            found += _flat(target.elements)
        else:
            found.append(target.value if isinstance(target, n.Starred) else target)
    return found
