"""Mutable references to arrays: what is read from them, and what they refuse to be given."""

from __future__ import annotations

from typing import Literal

from jaxlint.events import RefMismatch
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.indices import index_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Ref, kind_of
from jaxlint.tracer.values.avals import Aval, describe, index, python_number
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.value import Const, Value


def read(tracer: Tracer, value: Ref, at: Value, node: n.Subscript) -> Value:
    """``ref[at]``."""
    return tracer.array([], node, "ref[...]", part(value, at).aval)


def part(value: Ref, at: Value) -> Ref:
    """``ref.at[at]``: a reference to a part."""
    found = index(value.aval, index_of(at)).aval
    return Ref(Aval(found.shape, value.aval.dtype, value.aval.weak))


def note_store(
    tracer: Tracer, container: Ref, at: Value, value: Value, target: n.Subscript
) -> None:
    """``ref[at] = value`` asks for the shape and dtype of what is there: nothing is broadcast."""
    given = _given(tracer, value)
    if given is None or tracer.stack.in_branch():
        return
    there = part(container, at).aval
    of: Literal["shape", "dtype"] | None = None
    if unequal(there.shape, given.shape):
        of = "shape"
    elif _other_dtype(there.dtype, given, isinstance(value, NumpyArray)):
        of = "dtype"
    if of is not None:
        context = tracer.context(target, target)
        tracer.emit(RefMismatch(context, describe(there), describe(given), of))


def _given(tracer: Tracer, value: Value) -> Aval | None:
    """The array that is written; None when it may be something else."""
    if isinstance(value, Array):
        return None if value.assumed or value.prng is not None else value.aval
    if isinstance(value, NumpyArray):
        return value.aval
    if isinstance(value, Const) and isinstance(value.value, (bool, int, float, complex)):
        return python_number(value.value, tracer.settings.x64)
    return None


def _other_dtype(there: str | None, given: Aval, of_numpy: bool) -> bool:
    """Whether JAX refuses the dtype: one of another kind, or of the same with other bits.

    Arrays of NumPy and weak values take on the bits that are there. Of integers nothing is said.
    """
    kinds = kind_of(there), kind_of(given.dtype)
    if None in kinds or "key" in kinds:
        return False
    if kinds[0] != kinds[1]:
        return True
    exact = given.weak is False and not of_numpy and kinds[0] == "float"
    return exact and "float" not in (there, given.dtype) and there != given.dtype
