"""A pytree in two, by a test of its leaves, and together again: ``partition`` and ``combine``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jaxlint.knowledge.libraries import ARRAY_FILTERS, GIVES_BOTH_PARTS
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, kind_of
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_of,
    mapping,
    sequence,
    tuple_of,
)
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Instance, Qualified
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Host, Value


def parted(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The leaves that pass a test, None in place of the others; and the other way round."""
    tree, test = arguments.get(0, "pytree"), arguments.get(1, "filter_spec")
    row = ARRAY_FILTERS.get(test.name) if isinstance(test, Qualified) else None
    given = arguments.all()
    if tree is None or row is None or len(given) != 2 or not arguments.closed:
        unseen = tracer.unseen(*given)
        return tuple_of([unseen, unseen]) if GIVES_BOTH_PARTS[name] else unseen
    passing = _side(tracer, tree, row, passing=True)
    if not GIVES_BOTH_PARTS[name]:
        return passing
    return tuple_of([passing, _side(tracer, tree, row, passing=False)])


def _side(tracer: Tracer, tree: Value, row: str, passing: bool) -> Value:
    def leaf(value: Value) -> Value:
        if passing and isinstance(value, External):
            return replace(value, leaves=())  # What is left of a layer is its arrays.
        passes = _passes(value, row)
        if passes is None:
            return value if passing or isinstance(value, Array) else UNKNOWN
        return value if passes is passing else NONE

    return map_leaves(tree, leaf, tracer.stack.moment(), fresh=True)


def _passes(value: Value, row: str) -> bool | None:
    """Whether a leaf is an array of that kind; None when that is not in view."""
    if isinstance(value, Array):
        kind = kind_of(value.dtype)
        if row == "any" or kind in ("float", "complex"):
            return True
        return False if kind in ("bool", "int", "key") else None
    if isinstance(value, (Const, Host, Qualified, Instance)) or function_like(value):
        return False
    return None


def together(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Of leaves in one place the first that is not None."""
    if not arguments.args or not arguments.closed or arguments.kwargs:
        return tracer.unseen(*arguments.all())
    whole, *others = arguments.args
    for other in others:
        whole = _together(tracer, whole, other)
    return whole


def _together(tracer: Tracer, one: Value, other: Value) -> Value:
    if one is other or other is NONE:
        return one
    if one is NONE:
        return other
    if isinstance(one, Array):
        return Array(None, other.aval) if isinstance(other, Array) else one
    if isinstance(one, (Instance, Sequence, Mapping)):
        found = _containers_together(tracer, one, other)
        return tracer.unseen(one, other) if found is None else found

    def leaf(value: Value) -> Value:
        """What is no array for certain is among the rest alone."""
        return value if _is_rest(value) else tracer.unseen(one)

    return map_leaves(other, leaf, tracer.stack.moment(), fresh=True)


def _containers_together(
    tracer: Tracer, one: Instance | Sequence | Mapping, other: Value
) -> Value | None:
    """Two containers of one structure, part by part; None where they are not."""
    made = tracer.stack.moment()
    if isinstance(one, Instance) and isinstance(other, Instance):
        parts = _by_name(tracer, one.attributes, other.attributes)
        same = one.cls.definition is other.cls.definition
        heir = one.heir or other.heir
        return Instance(one.cls, parts, made, heir) if same and parts is not None else None
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        parts = _by_name(tracer, _numbered(one), _numbered(other))
        same = one.kind == other.kind and parts is not None
        return sequence(one.kind, contents_of(list((parts or {}).values())), made) if same else None
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        parts = _by_name(tracer, one.entries.known, other.entries.known)
        whole = one.entries.rest is None and other.entries.rest is None
        return mapping(parts, None, made) if whole and parts is not None else None
    return None


def _is_rest(leaf: Value) -> bool:
    return leaf is not NONE and _passes(leaf, "any") is False


def _numbered(value: Sequence) -> dict[int, Value] | None:
    return dict(enumerate(value.items)) if value.items is not None else None


def _by_name(
    tracer: Tracer, one: dict[Any, Value] | None, other: dict[Any, Value] | None
) -> dict[Any, Value] | None:
    """Parts of the same names, together; None where one has others."""
    if one is None or other is None or one.keys() != other.keys():
        return None
    return {name: _together(tracer, part, other[name]) for name, part in one.items()}
