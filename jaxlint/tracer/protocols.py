"""What a tracer does when Python asks it for something: JAX's own Tracer methods.

Each function mirrors one dunder of ``jax.core.Tracer``, in the order of that
class: truth, index, iteration, item assignment. It emits the event that the real
tracer would raise for, and says what Python gets.
"""

from __future__ import annotations

from jaxlint.events import (
    BoolConversion,
    HashConversion,
    IndexConversion,
    ScalarConversion,
    ScalarIteration,
)
from jaxlint.program import nodes as n
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.values import (
    UNKNOWN,
    Array,
    Const,
    External,
    Function,
    Host,
    Instance,
    KeyState,
    Mapping,
    NumpyArray,
    Sequence,
    Tree,
    Value,
)


def refuses_bool(value: Value) -> bool:
    """Whether ``bool(value)`` raises for certain."""
    return (
        isinstance(value, Array) and value.traced is True and value.concreteness != "differentiated"
    )


def truth(machine: Machine, value: Value, node: n.Node, construct: str) -> bool | None:
    """``bool(value)``: the truth value when known, else None."""
    if isinstance(value, Const):
        try:
            return bool(value.value)
        except (TypeError, ValueError):
            return None
    if isinstance(value, Array):
        machine.waited(value, node, construct)
        if refuses_bool(value):
            machine.emit(BoolConversion(machine.context(node, node, value), construct))
        return None
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        return bool(value.items)
    if isinstance(value, (Function, External)):
        return True
    return None


def index(machine: Machine, value: Value, node: n.Node, construct: str) -> None:
    """``operator.index(value)``, as ``range`` does."""
    if isinstance(value, Tree):
        value = value.as_array()
    if refuses_bool(value):
        machine.emit(IndexConversion(machine.context(node, node, value), construct))


def scalar(machine: Machine, value: Value, node: n.Node, construct: str) -> None:
    """``float(value)``, ``value.item()``, ``math.sin(value)``: a Python number is wanted.

    Under eager ``grad`` a tracer still gives an integer and ``.item()``.
    """
    if isinstance(value, Tree) and not value.optional:
        value = value.as_array()
    if not (isinstance(value, Array) and value.traced):
        return
    if value.concreteness != "differentiated" or construct not in ("int()", ".item()"):
        machine.emit(ScalarConversion(machine.context(node, node, value), construct))


def hashed(machine: Machine, value: Value, node: n.Node, construct: str) -> None:
    """``hash(value)``, as a dict key or an element of a set."""
    if isinstance(value, Array) and value.traced:
        machine.emit(HashConversion(machine.context(node, node, value), construct))


def iterate(machine: Machine, value: Value, node: n.Node) -> list[Value] | Value:
    """``iter(value)``: the elements when their number is known, else one for all."""
    if isinstance(value, Sequence):
        outer = value.moment is not None and value.moment.frame is machine.globals
        if value.kind == "list" and value.items == [] and outer:
            if machine.frame is not machine.globals:
                return UNKNOWN  # By the time this runs, other code may have filled it.
        return list(value.items) if value.items is not None else value.element
    if isinstance(value, Instance) and value.cls.pytree == "namedtuple":
        return list(value.attributes.values())
    if isinstance(value, Mapping):
        if value.rest is None:
            return [Const(key) for key in value.entries]
        return UNKNOWN
    if isinstance(value, Array):
        if value.rank == 0 and value.traced:
            machine.emit(ScalarIteration(machine.context(node, node, value)))
            return UNKNOWN
        if value.prng is not None:
            return _keys_in(machine, value, value.prng)
        # Iterating slices, and a slice is an operation: traced where all of them are.
        rank = value.rank - 1 if value.rank else None
        return machine.array([value], node, "iteration", rank, value.dtype)
    if isinstance(value, Tree):
        return Tree(value.reason, value.concreteness)
    if isinstance(value, Const) and isinstance(value.value, (str, bytes, tuple)):
        return Host("str") if isinstance(value.value, str) else Host("object")
    if isinstance(value, Host):
        return Host({"shape": "int", "str": "str"}.get(value.type, "object"))
    if isinstance(value, NumpyArray):
        return Host("object")
    return UNKNOWN


def _keys_in(machine: Machine, value: Array, state: KeyState) -> list[Value] | Value:
    """The elements of an array of PRNG keys, each with its own identity."""
    count = state.count
    elements: list[Value] = []
    for position in range(count or 1):
        element = Array(value.traced, None, "key", value.reason, value.concreteness)
        known = count is not None
        element.prng = machine.key_at(state, position) if known else machine.fresh_key(state)
        elements.append(element)
    return elements if count is not None else elements[0]


def assigns_item(value: Value, index_value: Value, index_node: n.Node, refs_about: bool) -> bool:
    """Whether ``value[index] = ...`` raises because the value is a JAX array.

    ``refs_about``: the file uses mutable references, so an argument of unknown
    structure may be one.
    """
    if refs_about and (isinstance(value, Tree) or (isinstance(value, Array) and value.assumed)):
        return False
    if isinstance(value, Array):
        return not value.assumed or _array_index(index_value, index_node)
    if isinstance(value, Tree) and not value.container:
        # A list has no such index, and a tracer is none for a list or dict either.
        return _array_index(index_value, index_node)
    return False


def _array_index(value: Value, node: n.Node) -> bool:
    if isinstance(node, (n.Slice, n.Display)):
        return True
    if isinstance(value, Const):
        return value.value is None or isinstance(value.value, int)
    return isinstance(value, (Array, Tree)) and value.concreteness == "abstract"
