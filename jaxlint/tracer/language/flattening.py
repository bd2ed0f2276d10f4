"""Which attributes of a registered class are leaves: what its functions of flattening say."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.values.objects import Class, Descriptor, Function
from jaxlint.tracer.values.value import Value

_METHODS = ("tree_flatten", "tree_flatten_with_keys")


def children_of(cls: Class) -> frozenset[str] | None:
    """Attributes that the methods of a class return as children; None where they do not say."""
    found = children_in_order(cls)
    return None if found is None else frozenset(found)


def children_in_order(cls: Class) -> tuple[str, ...] | None:
    """The same in the order in which they are returned, and handed to what makes an object of them.

    They may be those of a class above it. What a property gives is no attribute: which ones it is
    made of nobody asks.
    """
    for name in _METHODS:
        found = _returned_by(cls.find(name))
        if found is not None:
            computed = any(isinstance(cls.find(each), Descriptor) for each in found)
            return None if computed else found
    return None


def children_in(flatten: Value | None) -> frozenset[str] | None:
    """Attributes that ``flatten(object)`` returns as children, where it says so plainly."""
    found = _returned_by(flatten)
    return None if found is None else frozenset(found)


def _returned_by(flatten: Value | None) -> tuple[str, ...] | None:
    if not isinstance(flatten, Function) or not flatten.code.parameters:
        return None
    receiver = flatten.code.parameters[0].name
    names: dict[str, n.Node] = {}
    for statement in flatten.code.body:
        if isinstance(statement, n.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, n.Name):
                names[target.id] = statement.value
        if isinstance(statement, n.Return) and isinstance(statement.value, n.Display):
            children = statement.value.elements[0] if statement.value.elements else None
            if isinstance(children, n.Name):
                children = names.get(children.id)
            return _attributes_of(children, receiver)
    return None


def _attributes_of(children: n.Node | None, receiver: str) -> tuple[str, ...] | None:
    if not isinstance(children, n.Display):
        return None
    found = []
    for child in children.elements:
        # A child may stand beside the key that names it.
        element = child.elements[-1] if isinstance(child, n.Display) and child.elements else child
        if not (isinstance(element, n.Attribute) and isinstance(element.value, n.Name)):
            return None
        if element.value.id != receiver:
            return None
        found.append(element.attr)
    return tuple(found)
