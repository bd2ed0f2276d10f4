"""Attributes of arrays used as what they are not: ``x.shape(0)``, ``x.at[0][1]``, ``x(0)``."""

from __future__ import annotations

from typing import Literal, TypeGuard

from jaxlint.events import MisusedAttribute
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.names import held
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, AtProperty
from jaxlint.tracer.values.value import Value

_DESCRIBE = jax_api.ARRAY_HOST_ATTRIBUTES.keys() | jax_api.ARRAY_ATTRIBUTES


def misused_at(
    tracer: Tracer, at: Value, use: Literal["called", "indexed", "asked", "operand"], node: n.Node
) -> bool:
    """Whether ``x.at`` or ``x.at[i]`` of an array is used otherwise than JAX means it."""
    if not isinstance(at, AtProperty) or not _is_array(at.array):
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, node), "at", use))
    return True


def misused_call(tracer: Tracer, function: Value, node: n.Node) -> bool:
    """Whether an array is called, or an attribute of one that is no method."""
    if misused_at(tracer, function, "called", node):
        return True
    if not isinstance(node, n.Call):
        return False
    name, array = "", function
    written = node.function
    if isinstance(written, n.Attribute) and written.attr in _DESCRIBE:
        name = written.attr
        holder = written.value
        if isinstance(holder, n.Name):
            array = held(tracer, holder.id, tracer.stack.frame)
    if not _is_array(array) or (not name and array.aval.shape is None):
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, written), name, "called"))
    return True


def misused_target(tracer: Tracer, owner: Value, node: n.Attribute) -> bool:
    """Whether an attribute of an array is set that follows from its elements."""
    if not _is_array(owner) or node.attr not in _DESCRIBE:
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, node), node.attr, "set"))
    return True


def _is_array(value: Value) -> TypeGuard[Array]:
    """Whether it is an array for certain.

    An array of unknown shape may be what something unknown made of one by an operator of its own.
    """
    if not isinstance(value, Array) or value.assumed:
        return False
    return value.traced is not None or value.aval.shape is not None
