"""Registries of a module: what other modules put something into when they are imported.

``MODELS = {}`` with ``def register(name)``, or a class that keeps those that derive from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import children, walk

_PUTS_IN = frozenset({"append", "add", "update", "setdefault", "insert", "extend"})

_MADE_EMPTY = frozenset(
    {"dict", "list", "set", "defaultdict", "OrderedDict", "WeakValueDictionary"}
)


@dataclass(frozen=True, slots=True)
class Registries:
    """What a module may be asked to remember.

    Attributes:
        names: of the module, that hold containers.
        attributes: of its classes, that hold containers, with the names of the classes.
        writers: functions of the module that put something into a container.
    """

    names: frozenset[str]
    attributes: dict[str, frozenset[str]]
    writers: frozenset[str]


def registries(module: n.Module) -> Registries:
    """The registries of a module, going by its text; found once."""
    return once(_registries, module)


def _registries(module: n.Module) -> Registries:
    classes = [each for each in module.body if isinstance(each, n.ClassDefinition)]
    bound = [*_bound(module.body), *(pair for cls in classes for pair in _bound(cls.body))]
    if not any(name in module.loaded and _is_container(value, True) for name, value in bound):
        return Registries(frozenset(), {}, frozenset())
    written: dict[str, set[str]] = {}
    for code in module.functions:
        for name in _written(code.body):
            written.setdefault(name, set()).add(code.name)
    names = {name for name, value in _bound(module.body) if _is_container(value, name in written)}
    attributes: dict[str, set[str]] = {}
    for cls in classes:
        for name, value in _bound(cls.body):
            if name in written and _is_container(value, True):
                attributes.setdefault(name, set()).add(cls.name)
    writers = (written.get(name, set()) for name in (*names, *attributes))
    return Registries(
        frozenset(names),
        {name: frozenset(held) for name, held in attributes.items()},
        frozenset().union(*writers),
    )


def _bound(body: Iterable[n.Node]) -> Iterator[tuple[str, n.Node | None]]:
    """The names that assignments bind in a body, and to what."""
    for statement in body:
        targets = statement.targets if isinstance(statement, n.Assign) else []
        if isinstance(statement, n.AnnotatedAssign):
            targets = [statement.target]
        value = statement.value if isinstance(statement, (n.Assign, n.AnnotatedAssign)) else None
        yield from ((target.id, value) for target in targets if isinstance(target, n.Name))


def _is_container(value: n.Node | None, written: bool) -> bool:
    """Whether it is one that begins empty, or that a function puts something into."""
    if isinstance(value, n.Call):
        name = value.function.attr if isinstance(value.function, n.Attribute) else ""
        name = value.function.id if isinstance(value.function, n.Name) else name
        return name in _MADE_EMPTY
    if isinstance(value, (n.Display, n.DictDisplay)):
        return written or not children(value)
    return False


def _written(body: Iterable[n.Node]) -> Iterator[str]:
    """The names, and attributes, of containers that code puts something into."""
    for node in walk(body):
        if isinstance(node, (n.Assign, n.AugmentedAssign)):
            targets = node.targets if isinstance(node, n.Assign) else [node.target]
            for target in targets:
                if isinstance(target, n.Subscript):
                    yield from _last(target.value)
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr in _PUTS_IN:
                yield from _last(node.function.value)


def _last(node: n.Node) -> Iterator[str]:
    if isinstance(node, n.Name):
        yield node.id
    elif isinstance(node, n.Attribute):
        yield node.attr


def named_at_the_top(module: n.Module) -> frozenset[str]:
    """The names, and attributes, that a module reads while it is imported; found once."""
    return once(_named_at_the_top, module)


def _named_at_the_top(module: n.Module) -> frozenset[str]:
    return frozenset(_read(module.body))


def _read(body: Iterable[n.Node]) -> Iterator[str]:
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, n.Name):
            yield node.id
        elif isinstance(node, n.Attribute):
            yield node.attr
        if isinstance(node, (n.FunctionDefinition, n.Lambda)):
            waiting += node.function.decorators
        else:
            waiting += children(node)
