"""What code reads only in passing: for its size, for what no update changes, or to raise."""

from __future__ import annotations

from jaxlint.knowledge.jax_api import SIZES_OF_ARRAYS
from jaxlint.knowledge.libraries import KEPT_BY_UPDATES
from jaxlint.program import nodes as n
from jaxlint.program.walk import statements, walk
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.value import Value

_ASKED = SIZES_OF_ARRAYS | {"ndim"}
"""Attributes that say how large an array is."""


def read_in_passing(module: n.Module) -> frozenset[int]:
    """What a module reads only for what stays in it, or to raise if it is not so."""
    return _read_of_states(module) | _asked_to_raise(module)


def _read_of_states(module: n.Module) -> frozenset[int]:
    """What a module reads for what no update changes: ``self.state`` in ``self.state.apply_fn``."""
    if KEPT_BY_UPDATES.isdisjoint(module.loaded):
        return frozenset()
    return frozenset(
        id(each.value)
        for each in walk(module.body)
        if isinstance(each, n.Attribute) and each.attr in KEPT_BY_UPDATES
    )


def _asked_to_raise(module: n.Module) -> frozenset[int]:
    """What is read to raise if it is not so: code that was compiled has got past that."""
    return frozenset(
        id(part)
        for each in statements(module.body)
        if isinstance(each, n.Assert)
        or (isinstance(each, n.If) and each.body and isinstance(each.body[-1], n.Raise))
        for part in walk([each.test])
    )


def read_for_sizes(module: n.Module) -> frozenset[int]:
    """What a module reads to ask how large it is, or how large something in it is."""
    found: set[int] = set()
    for each in walk(module.body):
        asked: n.Node | None = None
        if isinstance(each, n.Attribute) and each.attr in _ASKED:
            asked = each.value
        elif isinstance(each, n.Call) and len(each.arguments) == 1:
            function = each.function
            if isinstance(function, n.Name) and function.id == "len":
                asked = each.arguments[0].value
        while asked is not None:
            found.add(id(asked))
            asked = asked.value if isinstance(asked, n.Subscript) else None
    return frozenset(found)


_DEEPEST = 4
"""Containers inside of containers whose sizes are compared: one may hold itself."""


def sizes_differ(one: Value | None, other: Value | None, depth: int = _DEEPEST) -> bool:
    """Whether two values are of different sizes for certain, or what they hold is."""
    if not depth:
        return False
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        if one.items is None or other.items is None:
            return False
        pairs = zip(one.items, other.items, strict=False)
        return len(one.items) != len(other.items) or any(
            sizes_differ(*pair, depth - 1) for pair in pairs
        )
    if isinstance(one, (Array, NumpyArray)) and isinstance(other, (Array, NumpyArray)):
        return unequal(one.aval.shape, other.aval.shape)
    return False
