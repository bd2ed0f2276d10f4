"""Shapes whose sizes may be unknown, and what array operations make of them.

A size is an ``int``, a :class:`Size` (unknown, but the same wherever the token stands) or
None. A shape is a tuple of sizes, or None when not even the rank is known. Every function
is exact or silent: a size that is not certain is None, and a contradiction is concluded
only when the operation fails for all values that the unknown sizes may have.
"""

from __future__ import annotations

import enum
import functools
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import EllipsisType
from typing import NamedTuple, TypeAlias, cast

from jaxlint.tracer.values.sizes import (
    Dim,
    Shape,
    added,
    agreed,
    differ,
    divided,
    multiplied,
    together,
)


class Unknown(enum.Enum):
    """The one value that stands for an argument nobody knows."""

    UNKNOWN = "?"


UNKNOWN = Unknown.UNKNOWN

Axis: TypeAlias = "int | tuple[int, ...] | Unknown | None"


class Inferred(NamedTuple):
    """The shape of a result, and whether the operation fails for certain."""

    shape: Shape
    contradiction: bool = False


NOTHING = Inferred(None)
IMPOSSIBLE = Inferred(None, contradiction=True)


@dataclass(frozen=True, slots=True)
class ArrayIndex:
    """An array between the brackets of ``x[...]``: of integers, or a mask of booleans."""

    shape: Shape
    mask: bool = False


Index: TypeAlias = "int | slice | EllipsisType | ArrayIndex | Unknown | None"


# ---------------------------------------------------------------- single sizes


# ------------------------------------------------------------------ whole shapes


def broadcast(*shapes: Shape) -> Inferred:
    """The shape of arrays combined element by element."""
    if any(
        first != 1 and second != 1 and differ(first, second)
        for position, one in enumerate(shapes)
        for other in shapes[:position]
        if one is not None and other is not None
        for first, second in zip(reversed(one), reversed(other), strict=False)
    ):
        return IMPOSSIBLE
    sizes: list[Dim] = []
    for shape in shapes:
        if shape is None:
            return NOTHING
        pairs = zip_longest(sizes, reversed(shape), fillvalue=1)
        sizes = [together(first, second) for first, second in pairs]
    return Inferred(tuple(reversed(sizes)))


def too_large(shape: Shape, wanted: Shape) -> bool:
    """Whether an array cannot be broadcast to a shape, which has no axis for one of its own."""
    if shape is None or wanted is None:
        return False
    pairs = zip(reversed(shape), reversed(wanted), strict=False)
    return len(shape) > len(wanted) or any(
        size != 1 and differ(size, other) for size, other in pairs
    )


def _normal(axis: int | tuple[int, ...], rank: int) -> tuple[int, ...] | None:
    """Axes counted from the front; None when one is outside or comes twice."""
    axes = (axis,) if isinstance(axis, int) else axis
    found = tuple(number + rank if number < 0 else number for number in axes)
    inside = all(0 <= number < rank for number in found)
    return found if inside and len(set(found)) == len(found) else None


def reduce(shape: Shape, axis: Axis = None, keepdims: bool | None = False) -> Inferred:
    """The shape after a reduction; ``keepdims`` is None when it is not known."""
    if shape is None:
        return Inferred(()) if axis is None and keepdims is False else NOTHING
    if axis is UNKNOWN:
        return Inferred((None,) * len(shape) if keepdims else None)
    axes = tuple(range(len(shape))) if axis is None else _normal(axis, len(shape))
    if axes is None:
        return IMPOSSIBLE
    if keepdims is None:
        return Inferred(shape) if not axes else NOTHING
    if keepdims:
        return Inferred(tuple(1 if i in axes else size for i, size in enumerate(shape)))
    return Inferred(tuple(size for i, size in enumerate(shape) if i not in axes))


def reshape(shape: Shape, new: Sequence[Dim]) -> Inferred:
    """The shape after ``x.reshape(new)``, where -1 is what remains."""
    if sum(size == -1 for size in new) > 1:
        return IMPOSSIBLE
    if -1 in new:
        rest = [size for size in new if size != -1]
        size = None if shape is None else divided(shape, rest)
        return Inferred(
            tuple(size if one == -1 else one for one in new),
            contradiction=size is None and _literal(shape) and _literal(rest),
        )
    old = None if shape is None else multiplied(shape)
    return Inferred(tuple(new), contradiction=differ(old, multiplied(new)))


def _literal(sizes: Sequence[Dim] | None) -> bool:
    """Whether every size is a number, and none of them 0, which divides in its own way."""
    return sizes is not None and all(isinstance(size, int) and size for size in sizes)


def transpose(shape: Shape, axes: Axis = None) -> Inferred:
    """The shape with its axes in another order, reversed when ``axes`` is None."""
    if shape is None:
        return NOTHING
    if axes is UNKNOWN:
        return Inferred((None,) * len(shape))
    order = tuple(reversed(range(len(shape)))) if axes is None else _normal(axes, len(shape))
    if order is None or len(order) != len(shape):
        return IMPOSSIBLE
    return Inferred(tuple(shape[axis] for axis in order))


def swapaxes(shape: Shape, first: Axis, second: Axis) -> Inferred:
    """The shape with two axes exchanged."""
    if shape is None:
        return NOTHING
    if not isinstance(first, int) or not isinstance(second, int):
        return Inferred((None,) * len(shape))
    one, two = _normal(first, len(shape)), _normal(second, len(shape))
    if one is None or two is None:
        return IMPOSSIBLE
    sizes = list(shape)
    sizes[one[0]], sizes[two[0]] = sizes[two[0]], sizes[one[0]]
    return Inferred(tuple(sizes))


def moveaxis(shape: Shape, source: Axis, destination: Axis) -> Inferred:
    """The shape with some axes moved, the others in their order."""
    if shape is None:
        return NOTHING
    if source is UNKNOWN or destination is UNKNOWN or source is None or destination is None:
        return Inferred((None,) * len(shape))
    from_, to = _normal(source, len(shape)), _places(destination, len(shape))
    if from_ is None or to is None or len(from_) != len(to):
        return IMPOSSIBLE
    order = [axis for axis in range(len(shape)) if axis not in from_]
    for place, axis in sorted(zip(to, from_, strict=True)):
        order.insert(place, axis)
    return Inferred(tuple(shape[axis] for axis in order))


def _places(axes: int | tuple[int, ...], rank: int) -> list[int] | None:
    """Where axes are moved to; JAX takes the same place for several."""
    found = [_normal(each, rank) for each in ((axes,) if isinstance(axes, int) else axes)]
    return None if None in found else [each[0] for each in found if each is not None]


def expand_dims(shape: Shape, axis: Axis) -> Inferred:
    """The shape with axes of size 1 put in."""
    if shape is None or axis is UNKNOWN or axis is None:
        return NOTHING
    count = 1 if isinstance(axis, int) else len(axis)
    places = _normal(axis, len(shape) + count)
    if places is None:
        return IMPOSSIBLE
    sizes = iter(shape)
    return Inferred(tuple(1 if i in places else next(sizes) for i in range(len(shape) + count)))


def squeeze(shape: Shape, axis: Axis = None) -> Inferred:
    """The shape without axes of size 1; without ``axis`` every size must be known."""
    if shape is None or axis is UNKNOWN:
        return NOTHING
    if axis is None:
        known = all(isinstance(size, int) for size in shape)
        return Inferred(tuple(size for size in shape if size != 1) if known else None)
    axes = _normal(axis, len(shape))
    if axes is None or any(differ(shape[number], 1) for number in axes):
        return IMPOSSIBLE
    return Inferred(tuple(size for i, size in enumerate(shape) if i not in axes))


def concatenate(shapes: Sequence[Shape], axis: Axis = 0) -> Inferred:
    """The shape of arrays joined along an axis that they have."""
    if axis is None:
        flat = [None if shape is None else multiplied(shape) for shape in shapes]
        return Inferred((added(flat),))
    known = [shape for shape in shapes if shape is not None]
    if not known or not isinstance(axis, int):
        return Inferred((None,) * len(known[0]) if known else None)
    place = _normal(axis, len(known[0]))
    if place is None or any(len(shape) != len(known[0]) for shape in known):
        return IMPOSSIBLE
    columns = list(zip(*known, strict=True))
    along = columns.pop(place[0])
    sizes: list[Dim] = []
    for column in columns:
        if len({size for size in column if isinstance(size, int)}) > 1:
            return IMPOSSIBLE
        sizes.append(functools.reduce(agreed, column))
    sizes.insert(place[0], added(along) if len(known) == len(shapes) else None)
    return Inferred(tuple(sizes))


def stack(shapes: Sequence[Shape], axis: Axis = 0) -> Inferred:
    """The shape of arrays of one shape, joined along a new axis."""
    known = [shape for shape in shapes if shape is not None]
    if not known:
        return NOTHING
    if any(len(shape) != len(known[0]) for shape in known):
        return IMPOSSIBLE
    sizes = known[0]
    for shape in known[1:]:
        if any(differ(one, other) for one, other in zip(sizes, shape, strict=True)):
            return IMPOSSIBLE
        sizes = tuple(agreed(one, other) for one, other in zip(sizes, shape, strict=True))
    if not isinstance(axis, int):
        return Inferred((None,) * (len(sizes) + 1))
    place = _normal(axis, len(sizes) + 1)
    if place is None:
        return IMPOSSIBLE
    return Inferred((*sizes[: place[0]], len(shapes), *sizes[place[0] :]))


# -------------------------------------------------------------------- products


def matmul(first: Shape, second: Shape) -> Inferred:
    """The shape of ``x @ y``."""
    if () in (first, second):
        return IMPOSSIBLE
    if first is None or second is None:
        return NOTHING
    if differ(first[-1], second[-2] if len(second) > 1 else second[-1]):
        return IMPOSSIBLE
    batch, contradiction = broadcast(first[:-2], second[:-2])
    if contradiction or batch is None:
        return IMPOSSIBLE
    rows = first[-2:-1]
    columns = second[-1:] if len(second) > 1 else ()
    return Inferred((*batch, *rows, *columns))


def dot(first: Shape, second: Shape) -> Inferred:
    """The shape of ``jnp.dot(x, y)``."""
    if () in (first, second):
        return Inferred(first if second == () else second)
    if first is None or second is None:
        return NOTHING
    if differ(first[-1], second[-2] if len(second) > 1 else second[-1]):
        return IMPOSSIBLE
    return Inferred((*first[:-1], *second[:-2], *(second[-1:] if len(second) > 1 else ())))


def tensordot(first: Shape, second: Shape, axes: int | tuple[Axis, Axis] | Unknown = 2) -> Inferred:
    """The shape after contracting axes of one array with axes of another."""
    if first is None or second is None or axes is UNKNOWN:
        return NOTHING
    if isinstance(axes, int):
        if axes > min(len(first), len(second)):
            return IMPOSSIBLE
        axes = (tuple(range(len(first) - axes, len(first))), tuple(range(axes)))
    if not all(isinstance(axis, (int, tuple)) for axis in axes):
        return NOTHING
    one = _normal(cast("int | tuple[int, ...]", axes[0]), len(first))
    two = _normal(cast("int | tuple[int, ...]", axes[1]), len(second))
    if one is None or two is None or len(one) != len(two):
        return IMPOSSIBLE
    if any(differ(first[i], second[j]) for i, j in zip(one, two, strict=True)):
        return IMPOSSIBLE
    left = [size for i, size in enumerate(first) if i not in one]
    return Inferred((*left, *(size for j, size in enumerate(second) if j not in two)))


def dot_general(
    first: Shape,
    second: Shape,
    contracted: Sequence[tuple[int, ...]],
    batch: Sequence[tuple[int, ...]],
) -> Inferred:
    """The shape of ``lax.dot_general``: the batch axes, then what is left of each array."""
    if first is None or second is None:
        return NOTHING
    used = [
        _normal((*contracted[i], *batch[i]), len(shape)) for i, shape in enumerate((first, second))
    ]
    if used[0] is None or used[1] is None or len(batch[0]) != len(batch[1]):
        return IMPOSSIBLE
    if len(used[0]) != len(used[1]):
        return IMPOSSIBLE
    if any(differ(first[i], second[j]) for i, j in zip(*used, strict=True)):
        return IMPOSSIBLE
    start = len(contracted[0])
    pairs = zip(used[0][start:], used[1][start:], strict=True)
    left = [size for i, size in enumerate(first) if i not in used[0]]
    right = [size for j, size in enumerate(second) if j not in used[1]]
    return Inferred((*(agreed(first[i], second[j]) for i, j in pairs), *left, *right))


def einsum(subscripts: str, shapes: Sequence[Shape]) -> Inferred:
    """The shape that an einsum string gives; operands stand in its order."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        return IMPOSSIBLE
    labels: dict[str, Dim] = {}
    batches: list[Shape] = []
    for term, shape in zip(terms, shapes, strict=True):
        named = _labelled(term, shape)
        if named is None:
            return IMPOSSIBLE
        batches.append(named[1])
        for label, size in named[0]:
            known = labels.get(label, 1)
            if 1 not in (known, size) and differ(known, size):
                return IMPOSSIBLE
            labels[label] = together(known, size) if label in labels else size
    batch = broadcast(*(one for one, term in zip(batches, terms, strict=True) if "..." in term))
    if batch.contradiction:
        return batch
    if not arrow:
        once = (label for label in labels if inputs.count(label) == 1)
        output = ("..." if "..." in inputs else "") + "".join(sorted(once))
    return _output(output, labels, batch.shape)


def _labelled(term: str, shape: Shape) -> tuple[list[tuple[str, Dim]], Shape] | None:
    """Sizes by label, and the shape at the dots; None when the rank does not fit."""
    before, dots, after = term.partition("...")
    count = len(before) + len(after)
    if shape is None:
        return [(label, None) for label in before + after], None
    if len(shape) < count or (not dots and len(shape) != count):
        return None
    end = len(shape) - len(after)
    sizes = (*shape[: len(before)], *shape[end:])
    return list(zip(before + after, sizes, strict=True)), shape[len(before) : end]


def _output(term: str, labels: dict[str, Dim], batch: Shape) -> Inferred:
    before, dots, after = term.partition("...")
    letters = before + after
    if any(label not in labels for label in letters):
        return IMPOSSIBLE if set(letters) <= set(string.ascii_letters) else NOTHING
    if dots and batch is None:
        return NOTHING
    middle = (batch or ()) if dots else ()
    return Inferred((*(labels[i] for i in before), *middle, *(labels[i] for i in after)))


# -------------------------------------------------------------------- indexing


def index(shape: Shape, key: Index | tuple[Index, ...]) -> Inferred:
    """The shape of ``x[key]``."""
    items = key if isinstance(key, tuple) else (key,)
    if shape is None or any(item is UNKNOWN for item in items):
        return NOTHING
    taken = [_consumes(item) for item in items]
    if None in taken or any(isinstance(item, bool) for item in items):
        return NOTHING
    left = len(shape) - sum(cast("list[int]", taken))
    if left < 0 or items.count(...) > 1:
        return IMPOSSIBLE
    if ... not in items:
        items = (*items, ...)
    full: list[Index] = []
    for item in items:
        # An ellipsis stays: even one that stands for no axis keeps two arrays apart.
        full += [item, *[slice(None)] * left] if item is ... else [item]
    return _gathered(shape, full)


def _consumes(item: Index) -> int | None:
    """How many axes of the array an index stands for; None when that is not known."""
    if item is None or item is ...:
        return 0
    if isinstance(item, ArrayIndex) and item.mask:
        return None if item.shape is None or not item.shape else len(item.shape)
    return 1


def _gathered(shape: tuple[Dim, ...], items: Sequence[Index]) -> Inferred:
    """The shape by an index that names every axis."""
    arrays: list[Shape] = []
    places: list[int] = []
    sizes: list[Dim] = []
    axes = iter(shape)
    first = 0
    for number, item in enumerate(items):
        if item is None:
            sizes.append(1)
        elif isinstance(item, slice):
            sizes.append(sliced(next(axes), item))
        elif item is not ...:
            first = first if places else len(sizes)
            places.append(number)
            arrays.append(_index_shape(item, axes))
    common = broadcast(*arrays)
    if common.contradiction or common.shape is None:
        return common
    # NumPy's rule: arrays that stand side by side leave their axes there, others in front.
    adjacent = not places or places[-1] - places[0] == len(places) - 1
    at = first if adjacent else 0
    return Inferred((*sizes[:at], *common.shape, *sizes[at:]))


def _index_shape(item: Index, axes: Iterable[Dim]) -> Shape:
    """The shape of an integer or array index, which takes its axes off."""
    taken = iter(axes)
    if not isinstance(item, ArrayIndex):
        next(taken)
        return ()
    for _ in range(len(item.shape or ()) if item.mask else 1):
        next(taken)
    return (None,) if item.mask else item.shape


def sliced(size: Dim, by: slice) -> Dim:
    """The size that a slice leaves of an axis."""
    parts = (by.start, by.stop, by.step)
    if by.start in (None, 0) and by.stop is None and by.step in (None, 1):
        return size
    if isinstance(size, int) and all(part is None or isinstance(part, int) for part in parts):
        return len(range(*by.indices(size))) if by.step != 0 else None
    if parts == (None, None, -1):
        return size
    return None


# ------------------------------------------------------------------ repetition


def tile(shape: Shape, repeats: int | tuple[Dim, ...] | Unknown) -> Inferred:
    """The shape of ``jnp.tile``."""
    if shape is None or repeats is UNKNOWN:
        return NOTHING
    counts = (repeats,) if isinstance(repeats, int) else repeats
    rank = max(len(shape), len(counts))
    sizes = (1,) * (rank - len(shape)) + shape
    times = (1,) * (rank - len(counts)) + counts
    return Inferred(tuple(multiplied(pair) for pair in zip(sizes, times, strict=True)))
