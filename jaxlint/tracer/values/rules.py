"""The words in which the measured table says what shape and dtype a function returns.

A shape rule is a word and its parameters, as ``reduce a axis keepdims``. A rule may have
alternatives, each behind a guard: ``dtype: given dtype | same a`` means the argument
``dtype`` where it is given and differs from its default, else the dtype of ``a``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, isfinite
from typing import TypeAlias, cast

from jaxlint.knowledge import measured
from jaxlint.knowledge.promotion import KIND_NAMES
from jaxlint.tracer.values import shapes
from jaxlint.tracer.values.dtypes import NOTHING as NO_DTYPE
from jaxlint.tracer.values.dtypes import WIDTHS, DType, common, members, promote
from jaxlint.tracer.values.given import ABSENT, Call, Constant, Dimension, Items, OfDType, canonical
from jaxlint.tracer.values.shapes import IMPOSSIBLE, NOTHING, UNKNOWN, Dim, Inferred, Shape
from jaxlint.tracer.values.value import comparable

ShapeRule: TypeAlias = Callable[..., Inferred]
Maps: TypeAlias = Callable[[str, bool], Mapping[str, str]]


# ---------------------------------------------------------------- shape rules


def same(call: Call, array: str) -> Inferred:
    """The shape of an argument."""
    return Inferred(call.aval(array).shape)


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
        return Inferred((shapes.elements(shape),))
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
    return Inferred((shapes.elements(call.aval(array).shape),))


def outer(call: Call, first: str, second: str) -> Inferred:
    """All elements of one by all elements of the other."""
    return Inferred(tuple(shapes.elements(call.aval(array).shape) for array in (first, second)))


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


def diag(call: Call, array: str) -> Inferred:
    """A matrix of a vector, and the other way round."""
    rank = call.aval(array).rank
    return Inferred((None,) * (3 - rank)) if rank in (1, 2) else NOTHING


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
        same, broadcast, sizes, given, reduce, drop, skip, append, prepend, insert, along,
        shorten, keep, ranked, widest, ravel, outer, atleast, take, matmul, dot, tensordot,
        dot_general, einsum, reshape, transpose, reverse, exchange, swapaxes, moveaxis, expand,
        squeeze, concatenate, stack, vstack, hstack, axes, tile, arange, inner, diag,
    )
}  # fmt: skip
"""Each word of a shape rule, and what it does."""


# ---------------------------------------------------------------- dtype rules


def dtype_of(call: Call, words: Sequence[str], maps: Maps = measured.dtype_map) -> DType:
    """The dtype of a rule: ``same``, ``const``, ``given``, ``made`` or ``as`` and parameters.

    With ``?`` before it the rule says nothing of weakness.
    """
    word, *rest = words
    if word == "?":
        return DType(dtype_of(call, rest, maps).name)
    if word == "const":
        return _constant(rest[0], rest[-1], call.x64)
    if word == "given":
        wanted = call.named_dtype(rest[0])
        return NO_DTYPE if wanted is None else canonical(wanted, call.x64)
    if word == "made":
        return _made(call, rest[0])
    if word == "same":
        return promoted(call, tuple(rest))
    return _mapped(rest[0], promoted(call, tuple(rest[1:])), call.x64, maps)


def _made(call: Call, parameter: str) -> DType:
    """The dtype of an argument that is made an array: lists of numbers are not weak."""
    name, weak = promoted(call, (parameter,))
    if name is None:
        return NO_DTYPE
    listed = isinstance(call.get(parameter), Items)
    exact = name if name in KIND_NAMES else canonical(name, call.x64).name
    return DType(exact, weak and not listed)


def promoted(call: Call, parameters: tuple[str, ...]) -> DType:
    """The dtype that arguments have together."""
    found = call.avals(parameters)
    return promote(tuple(aval.typed for aval in found), call.x64) if found else NO_DTYPE


@lru_cache(maxsize=64)
def _constant(narrow: str, wide: str, x64: bool | None) -> DType:
    return common((narrow, wide) if x64 is None else (wide,) if x64 else (narrow,))


@lru_cache(maxsize=4096)
def _mapped(name: str, dtype: DType, x64: bool | None, maps: Maps) -> DType:
    """What a measured map makes of a dtype."""
    if dtype.name is None:
        return _always(name, dtype.weak, x64, maps)
    found: set[str] = set()
    for wide in WIDTHS[x64]:
        table, possible = maps(name, wide), members(dtype, wide)
        inside = possible & table.keys()
        # Of a kind a function refuses some; of an exact dtype that is missing nobody knows.
        enough = inside if dtype.name in KIND_NAMES else inside == possible
        if possible and not enough:
            return NO_DTYPE
        found |= {table[exact] for exact in inside}
    return common(found)


def _always(name: str, weak: bool | None, x64: bool | None, maps: Maps) -> DType:
    """What a map says of a dtype that is not known at all."""
    tables = [maps(name, wide) for wide in WIDTHS[x64]]
    found = {
        made
        for table in tables
        for exact, made in table.items()
        if weak is None or weak is exact.startswith("~")
    }
    return common(found) if all(tables) else NO_DTYPE


# --------------------------------------------------------------- alternatives


@comparable
class Alternative:
    """One alternative of a rule.

    Attributes:
        guard: a parameter that must differ from its default, ``name=value``, ``given name``,
            ``several name`` for more than one in ``*name``, ``items name`` for a list; or empty.
        words: the rule.
    """

    guard: str
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def alternatives(rule: str) -> tuple[Alternative, ...]:
    """A rule in its parts."""
    found = []
    for part in rule.split(" | "):
        guard, colon, words = part.rpartition(": ")
        found.append(Alternative(guard if colon else "", tuple(words.split())))
    return tuple(found)


def _is_given(call: Call, parameter: str) -> bool | None:
    # Nobody writes an argument to say None: one of unknown value counts as given.
    return call.given.get(parameter, ABSENT) != ABSENT


def _are_several(call: Call, parameter: str) -> bool | None:
    items = call.get(parameter)
    return None if items is UNKNOWN else isinstance(items, Items) and len(items.items) > 1


def _are_items(call: Call, parameter: str) -> bool | None:
    items = call.get(parameter)
    return None if items is UNKNOWN else isinstance(items, Items)


GUARDS: Mapping[str, Callable[[Call, str], bool | None]] = {
    "given": _is_given,
    "several": _are_several,
    "items": _are_items,
}
"""Each word of a guard, and when it holds."""


def holds(guard: str, call: Call) -> bool | None:
    """Whether a guard holds; None when that is not known."""
    if not guard:
        return True
    word, parameter, value = _parts_of(guard)
    return GUARDS[word](call, parameter) if word else _is(call, parameter, value)


@lru_cache(maxsize=4096)
def _parts_of(guard: str) -> tuple[str, str, str | None]:
    """A word of :data:`GUARDS` and a parameter, or nothing, a parameter and its value."""
    word, space, parameter = guard.partition(" ")
    if space:
        return word, parameter, None
    name, equals, value = guard.partition("=")
    return "", name, value if equals else None


def _is(call: Call, name: str, value: str | None) -> bool | None:
    """Whether an argument has a value, or else is not its default."""
    argument = call.get(name)
    if argument is UNKNOWN:
        return None
    if value is None:
        usual = call.defaults.get(name, ABSENT)
        unsure = isinstance(argument, Dimension) and argument.size is None
        return None if unsure and usual != ABSENT else argument != usual
    if isinstance(argument, Constant):
        return str(argument.value) == value
    return None if not isinstance(argument, (Items, OfDType)) else False


def applying(rule: str, call: Call) -> list[tuple[str, ...]]:
    """The alternatives that may apply, one unless a guard is uncertain; empty if none does."""
    found = []
    for one in alternatives(rule):
        certain = holds(one.guard, call)
        if certain is not False:
            found.append(one.words)
        if certain:
            break
    return found


def shape_by(rule: str, call: Call) -> Inferred:
    """What a shape rule says of a call."""
    found = [_shape_by(words, call) for words in applying(rule, call)]
    if len(found) == 1:
        return found[0]
    shape = _common_shape([one.shape for one in found])
    return Inferred(shape, bool(found) and all(one.contradiction for one in found))


def _shape_by(words: Sequence[str], call: Call) -> Inferred:
    rule = SHAPE_RULES.get(words[0])
    return NOTHING if rule is None else rule(call, *words[1:])


def _common_shape(found: Sequence[Shape]) -> Shape:
    if not found or any(shape is None for shape in found):
        return None
    known = [shape for shape in found if shape is not None]
    if len({len(shape) for shape in known}) > 1:
        return None
    return tuple(
        column[0] if all(size is column[0] or size == column[0] for size in column) else None
        for column in zip(*known, strict=True)
    )


def dtype_by(rule: str, call: Call, maps: Maps = measured.dtype_map) -> DType:
    """What a dtype rule says of a call."""
    possible = applying(rule, call)
    if not possible or any(words[0] == "unknown" for words in possible):
        return NO_DTYPE
    found = [dtype_of(call, words, maps) for words in possible]
    if len(found) == 1:
        return found[0]
    names, weak = {one.name for one in found}, {one.weak for one in found}
    return DType(names.pop() if len(names) == 1 else None, weak.pop() if len(weak) == 1 else None)
