"""Registries of a module: what other modules put something into when they are imported.

``MODELS = {}`` with ``def register(name)``, or a class that keeps those that derive from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import children, statements, walk

_PUTS_IN = frozenset({"append", "add", "update", "setdefault", "insert", "extend"})

_TAKES_OUT = frozenset({"remove", "discard", "pop", "popitem", "clear"})

_HEARS = "__init_subclass__"

_MADE_EMPTY = frozenset(
    {"dict", "list", "set", "defaultdict", "OrderedDict", "WeakValueDictionary"}
)


@dataclass(frozen=True, slots=True)
class Registries:
    """What a module may be asked to remember.

    Attributes:
        names: of the module, that hold containers.
        attributes: of its classes, that hold containers, with the names of the classes.
        writers: functions of the module that put something into a container, and classes that
            do so for each that derives from them.
    """

    names: frozenset[str]
    attributes: dict[str, frozenset[str]]
    writers: frozenset[str]


def registries(module: n.Module) -> Registries:
    """The registries of a module, going by its text; found once."""
    return once(_registries, module)


def _registries(module: n.Module) -> Registries:
    classes = [each for each in module.body if isinstance(each, n.ClassDefinition)]
    # What ``__all__`` lists is an affair of the module alone.
    own = [pair for pair in _bound(module.body) if not pair[0].startswith("__")]
    bound = [*own, *(pair for cls in classes for pair in _bound(cls.body))]
    used = any(name in module.loaded and _is_container(value, True) for name, value in bound)
    if not used and not any(_is_container(value, False) for _, value in own):
        return Registries(frozenset(), {}, frozenset())
    written = _writers(module, _last)
    names = {name for name, value in own if _is_container(value, name in written)}
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


def writers_elsewhere(module: n.Module) -> dict[str, frozenset[str]]:
    """The same of registries that a module imports, by their names; found once."""
    return once(_writers_elsewhere, module)


def _writers_elsewhere(module: n.Module) -> dict[str, frozenset[str]]:
    imports = (each for each in statements(module.body) if isinstance(each, n.Import))
    imported = {each.target.id for each in imports if each.target is not None}

    def named(container: n.Node) -> Iterator[str]:
        root = container.value if isinstance(container, n.Attribute) else container
        if isinstance(root, n.Name) and root.id in imported:
            yield from _last(container)

    return {name: frozenset(by) for name, by in _writers(module, named).items()}


def _writers(module: n.Module, named: Callable[[n.Node], Iterable[str]]) -> dict[str, set[str]]:
    """What puts something into a container, by the name of that.

    A class does with its method that is called with each class that derives from it.
    """
    found: dict[str, set[str]] = {}
    hearing = [
        (cls.name, each.function)
        for cls in module.body
        if isinstance(cls, n.ClassDefinition)
        for each in cls.body
        if isinstance(each, n.FunctionDefinition) and each.function.name == _HEARS
    ]
    for writer, code in [*((code.name, code) for code in module.functions), *hearing]:
        for container in _filled(code.body):
            for name in named(container):
                found.setdefault(name, set()).add(writer)
    return found


def changed_by_functions(module: n.Module) -> frozenset[str]:
    """The containers of a module, by their names, that its functions may change; found once."""
    return once(_changed_by_functions, module)


def _changed_by_functions(module: n.Module) -> frozenset[str]:
    found = (each for code in module.functions for each in _changed(code.body))
    return frozenset(name for container in found for name in _last(container))


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


def _filled(body: Iterable[n.Node]) -> Iterator[n.Node]:
    """The containers that code puts something into."""
    for node in walk(body):
        if isinstance(node, (n.Assign, n.AugmentedAssign)):
            targets = node.targets if isinstance(node, n.Assign) else [node.target]
            yield from (each.value for each in targets if isinstance(each, n.Subscript))
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr in _PUTS_IN:
                yield node.function.value


def _changed(body: Iterable[n.Node]) -> Iterator[n.Node]:
    """The containers that code puts something into, or takes something out of."""
    yield from _filled(body)
    for node in walk(body):
        if isinstance(node, n.Delete):
            yield from (each.value for each in node.targets if isinstance(each, n.Subscript))
        elif isinstance(node, n.AugmentedAssign):
            yield node.target
        elif isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
            if node.function.attr in _TAKES_OUT:
                yield node.function.value


def _last(node: n.Node) -> Iterator[str]:
    """The name, or attribute, that a container has."""
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
