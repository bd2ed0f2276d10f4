"""What shape a function returns: the words of the measured table, each with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, isfinite
from typing import TypeAlias, cast

from jaxlint.tracer.values import shapes
from jaxlint.tracer.values.given import ABSENT, Call, Constant, Items
from jaxlint.tracer.values.shapes import IMPOSSIBLE, NOTHING, UNKNOWN, Inferred
from jaxlint.tracer.values.size_rules import SIZE_RULES
from jaxlint.tracer.values.sizes import Dim, differ, elements

ShapeRule: TypeAlias = Callable[..., Inferred]


def same(call: Call, array: str) -> Inferred:
    """The shape of an argument."""
    return Inferred(call.aval(array).shape)


def square(call: Call, array: str) -> Inferred:
    """The shape of an argument whose last two axes have one size."""
    shape = call.aval(array).shape
    if shape is not None and (len(shape) < 2 or differ(shape[-1], shape[-2])):
        return IMPOSSIBLE
    return Inferred(shape)


def sliced(call: Call, array: str, sizes: str) -> Inferred:
    """A part with a size for each axis, none of which is larger than the axis."""
    shape, found = call.aval(array).shape, given(call, sizes)
    if shape is None or found.shape is None:
        return found
    pairs = zip(shape, found.shape, strict=False)
    larger = any(isinstance(a, int) and isinstance(b, int) and a < b for a, b in pairs)
    return IMPOSSIBLE if larger or len(shape) != len(found.shape) else found


def broadcast(call: Call, *arrays: str) -> Inferred:
    """The arguments broadcast against each other; what is None takes no part."""
    found = call.avals(arrays)
    return NOTHING if found is None else shapes.broadcast(*(aval.shape for aval in found))


def sizes(call: Call, *words: str) -> Inferred:
    """Sizes one by one: a number, the value of a parameter, or ``?``."""
    return Inferred(tuple(_size(call, word) for word in words))


def _size(call: Call, word: str) -> Dim:
    if word == "?":
        return None
    return int(word) if word.isdecimal() else call.dim(word)


def given(call: Call, shape: str) -> Inferred:
    """The shape that an argument says."""
    dims = call.dims(shape)
    negative = dims is not None and any(isinstance(size, int) and size < 0 for size in dims)
    return NOTHING if negative else Inferred(dims)


def arange(call: Call, start: str, stop: str, step: str) -> Inferred:
    """As many elements as ``range`` has; with one argument that is their number."""
    others = [call.get(stop), call.get(step)]
    if others == [ABSENT, ABSENT]:
        end = _end(call, start)
        return Inferred((max(ceil(end), 0) if type(end) is float else call.dim(start),))
    ends = [_end(call, start), _end(call, stop), 1 if others[1] == ABSENT else _end(call, step)]
    numbers = [end for end in ends if end is not None]
    if len(numbers) < 3 or not numbers[2]:
        return Inferred((None,))
    return Inferred((max(ceil((numbers[1] - numbers[0]) / numbers[2]), 0),))


def _end(call: Call, parameter: str) -> float | None:
    """A number in view, as NumPy counts with it."""
    value = call.get(parameter)
    number = value.value if isinstance(value, Constant) else call.dim(parameter)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    return number if isfinite(number) else None


def reduce(call: Call, arrays: str, axis: str, keepdims: str) -> Inferred:
    """A reduction of ``a`` or of ``a,b`` broadcast; ``-`` stands for no such parameter."""
    found = call.avals(tuple(arrays.split(",")))
    if found is None:
        return NOTHING
    whole = shapes.broadcast(*(aval.shape for aval in found))
    keeps = call.flag(keepdims) if keepdims != "-" else False
    if whole.contradiction:
        return whole
    return shapes.reduce(whole.shape, call.axis(axis), keeps)


def drop(call: Call, array: str, count: str) -> Inferred:
    """All axes but the last ones."""
    shape = call.aval(array).shape
    if shape is None:
        return NOTHING
    return Inferred(shape[: len(shape) - int(count)]) if len(shape) >= int(count) else IMPOSSIBLE


def skip(call: Call, array: str, count: str) -> Inferred:
    """All axes but the first ones."""
    shape = call.aval(array).shape
    if shape is None:
        return NOTHING
    return Inferred(shape[int(count) :]) if len(shape) >= int(count) else IMPOSSIBLE


def append(call: Call, array: str, *words: str) -> Inferred:
    """The axes of an argument and more after them."""
    shape = call.aval(array).shape
    return NOTHING if shape is None else Inferred((*shape, *(_size(call, word) for word in words)))


def prepend(call: Call, array: str, shape: str) -> Inferred:
    """The axes that one argument says before those of another."""
    front, back = call.dims(shape), call.aval(array).shape
    return NOTHING if front is None or back is None else Inferred((*front, *back))


def insert(call: Call, array: str, size: str, axis: str) -> Inferred:
    """The axes of an argument, and one more at ``axis``."""
    shape, place = call.aval(array).shape, call.axis(axis)
    if shape is None:
        return NOTHING
    if not isinstance(place, int):
        return Inferred((None,) * (len(shape) + 1))
    at = place + len(shape) + 1 if place < 0 else place
    return Inferred((*shape[:at], call.dim(size), *shape[at:]))


def along(call: Call, array: str, axis: str) -> Inferred:
    """The axes of an argument, of which one gets another size; flat when ``axis`` is None."""
    shape, place = call.aval(array).shape, call.axis(axis)
    if place is None:
        return Inferred((None,))
    if shape is None or place is UNKNOWN:
        return NOTHING
    if not isinstance(place, int):
        return Inferred((None,) * len(shape))
    at = place + len(shape) if place < 0 else place
    return Inferred(tuple(None if i == at else size for i, size in enumerate(shape)))


def shorten(call: Call, array: str, axis: str, count: str, *joined: str) -> Inferred:
    """One axis loses as many elements as a number says; nobody sees how many are joined to it."""
    shape, place, fewer = call.aval(array).shape, call.axis(axis), call.dim(count)
    if any(call.get(name) != ABSENT for name in joined) or not isinstance(fewer, int):
        return along(call, array, axis)
    if shape is None or not isinstance(place, int) or not -len(shape) <= place < len(shape):
        return along(call, array, axis)
    at = place % len(shape)
    size = shape[at]
    left = max(size - fewer, 0) if isinstance(size, int) else None
    return Inferred((*shape[:at], left, *shape[at + 1 :]))


def keep(call: Call, array: str, axis: str) -> Inferred:
    """The shape of an argument, flat when ``axis`` is None."""
    shape, place = call.aval(array).shape, call.axis(axis)
    if place is None:
        return Inferred((elements(shape),))
    return Inferred(shape) if place is not UNKNOWN else NOTHING


def ranked(call: Call, array: str, more: str) -> Inferred:
    """As many axes as an argument, and some more or fewer, of unknown sizes."""
    shape = call.aval(array).shape
    if shape is None or len(shape) + int(more) < 0:
        return NOTHING
    return Inferred((None,) * (len(shape) + int(more)))


def widest(call: Call, *arrays: str) -> Inferred:
    """As many axes as the argument with the most."""
    found = call.avals(arrays)
    if not found or any(aval.shape is None for aval in found):
        return NOTHING
    return Inferred((None,) * max(len(aval.shape or ()) for aval in found))


def ravel(call: Call, array: str) -> Inferred:
    """All elements in one axis."""
    return Inferred((elements(call.aval(array).shape),))


def outer(call: Call, first: str, second: str) -> Inferred:
    """All elements of one by all elements of the other."""
    return Inferred(tuple(elements(call.aval(array).shape) for array in (first, second)))


def atleast(call: Call, array: str, rank: str) -> Inferred:
    """No fewer axes than a number, new ones in front."""
    shape = call.aval(array).shape
    return NOTHING if shape is None else Inferred((1,) * (int(rank) - len(shape)) + shape)


def take(call: Call, array: str, indices: str, axis: str) -> Inferred:
    """One axis replaced by those of the indices."""
    shape, taken, place = call.aval(array).shape, call.aval(indices).shape, call.axis(axis)
    if place is None:
        return Inferred(taken)
    if shape is None or taken is None or not isinstance(place, int):
        return NOTHING
    at = place + len(shape) if place < 0 else place
    return Inferred((*shape[:at], *taken, *shape[at + 1 :]))


def matmul(call: Call, first: str, second: str) -> Inferred:
    """``first @ second``."""
    return shapes.matmul(call.aval(first).shape, call.aval(second).shape)


def dot(call: Call, first: str, second: str) -> Inferred:
    """``jnp.dot``."""
    return shapes.dot(call.aval(first).shape, call.aval(second).shape)


def tensordot(call: Call, first: str, second: str, axes: str) -> Inferred:
    """``jnp.tensordot``."""
    one, two = call.aval(first).shape, call.aval(second).shape
    value = call.get(axes)
    if isinstance(value, Constant) and type(value.value) is int:
        return shapes.tensordot(one, two, value.value)
    if isinstance(value, Items) and len(value.items) == 2:
        pair = [Call({axes: item}, {}, call.x64).axis(axes) for item in value.items]
        return shapes.tensordot(one, two, (pair[0], pair[1]))
    return NOTHING


def dot_general(call: Call, first: str, second: str, numbers: str) -> Inferred:
    """``lax.dot_general``: which axes are contracted, and which go side by side."""
    value = call.get(numbers)
    if not isinstance(value, Items) or len(value.items) != 2:
        return NOTHING
    pairs = [part.items for part in value.items if isinstance(part, Items) and len(part.items) == 2]
    axes = [Call({numbers: each}, {}, call.x64).axis(numbers) for pair in pairs for each in pair]
    if len(axes) != 4 or not all(isinstance(each, tuple) for each in axes):
        return NOTHING
    one, two = call.aval(first).shape, call.aval(second).shape
    contracted, batch = cast("list[tuple[int, ...]]", axes[:2]), axes[2:]
    return shapes.dot_general(one, two, contracted, cast("list[tuple[int, ...]]", batch))


def einsum(call: Call, subscripts: str, operands: str) -> Inferred:
    """``jnp.einsum``."""
    text, found = call.get(subscripts), call.avals((operands,))
    if not isinstance(text, Constant) or not isinstance(text.value, str) or found is None:
        return NOTHING
    return shapes.einsum(text.value, [aval.shape for aval in found])


def reshape(call: Call, array: str, shape: str) -> Inferred:
    """``x.reshape(shape)``, also with the sizes one by one."""
    value = call.get(shape)
    if isinstance(value, Items) and len(value.items) == 1:
        if value.items[0] is UNKNOWN:
            return NOTHING  # A size, or all of them.
        value = value.items[0] if isinstance(value.items[0], Items) else value
    new = Call({shape: value}, {}, call.x64).dims(shape)
    return NOTHING if new is None else shapes.reshape(call.aval(array).shape, new)


def transpose(call: Call, array: str, axes: str) -> Inferred:
    """``x.transpose(axes)``, also with the axes one by one."""
    order = call.axis(axes)
    value = call.get(axes)
    if isinstance(value, Items) and len(value.items) == 1 and value.items[0] is not UNKNOWN:
        order = Call({axes: value.items[0]}, {}, call.x64).axis(axes)
    return shapes.transpose(call.aval(array).shape, None if order == () else order)


def reverse(call: Call, array: str) -> Inferred:
    """All axes in reverse order."""
    return shapes.transpose(call.aval(array).shape)


def exchange(call: Call, array: str) -> Inferred:
    """The last two axes exchanged."""
    return shapes.swapaxes(call.aval(array).shape, -1, -2)


def swapaxes(call: Call, array: str, first: str, second: str) -> Inferred:
    """``x.swapaxes(first, second)``."""
    return shapes.swapaxes(call.aval(array).shape, call.axis(first), call.axis(second))


def moveaxis(call: Call, array: str, source: str, destination: str) -> Inferred:
    """``jnp.moveaxis``."""
    return shapes.moveaxis(call.aval(array).shape, call.axis(source), call.axis(destination))


def expand(call: Call, array: str, axis: str) -> Inferred:
    """``jnp.expand_dims``."""
    return shapes.expand_dims(call.aval(array).shape, call.axis(axis))


def squeeze(call: Call, array: str, axis: str) -> Inferred:
    """``x.squeeze(axis)``."""
    return shapes.squeeze(call.aval(array).shape, call.axis(axis))


def concatenate(call: Call, arrays: str, axis: str) -> Inferred:
    """``jnp.concatenate``."""
    found, place = call.rows(arrays), call.axis(axis)
    if not found or place is UNKNOWN:  # which may be None
        return NOTHING
    return shapes.concatenate([aval.shape for aval in found], place)


def stack(call: Call, arrays: str, axis: str) -> Inferred:
    """``jnp.stack``."""
    found = call.rows(arrays)
    return NOTHING if not found else shapes.stack([aval.shape for aval in found], call.axis(axis))


def vstack(call: Call, arrays: str) -> Inferred:
    """``jnp.vstack``: joined along the first axis, with two axes at least."""
    found = call.rows(arrays)
    if not found or any(aval.shape is None for aval in found):
        return NOTHING
    wide = [aval.shape or () for aval in found]
    return shapes.concatenate([(1,) * (2 - len(shape)) + shape for shape in wide], 0)


def hstack(call: Call, arrays: str) -> Inferred:
    """``jnp.hstack``: joined along the second axis, or the only one."""
    found = call.rows(arrays)
    if not found or any(aval.shape is None for aval in found):
        return NOTHING
    wide = [aval.shape or (1,) for aval in found]
    return shapes.concatenate(wide, 0 if len(wide[0]) == 1 else 1)


def inner(call: Call, first: str, second: str) -> Inferred:
    """``jnp.inner``: the last axes of both contracted."""
    one, two = call.aval(first).shape, call.aval(second).shape
    if () in (one, two):
        return shapes.broadcast(one, two)
    return shapes.tensordot(one, two, (-1, -1))


def axes(call: Call, parameter: str) -> Inferred:
    """As many axes as an argument has items."""
    value = call.get(parameter)
    return Inferred((None,) * len(value.items)) if isinstance(value, Items) else NOTHING


def tile(call: Call, array: str, repeats: str) -> Inferred:
    """``jnp.tile``."""
    times = call.dims(repeats)
    return shapes.tile(call.aval(array).shape, UNKNOWN if times is None else times)


SHAPE_RULES: Mapping[str, ShapeRule] = {
    rule.__name__: rule
    for rule in (
        same, square, sliced, broadcast, sizes, given, reduce, drop, skip, append,
        prepend, insert, along, shorten, keep, ranked, widest, ravel, outer, atleast, take, matmul,
        dot, tensordot, dot_general, einsum, reshape, transpose, reverse, exchange, swapaxes,
        moveaxis, expand, squeeze, concatenate, stack, vstack, hstack, axes, tile, arange, inner,
        *SIZE_RULES,
    )
}  # fmt: skip
"""Each word of a shape rule, and what it does."""
