"""Arrays, and attributes of them, used as what they are not: ``x.shape(0)``, ``x(0)``, ``**x``."""

from __future__ import annotations

from typing import Literal, TypeGuard

from jaxlint.events import MisusedAttribute
from jaxlint.knowledge import array_names, class_api, jax_api
from jaxlint.knowledge.libraries import METHODS_ARE_PYTREES
from jaxlint.program import nodes as n
from jaxlint.tracer.names import held
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, AtProperty
from jaxlint.tracer.values.functions import is_function
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.value import NONE, UNKNOWN, Value, is_string

_ASKED_OF_LEAVES = frozenset({"shape", "dtype", "ndim", "size", "astype", "reshape"})
"""What is asked of the leaves of a tree, and what functions of libraries do not have."""

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
    if function is NONE:
        return _calls_what_was_taken_out(tracer, written, node)
    if isinstance(written, n.Attribute) and written.attr in _DESCRIBE:
        name = written.attr
        holder = written.value
        if isinstance(holder, n.Name):
            array = held(tracer, holder.id, tracer.stack.frame)
    if not _is_array(array) or (not name and array.aval.shape is None):
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, written), name, "called"))
    return True


def _calls_what_was_taken_out(tracer: Tracer, written: n.Node, node: n.Call) -> bool:
    """Whether a module calls a function of its own in whose place a filter has put None."""
    if not isinstance(written, n.Attribute) or not isinstance(written.value, n.Name):
        return False
    module = held(tracer, written.value.id, tracer.stack.frame)
    filtered = isinstance(module, Instance) and module.cls.traits.module in METHODS_ARE_PYTREES
    if not filtered or not tracer.stack.frame.certain or tracer.stack.in_branch():
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, written), written.attr, "taken_out"))
    return True


def misused_target(tracer: Tracer, owner: Value, node: n.Attribute) -> bool:
    """Whether an attribute of an array is set that follows from its elements."""
    if not _is_array(owner) or node.attr not in _DESCRIBE:
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, node), node.attr, "set"))
    return True


def lacks_attribute(tracer: Tracer, array: Array, name: str, node: n.Node) -> bool:
    """Whether arrays of no release have an attribute: another object was expected here."""
    of_tuples = name in class_api.OF_NAMED_TUPLES
    if array_names.ever_on_arrays(name) and not of_tuples:
        return False
    asked = node.value if isinstance(node, n.Attribute) else None
    if not is_array_here(tracer, array, asked):
        return False
    event = MisusedAttribute(tracer.context(node, node, array), name, "lacked")
    _note_other(tracer, event, asked)
    return True


def asks_function(tracer: Tracer, value: Value, name: str, node: n.Node) -> bool:
    """Whether a function is asked for what describes an array: a leaf of a tree is one."""
    if name not in _ASKED_OF_LEAVES or not is_function(value):
        return False
    if tracer.stack.in_branch():
        return False
    tracer.emit(MisusedAttribute(tracer.context(node, node), name, "of_function"))
    return True


def looks_up_text(tracer: Tracer, array: Array, index: Value, node: n.Subscript) -> bool:
    """Whether an array is indexed by a text: a dict was expected here."""
    if not is_string(index) or not is_array_here(tracer, array, node.value):
        return False
    event = MisusedAttribute(tracer.context(node, node, array), "", "indexed")
    _note_other(tracer, event, node.value)
    return True


def taken_for_mapping(tracer: Tracer, value: Value, node: n.Node) -> bool:
    """Whether ``**x`` stands before an array: a dict was expected here."""
    if not isinstance(value, Array) or not is_array_here(tracer, value, node):
        return False
    event = MisusedAttribute(tracer.context(node, node, value), "", "mapped")
    _note_other(tracer, event, node)
    return True


def _note_other(tracer: Tracer, event: MisusedAttribute, written: n.Node | None) -> None:
    """Something else was expected than an array: of what follows nobody knows what it is."""
    tracer.emit(event)
    if isinstance(written, n.Name):
        tracer.trail.set(tracer.stack.frame.names, written.id, UNKNOWN)


def is_array_here(tracer: Tracer, value: Array, written: n.Node | None) -> bool:
    """Whether an expression gives an array for certain.

    Of something unknown beside an array nobody knows the shape: it may have operators of its own.
    What leads to a branch may ask what it is; a variable of the code around a function may be
    bound to something else when that is called.
    """
    if value.assumed or not (value.traced is False or value.aval.shape is not None):
        return False
    local = isinstance(written, n.Name) and written.id in tracer.stack.frame.names
    return (local or isinstance(written, n.Call)) and not tracer.stack.in_branch()


def _is_array(value: Value) -> TypeGuard[Array]:
    """Whether it is an array for certain.

    An array of unknown shape may be what something unknown made of one by an operator of its own.
    """
    if not isinstance(value, Array) or value.assumed:
        return False
    return value.traced is not None or value.aval.shape is not None
