"""What asks a tracer for its value: an index, a number, a hash."""

from __future__ import annotations

from jaxlint.events import HashConversion, IndexConversion, ScalarConversion
from jaxlint.program import nodes as n
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import GIVES_VALUE, Array, Tree, refuses_bool
from jaxlint.tracer.values.containers import Mapping, Sequence, mutable_kind
from jaxlint.tracer.values.pytrees import unpacked
from jaxlint.tracer.values.value import NONE, Value, is_string

_UNHASHABLE = frozenset({"list", "set"})

_GIVEN_BY_GRAD = frozenset({"int()", ".item()"})
"""What a tracer of eager ``grad`` still gives."""


def index(tracer: Tracer, value: Value, node: n.Node, construct: str) -> None:
    """``operator.index(value)``, as ``range`` does."""
    if isinstance(value, Tree):
        value = value.as_array()
    if refuses_bool(value):
        tracer.emit(IndexConversion(tracer.context(node, node, value), construct))
    elif _is_no_number(value) or is_string(value):
        tracer.raises()


def number(tracer: Tracer, value: Value, node: n.Node, construct: str) -> None:
    """``float(value)``, ``value.item()``, ``math.sin(value)``: a Python number is wanted."""
    if isinstance(value, Tree) and not value.optional:
        value = value.as_array()
    if _is_no_number(value):
        tracer.raises()
    if not (isinstance(value, Array) and value.traced):
        return
    if value.concreteness not in GIVES_VALUE or construct not in _GIVEN_BY_GRAD:
        tracer.emit(ScalarConversion(tracer.context(node, node, value), construct))


def hashed(tracer: Tracer, value: Value, node: n.Node, construct: str) -> None:
    """``hash(value)``, as a dict key or an element of a set."""
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        for item in value.items:
            hashed(tracer, item, node, construct)
    if isinstance(value, Array) and (value.traced or not value.assumed):
        tracer.emit(HashConversion(tracer.context(node, node, value), construct))
    elif mutable_kind(value) in _UNHASHABLE:
        tracer.raises()


def _is_no_number(value: Value) -> bool:
    """Whether Python makes no number of it: a container, or None."""
    return value is NONE or isinstance(value, (Sequence, Mapping))


def refuses_value(value: Value) -> bool:
    """Whether Python cannot learn the value, or a part of it, while tracing."""
    if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
        return any(map(_is_refused, unpacked(value)))
    return _is_refused(value)


def _is_refused(value: Value) -> bool:
    if isinstance(value, Tree):
        return value.concreteness not in GIVES_VALUE and not value.optional
    return refuses_bool(value)
