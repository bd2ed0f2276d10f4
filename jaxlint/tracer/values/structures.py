"""Whether two pytrees have the same structure, as far as both are in view."""

from __future__ import annotations

from jaxlint.knowledge.libraries import FLATTENED_INTO_PARTS
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.functions import is_leaf_function
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.pytrees import DEEPEST, parts_of
from jaxlint.tracer.values.value import NONE, Const, Value, is_number


def unlike(first: Value, other: Value, empty: bool = True, depth: int = DEEPEST) -> bool:
    """Whether a tree has another structure than the first, down to the leaves of that.

    An object that an annotation promises may be of another class. ``empty``: None in the first
    is nothing, beside which nothing else may stand.
    """
    if any(isinstance(each, Instance) and each.open for each in (first, other)):
        return False
    mine, its = structure(first), structure(other)
    if mine in (None, "array") or its in (None, "None"):
        return False
    if mine == "None":
        return empty
    if mine != its or _other_metadata(first, other):
        return True
    left, right = parts_of(first), parts_of(other)
    if left is None or right is None or left.keys() != right.keys() or not depth:
        return False
    return any(unlike(part, right[name], empty, depth - 1) for name, part in left.items())


def other_structure(one: Value, other: Value, depth: int = DEEPEST) -> bool:
    """Whether two values are pytrees of different structure for certain."""
    if any(isinstance(each, Instance) and each.heir for each in (one, other)):
        return False  # An annotation promises it, and it may be of another class.
    found = structure(one), structure(other)
    if None in found:
        return False
    if found[0] != found[1] or _other_metadata(one, other):
        return True
    left, right = parts_of(one), parts_of(other)
    if left is None or right is None or left.keys() != right.keys() or not depth:
        return False
    return any(other_structure(part, right[name], depth - 1) for name, part in left.items())


def _other_metadata(one: Value, other: Value) -> bool:
    """Whether two objects of one class differ in a static field, which belongs to the structure."""
    if not isinstance(one, Instance) or not isinstance(other, Instance):
        return False
    for name in one.cls.traits.static_fields:
        left, right = one.attributes.get(name), other.attributes.get(name)
        if isinstance(left, Const) and isinstance(right, Const) and left.value != right.value:
            return True
    return False


def structure(value: Value) -> object:
    """The outermost structure of a pytree, comparable; None when it is unknown."""
    if value is NONE:
        return "None"
    if isinstance(value, (Array, NumpyArray)) or is_number(value):
        return None if isinstance(value, Array) and value.assumed else "array"
    if is_leaf_function(value):
        return "array"
    if isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items is not None:
        return (value.kind, len(value.items))
    if isinstance(value, Mapping) and value.entries.rest is None:
        return ("dict", tuple(sorted(map(str, value.entries.known))))
    if isinstance(value, Instance) and value.cls.traits.pytree == "namedtuple":
        return ("named tuple", id(value.cls.definition))
    if isinstance(value, Instance) and value.cls.traits.pytree and not value.heir:
        return ("object", id(value.cls.definition))
    if isinstance(value, External) and value.type in FLATTENED_INTO_PARTS:
        return ("object", value.type)
    return None
