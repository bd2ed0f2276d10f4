"""More words of the measured table: shapes of which the sizes are computed from other sizes."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.tracer.values import shapes
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.given import ABSENT, Abstract, Call, Constant, Dimension, Items
from jaxlint.tracer.values.shapes import IMPOSSIBLE, NOTHING, UNKNOWN, Inferred
from jaxlint.tracer.values.sizes import Dim, Shape, added, elements, multiplied, unequal


def repeat(call: Call, array: str, repeats: str, axis: str, total: str) -> Inferred:
    """Each element along an axis several times, of all of them in a row when it is None."""
    shape, place, times = call.aval(array).shape, call.axis(axis), call.dim(repeats)

    def longer(size: Dim) -> Dim:
        return multiplied((size, times)) if call.get(total) == ABSENT else call.dim(total)

    if place is None:
        return Inferred((longer(elements(shape)),))
    # What nobody sees may be None.
    return NOTHING if place is UNKNOWN else _resized(shape, place, longer)


def pad(call: Call, array: str, width: str) -> Inferred:
    """Each axis longer by what stands before and after it."""
    shape, widths = call.aval(array).shape, call.get(width)
    if shape is None:
        return NOTHING
    if _counts_other_axes(widths, len(shape)):
        return IMPOSSIBLE
    pairs = _pairs(widths, len(shape))
    if pairs is None:
        return Inferred((None,) * len(shape))
    return Inferred(tuple(added((size, *pair)) for size, pair in zip(shape, pairs, strict=True)))


def _counts_other_axes(widths: Abstract, rank: int) -> bool:
    """Whether there is a pair for each of another number of axes."""
    if not isinstance(widths, Items) or len(widths.items) in (1, rank):
        return False
    return all(isinstance(each, Items) and len(each.items) == 2 for each in widths.items)


def _pairs(widths: Abstract, rank: int) -> list[tuple[int, int]] | None:
    """How much stands before and after each axis: one number, one pair, or one for each."""
    if isinstance(widths, Constant) and type(widths.value) is int:
        return [(widths.value, widths.value)] * rank
    if not isinstance(widths, Items):
        return None
    numbers = [_whole(item) for item in widths.items]
    if len(numbers) == 2 and None not in numbers:
        return [(numbers[0] or 0, numbers[1] or 0)] * rank
    found = [_pairs(item, 1) for item in widths.items if isinstance(item, Items)]
    pairs = [pair[0] for pair in found if pair]
    if len(pairs) != len(widths.items) or len(pairs) not in (1, rank):
        return None
    return pairs * rank if len(pairs) == 1 else pairs


def _whole(item: Abstract) -> int | None:
    whole = isinstance(item, Constant) and type(item.value) is int
    return item.value if whole else None  # type: ignore[union-attr, return-value]


def part(call: Call, array: str, sections: str, axis: str) -> Inferred:
    """One of as many equal parts of an axis as a number says."""
    shape, place, count = call.aval(array).shape, call.axis(axis), _whole(call.get(sections))

    def shortened(size: Dim) -> Dim:
        return size // count if isinstance(size, int) and count and not size % count else None

    return _resized(shape, place, shortened)


def even(call: Call, array: str, sections: str, axis: str) -> Inferred:
    """One of as many parts as a number says, which are equal or impossible."""
    shape, place, count = call.aval(array).shape, call.axis(axis), _whole(call.get(sections))
    if shape is not None and count and isinstance(place, int) and -len(shape) <= place < len(shape):
        size = shape[place]
        if isinstance(size, int) and size % count:
            return IMPOSSIBLE
    return part(call, array, sections, axis)


def resize(call: Call, array: str, axis: str, size: str) -> Inferred:
    """One axis with as many elements as a number says."""
    return _resized(call.aval(array).shape, call.axis(axis), lambda _: call.dim(size))


def last(call: Call, array: str, size: str) -> Inferred:
    """The last axis with as many elements as a number says."""
    return _resized(call.aval(array).shape, -1, lambda _: call.dim(size))


def halved(call: Call, array: str, size: str, axis: str) -> Inferred:
    """The frequencies of a real signal: half of an axis, or of the size that it is to have."""
    given = call.dim(size) if call.get(size) != ABSENT else None

    def frequencies(old: Dim) -> Dim:
        whole = old if call.get(size) == ABSENT else given
        return whole // 2 + 1 if isinstance(whole, int) else None

    return _resized(call.aval(array).shape, call.axis(axis), frequencies)


def doubled(call: Call, array: str, size: str, axis: str) -> Inferred:
    """A real signal of its frequencies."""

    def signal(old: Dim) -> Dim:
        if call.get(size) != ABSENT:
            return call.dim(size)
        return 2 * (old - 1) if isinstance(old, int) else None

    return _resized(call.aval(array).shape, call.axis(axis), signal)


def _resized(shape: Shape, place: shapes.Axis, new: Callable[[Dim], Dim]) -> Inferred:
    """A shape of which one axis has another size; of unknown sizes, if nobody sees which."""
    if shape is None:
        return NOTHING
    if not isinstance(place, int):
        return Inferred((None,) * len(shape)) if place is UNKNOWN else NOTHING
    if not -len(shape) <= place < len(shape):
        return NOTHING
    at = place % len(shape)
    return Inferred(tuple(new(size) if i == at else size for i, size in enumerate(shape)))


def between(call: Call, start: str, limit: str, strides: str) -> Inferred:
    """From a start to a limit along each axis, all of the elements or each of some."""
    first, end = call.dims(start), call.dims(limit)
    steps = call.dims(strides) if call.get(strides) != ABSENT else (1,) * len(end or ())
    if first is None or end is None or steps is None or not len(first) == len(end) == len(steps):
        return NOTHING
    return Inferred(tuple(map(_count, first, end, steps)))


def _count(first: Dim, end: Dim, step: Dim) -> Dim:
    if isinstance(first, int) and isinstance(end, int) and isinstance(step, int) and step > 0:
        return max(-(-(end - first) // step), 0)
    return None


def diagonal(call: Call, array: str, offset: str) -> Inferred:
    """A matrix of a vector, beside whose diagonal it stands; and the other way round."""
    shape, beside = call.aval(array).shape, _whole(call.get(offset))
    if shape is None or len(shape) not in (1, 2):
        return NOTHING
    if beside is None:
        return Inferred((None,) * (3 - len(shape)))
    if len(shape) == 1:
        return Inferred((added((shape[0], abs(beside))),) * 2)
    rows, columns = shape
    if not isinstance(rows, int) or not isinstance(columns, int):
        return Inferred((None,))
    return Inferred((max(min(rows + min(beside, 0), columns - max(beside, 0)), 0),))


def convolve(call: Call, first: str, second: str, mode: str) -> Inferred:
    """Two vectors, one moved along the other."""
    one, two, how = call.aval(first).shape, call.aval(second).shape, call.get(mode)
    if one is None or two is None or len(one) != 1 or len(two) != 1:
        return NOTHING
    long, short = one[0], two[0]
    if not isinstance(long, int) or not isinstance(short, int) or not isinstance(how, Constant):
        return Inferred((None,))
    long, short = max(long, short), min(long, short)
    sizes = {"full": long + short - 1, "same": long, "valid": long - short + 1}
    return Inferred((sizes.get(str(how.value)),))


def kron(call: Call, first: str, second: str) -> Inferred:
    """A copy of the second for each element of the first."""
    one, two = call.aval(first).shape, call.aval(second).shape
    if one is None or two is None:
        return NOTHING
    rank = max(len(one), len(two))
    wide = [(1,) * (rank - len(shape)) + shape for shape in (one, two)]
    return Inferred(tuple(multiplied(pair) for pair in zip(*wide, strict=True)))


def segments(call: Call, array: str, ids: str, number: str) -> Inferred:
    """The axes that the ids have become one, of as many segments as there are."""
    shape, axes = call.aval(array).shape, call.aval(ids).shape
    if shape is None or axes is None or len(axes) > len(shape):
        return NOTHING
    return Inferred((call.dim(number), *shape[len(axes) :]))


def taken(call: Call, array: str, indices: str, axis: str) -> Inferred:
    """As many elements along an axis as there are indices; the other axes broadcast."""
    shape, chosen, place = call.aval(array).shape, call.aval(indices).shape, call.axis(axis)
    if shape is None or chosen is None or len(shape) != len(chosen) or not isinstance(place, int):
        return NOTHING
    if not -len(shape) <= place < len(shape):
        return NOTHING
    at = place % len(shape)
    same = tuple(chosen[i] if i == at else size for i, size in enumerate(shape))
    return shapes.broadcast(same, chosen)


def drawn(call: Call, array: str, shape: str, axis: str) -> Inferred:
    """A shape of elements along an axis of an array, or of numbers below one."""
    outer, place = call.dims(shape), call.axis(axis)
    if outer is None or _is_count(call, array):
        return Inferred(outer)
    inner = call.aval(array).shape
    if inner is None or not isinstance(place, int) or not -len(inner) <= place < len(inner):
        return NOTHING
    at = place % len(inner)
    return Inferred((*inner[:at], *outer, *inner[at + 1 :]))


def into(call: Call, shape: str, *arrays: str) -> Inferred:
    """The shape that an argument says, to which others must broadcast."""
    wanted, found = call.dims(shape), call.avals(arrays)
    if any(shapes.too_large(aval.shape, wanted) for aval in found or ()):
        return IMPOSSIBLE
    return Inferred(wanted)


def patched(call: Call, array: str, patch: str, places: str) -> Inferred:
    """The shape of an argument of which a part, with as many axes, is replaced, at a place."""
    shape, new, start = call.aval(array).shape, call.aval(patch).shape, call.get(places)
    if shape is not None and isinstance(start, Items) and len(start.items) != len(shape):
        return IMPOSSIBLE
    if shape is None or new is None:
        return Inferred(shape)
    pairs = zip(shape, new, strict=False)
    larger = any(isinstance(a, int) and isinstance(b, int) and a < b for a, b in pairs)
    return IMPOSSIBLE if larger or len(shape) != len(new) else Inferred(shape)


def chosen(call: Call, test: str, first: str, second: str) -> Inferred:
    """The shape of two arguments that must have the same; a test of each element has it, too."""
    shapes_of = [call.aval(name).shape for name in (test, first, second)]
    cases = [shape for shape in shapes_of[1:] if shape is not None]
    if unequal(*shapes_of[1:]) or (cases and shapes_of[0] and unequal(shapes_of[0], cases[0])):
        return IMPOSSIBLE
    return Inferred(cases[0] if cases else None)


def counted(call: Call, array: str) -> Inferred:
    """The shape of an array, or as many elements as a number says."""
    if _is_count(call, array):
        return Inferred((call.dim(array),))
    shape = call.aval(array).shape
    return Inferred((None,) if shape == () else shape)


def _is_count(call: Call, parameter: str) -> bool:
    value = call.get(parameter)
    return isinstance(value, Dimension) or _whole(value) is not None


def vectors(call: Call, shape: str, vector: str, *matrix: str) -> Inferred:
    """A shape of vectors, each as long as one is; without it, as many as there are of those."""
    inner = call.aval(vector).shape
    if not inner:
        return NOTHING
    outer = Inferred(call.dims(shape))
    if call.get(shape) == ABSENT:
        others = [call.aval(name).shape for name in matrix]
        batches = [None if other is None else other[:-2] for other in others]
        outer = shapes.broadcast(inner[:-1], *batches)
    return outer if outer.shape is None else Inferred((*outer.shape, inner[-1]))


def quantiles(call: Call, array: str, shares: str, axis: str, keepdims: str) -> Inferred:
    """A reduction for each of the shares, whose axes come first."""
    front = call.aval(shares).shape
    rest = shapes.reduce(call.aval(array).shape, call.axis(axis), call.flag(keepdims))
    if front is None or rest.shape is None:
        return IMPOSSIBLE if rest.contradiction else NOTHING
    return Inferred((*front, *rest.shape))


def join(call: Call, first: str, second: str, axis: str) -> Inferred:
    """Two arrays one after the other: of all elements of both when the axis is None."""
    one, two, place = call.aval(first).shape, call.aval(second).shape, call.axis(axis)
    if place is None:
        return Inferred((added((elements(one), elements(two))),))
    return NOTHING if place is UNKNOWN else shapes.concatenate([one, two], place)


def joined(call: Call, arrays: str, axis: str) -> Inferred:
    """``lax.concatenate``: several one after the other; one alone stays as it is."""
    found, place = call.rows(arrays), call.axis(axis)
    if not found or not isinstance(place, int):
        return NOTHING
    if len(found) == 1:
        return Inferred(found[0].shape)
    return shapes.concatenate([aval.shape for aval in found], place)


def columns(call: Call, arrays: str) -> Inferred:
    """``jnp.column_stack``: joined along the second axis, vectors as columns."""
    found = call.rows(arrays)
    if not found or any(aval.shape is None for aval in found):
        return NOTHING
    wide = [shape if len(shape) > 1 else (*(shape or (1,)), 1) for shape in map(_shape, found)]
    return shapes.concatenate(wide, 1)


def _shape(aval: Aval) -> tuple[Dim, ...]:
    return aval.shape or ()


def grid(call: Call, vectors: str, indexing: str) -> Inferred:
    """``jnp.meshgrid``: an axis for each vector, the first two exchanged for ``xy``."""
    found, order = call.avals((vectors,)), call.get(indexing)
    if not found or not isinstance(order, Constant):
        return NOTHING
    sizes = [elements(aval.shape) for aval in found]
    if order.value == "xy" and len(sizes) > 1:
        sizes[:2] = reversed(sizes[:2])
    return Inferred(tuple(sizes))


SIZE_RULES = (
    repeat, pad, part, even, resize, last, halved, doubled, between, diagonal, convolve, kron,
    segments, taken, drawn, into, patched, chosen,
    counted, vectors, quantiles, join, joined, columns, grid,
)  # fmt: skip
"""The functions of this file, each a word of its name."""
