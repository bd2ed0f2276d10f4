"""Indices, as the rules for shapes take them."""

from __future__ import annotations

from jaxlint.tracer.values.arrays import (
    Array,
    Bounds,
    NumpyArray,
    kind_of,
)
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.shapes import UNKNOWN as NOBODY_KNOWS
from jaxlint.tracer.values.shapes import ArrayIndex, Index
from jaxlint.tracer.values.value import (
    Const,
    Value,
    type_name,
)


def index_of(index: Value) -> Index | tuple[Index, ...]:
    """An index as the rules for shapes take it."""
    if isinstance(index, Sequence) and index.kind == "tuple":
        return tuple(map(_part, index.items)) if index.items is not None else NOBODY_KNOWS
    return _part(index)


def _part(index: Value) -> Index:
    if isinstance(index, Bounds):
        whole = (*index.parts, None, None, None)[:3]
        known = [part is None or isinstance(part, Const) for part in whole]
        if all(known):
            return slice(*(part.value if isinstance(part, Const) else None for part in whole))
        return slice(None, Ellipsis)
    if isinstance(index, Const):
        return _constant_index(index.value)
    if isinstance(index, (Array, NumpyArray)):
        kind = kind_of(index.aval.dtype)
        return ArrayIndex(index.aval.shape, kind == "bool") if kind in _INDEXES else NOBODY_KNOWS
    return 0 if type_name(index) == "int" else NOBODY_KNOWS


_INDEXES = frozenset({"bool", "int"})


def _constant_index(value: object) -> Index:
    if value is None or value is Ellipsis:
        return None if value is None else Ellipsis
    return value if type(value) is int else NOBODY_KNOWS
