"""Arrays that a function of JAX takes in no call: of a rank, a dtype, of sizes, on an axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, TypeGuard

from jaxlint.events import ShapeMismatch
from jaxlint.knowledge.measured import Signature
from jaxlint.knowledge.unfit import IN_LISTS, Unfit, refused_by
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.state.arguments import Given
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, kind_of
from jaxlint.tracer.values.avals import describe
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.sizes import differ
from jaxlint.tracer.values.value import Const, Value

_AnyArray: TypeAlias = Array | NumpyArray
_Labelled: TypeAlias = list[tuple[str, _AnyArray]]
"""Arrays, each with what the table calls the parameter that it is given for."""


def refuses_arrays(
    tracer: Tracer, name: str, signature: Signature, given: list[Given], node: n.Node
) -> bool:
    """Whether an array is refused whatever else the call is given; the event is recorded."""
    row = refused_by(name)
    if row is None:
        return False
    arrays = [*_arrays(given, signature.starred)]
    for unfit in (_of_unfit_rank, _without_axis, _not_square, _of_no_size_in_common):
        found = unfit(row, given, arrays)
        if found:
            note_mismatch(tracer, found, node, by_jax=True)
            return True
    return _refuses_dtypes(tracer, row, given, arrays, node)


def _arrays(given: list[Given], starred: str) -> Iterator[tuple[str, _AnyArray]]:
    """The arrays of a call that are known to be some, each with what the table calls it."""
    for item in given:
        parts = item.value.items if isinstance(item.value, Sequence) else None
        label = item.parameter
        if parts is not None or label == starred:
            label += IN_LISTS
        for each in parts if parts is not None else [item.value]:
            if _is_array(each):
                yield label, each


def _is_array(value: Value) -> TypeGuard[_AnyArray]:
    """Whether a value is an array for certain, and none of keys."""
    if isinstance(value, NumpyArray):
        return True
    return isinstance(value, Array) and not value.assumed and kind_of(value.dtype) != "key"


def _of_unfit_rank(row: Unfit, given: list[Given], arrays: _Labelled) -> list[_AnyArray]:
    return [
        array
        for label, array in arrays
        if array.aval.rank in row.ranks.get(label, ()) and _is_believed(row, given, label)
    ][:1]


def _not_square(row: Unfit, given: list[Given], arrays: _Labelled) -> list[_AnyArray]:
    """A matrix with axes of two sizes; one of size 1 may be broadcast."""
    return [
        array
        for label, array in arrays
        if label in row.square and _is_believed(row, given, label)
        if array.aval.shape is not None and len(array.aval.shape) > 1
        if differ(*array.aval.shape[-2:]) and 1 not in array.aval.shape[-2:]
    ][:1]


def _of_no_size_in_common(row: Unfit, given: list[Given], arrays: _Labelled) -> list[_AnyArray]:
    by_label = dict(arrays)
    for pair in row.sizes:
        if by_label.keys() >= {*pair} and _is_believed(row, given, *pair):
            one, other = (by_label[each] for each in pair)
            sizes = [set(array.aval.shape or ()) for array in (one, other)]
            known = all(isinstance(size, int) and size != 1 for size in sizes[0] | sizes[1])
            if known and all(sizes) and not sizes[0] & sizes[1]:
                return [one, other]
    return []


def _is_believed(row: Unfit, given: list[Given], *labels: str) -> bool:
    """Whether a call is like those that were tried: with no more than one option at a time."""
    about = {label.removesuffix(IN_LISTS) for label in labels}
    return len({item.parameter for item in given} - row.needs - about) <= 1


def _without_axis(row: Unfit, given: list[Given], arrays: _Labelled) -> list[_AnyArray]:
    """The array that has no axis of the number that one is to have."""
    for item in given:
        of = row.axes.get(item.parameter, {})
        for label, array in arrays if of else ():
            if label in of and _is_beyond(item.value, array, *of[label]):
                return [array]
    return []


def _is_beyond(axis: Value, array: _AnyArray, more: int, least: int | None = None) -> bool:
    """Whether an axis, or one of several, is none of an array, nor one of so many more for each.

    A number counts as ``least`` axes, if that is known.
    """
    several = axis.items or () if isinstance(axis, Sequence) else (axis,)
    rank = array.aval.rank or (least if array.aval.rank == 0 else None)
    if rank is None:
        return False
    count = rank + more * len(several)
    numbers = [each.value for each in several if isinstance(each, Const)]
    return any(type(each) is int and not -count <= each < count for each in numbers)


def _refuses_dtypes(
    tracer: Tracer, row: Unfit, given: list[Given], arrays: _Labelled, node: n.Node
) -> bool:
    if tracer.stack.in_branch():
        return False  # What leads there may ask for the dtype.
    kinds = {label: kind_of(array.aval.dtype) for label, array in arrays}
    unfit = [
        (label.removesuffix(IN_LISTS), array)
        for label, array in arrays
        if kinds[label] in row.dtypes.get(label, ()) and _is_believed(row, given, label)
    ]
    if not unfit and kinds.keys() == row.needs and set(kinds.values()) <= row.alike:
        unfit = [("", array) for _, array in arrays]
    for parameter, array in unfit[:1]:
        shown, context = (describe(array.aval),), tracer.context(node, node)
        tracer.emit(ShapeMismatch(context, shown, dtypes=True, parameter=parameter))
    return bool(unfit)
