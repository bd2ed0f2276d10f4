"""Specs, and what they say of the arrays that are cut by them."""

from __future__ import annotations

from math import prod
from typing import Literal, NamedTuple

from jaxlint.knowledge.transform import SHARDING, SPEC, UNMAPPED
from jaxlint.tracer.values.arrays import Reach
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.sizes import Dim, Shape
from jaxlint.tracer.values.value import Value

Pieces = tuple[int | None, ...]
"""Into how many pieces each dimension is cut; None: nobody can see."""


def sharding(mesh: Value | None, spec: Value | None) -> External:
    """What a mesh and a spec make together."""
    explicit = explicit_axes(mesh, spec)
    return External(SHARDING, sizes=pieces(mesh, spec), reach=_reach(mesh, spec), explicit=explicit)


def explicit_axes(mesh: Value | None, spec: Value | None) -> tuple[str, ...]:
    """The explicit axes of a mesh that a spec names."""
    if not isinstance(mesh, External) or not isinstance(spec, External):
        return ()
    return tuple(axis for axis in spec.axes or () if axis in mesh.explicit)


def _reach(mesh: Value | None, spec: Value | None) -> Reach:
    """Over which devices a sharding is: with a spec that names all axes each has its part."""
    if not isinstance(mesh, External) or not mesh.reach or not isinstance(spec, External):
        return ""
    return "part" if mesh.axes and set(mesh.axes) == set(spec.axes or ()) else "all"


def in_force(mesh: Value | None, place: Value | None) -> Value | None:
    """Where a spec alone puts an array, with the mesh that is set; another place is itself."""
    if isinstance(place, External) and place.type in (SPEC, UNMAPPED):
        return sharding(mesh, place)
    return place


def pieces(mesh: Value | None, spec: Value | None) -> Pieces | None:
    """How a spec cuts arrays over a mesh; None when the number of its entries is not in view."""
    if not isinstance(spec, External) or spec.entries is None:
        return None
    names, sizes = (mesh.axes, mesh.sizes) if isinstance(mesh, External) else (None, None)
    along = dict(zip(names, sizes, strict=True)) if names and sizes else {}
    return tuple(_cut(entry, along) for entry in spec.entries)


def _cut(entry: tuple[str, ...] | None, along: dict[str, int | None]) -> int | None:
    if entry is None:
        return None
    counts = [along.get(name) for name in entry]
    known = [count for count in counts if count is not None]
    return prod(known) if len(known) == len(counts) else None


def spec_of(specs: Value | None, position: int) -> Value | None:
    """The spec of one argument: the entry of a tuple, or the one that all share."""
    if not isinstance(specs, Sequence):
        return specs
    items = specs.items
    return items[position] if items is not None and position < len(items) else None


def names_nothing(spec: Value | None) -> bool:
    """Whether an array is the same on every device."""
    return isinstance(spec, External) and spec.type == UNMAPPED


class Misfit(NamedTuple):
    """What is wrong with a spec for an array: ``has`` entries or pieces, for what there is."""

    what: Literal["rank", "size"]
    has: int
    wants: int
    axis: int = 0


def misfit(shape: tuple[Dim, ...], cut: Pieces) -> Misfit | None:
    """Why an array cannot be cut so: too many entries, or a dimension that does not divide."""
    if len(cut) > len(shape):
        return Misfit("rank", len(cut), len(shape))
    for axis, (size, count) in enumerate(zip(shape, cut, strict=False)):
        if isinstance(size, int) and count and size % count:
            return Misfit("size", count, size, axis)
    return None


def piece(shape: Shape, cut: Pieces | None) -> Shape:
    """The shape of one piece: of the same rank, whatever the spec says."""
    if shape is None or cut is None or len(cut) > len(shape):
        return None if shape is None else (None,) * len(shape)
    whole = (*cut, *(1,) * (len(shape) - len(cut)))
    return tuple(_part(size, count) for size, count in zip(shape, whole, strict=True))


def _part(size: Dim, count: int | None) -> Dim:
    if count == 1:
        return size
    return size // count if isinstance(size, int) and count else None
