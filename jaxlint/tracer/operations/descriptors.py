"""What descriptors give: properties, and what is bound to an object or a class."""

from __future__ import annotations

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import BoundMethod, Class, Descriptor, Instance, Method
from jaxlint.tracer.values.value import NONE, UNKNOWN, Value

_OF_PROPERTIES = frozenset({"getter", "setter", "deleter"})
"""Methods of a property that give another one."""


def of_object(tracer: Tracer, value: Instance, found: Descriptor, node: n.Node) -> Value:
    """What an object is given of an attribute of its class."""
    if found.kind == "property":
        return tracer.call(found.function, Arguments((value,)), node)
    if found.kind == python_api.CACHED_PROPERTY:
        return _cached(tracer, value, found, node)
    if found.kind == "classmethod":
        return BoundMethod(value.cls, found.function, tracer.stack.moment())
    if found.kind == "contextmanager" or found.cell is not None:
        return BoundMethod(value, found, tracer.stack.moment())
    return found.function


def _cached(tracer: Tracer, value: Instance, found: Descriptor, node: n.Node) -> Value:
    """An attribute that is computed when it is read first, and set for those who read it later."""
    computed = tracer.call(found.function, Arguments((value,)), node)
    if isinstance(node, n.Attribute) and not value.open:
        tracer.analyses.on_store_attribute(value, node.attr, None, computed, node)
        tracer.trail.set(value.attributes, node.attr, computed)
    return computed


def of_class(tracer: Tracer, cls: Class, found: Descriptor) -> Value:
    """What a class is given of an attribute that is bound to it, or to its objects."""
    if found.kind == "classmethod":
        return BoundMethod(cls, found.function, tracer.stack.moment())
    if found.cell is not None or found.kind == "property":
        return found
    return found.function if found.kind == "staticmethod" else UNKNOWN


def part(tracer: Tracer, value: Descriptor, name: str, node: n.Node) -> Value:
    """An attribute of a descriptor itself."""
    if value.kind != "property":
        return Method(value, name)
    parts = {"fget": value.function, "fset": value.setter or NONE}
    return parts.get(name) or (Method(value, name) if name in _OF_PROPERTIES else UNKNOWN)
