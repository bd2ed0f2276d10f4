"""Abstract values of arrays, as JAX has them: shape, dtype and whether the dtype is weak.

What is not known is None. The rules for shapes stand in :mod:`shapes`, those for dtypes in
:mod:`dtypes`; here they act on whole arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jaxlint.knowledge.promotion import short_names
from jaxlint.tracer.values import shapes
from jaxlint.tracer.values.dtypes import DType, promote
from jaxlint.tracer.values.shapes import Axis, Index, Inferred
from jaxlint.tracer.values.sizes import Dim, Shape, Size
from jaxlint.tracer.values.value import comparable, replace

__all__ = ["UNKNOWN_AVAL", "Aval", "Computed", "Dim", "Shape", "Size", "concatenate", "describe",
           "einsum", "elementwise", "expand_dims", "index", "join", "matmul", "python_number",
           "reduce", "reshape", "stack", "transpose", "with_dtype"]  # fmt: skip


@comparable
class Aval:
    """What is known of an array without its data.

    Attributes:
        shape: sizes by axis, each None when unknown; None when the rank is not known.
        dtype: ``float32``, or a kind alone (``float``, ``int``, ``complex``); None if unknown.
        weak: whether the dtype is weak, as that of a Python number.
    """

    shape: Shape = None
    dtype: str | None = None
    weak: bool | None = None

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        return None if self.shape is None else len(self.shape)

    @property
    def typed(self) -> DType:
        """Dtype and weakness together."""
        return DType(self.dtype, self.weak)


UNKNOWN_AVAL = Aval()


class Computed(NamedTuple):
    """The array that an operation gives, and whether the operation fails for certain."""

    aval: Aval
    contradiction: bool = False


def describe(aval: Aval) -> str:
    """An array in JAX's short form: ``weak f32[3,n]``; ``?`` is unknown, ``[*]`` of any rank."""
    sizes = "*" if aval.shape is None else ",".join(_size(size) for size in aval.shape)
    dtype = "?" if aval.dtype is None else short_names().get(aval.dtype, aval.dtype)
    return f"{'weak ' if aval.weak else ''}{dtype}[{sizes}]"


def _size(size: Dim) -> str:
    if isinstance(size, Size):
        return size.name or "?"
    return "?" if size is None else str(size)


def python_number(value: complex, x64: bool | None = None) -> Aval:
    """The array that a Python number becomes: weak, but for a bool."""
    kind = type(value).__name__
    if isinstance(value, bool):
        return Aval((), "bool", False)
    wide = {"int": "int64", "float": "float64", "complex": "complex128"}
    narrow = {"int": "int32", "float": "float32", "complex": "complex64"}
    return Aval((), kind if x64 is None else (wide if x64 else narrow)[kind], True)


# ------------------------------------------------------------------- operations


def _computed(found: Inferred, dtype: DType) -> Computed:
    return Computed(Aval(found.shape, dtype.name, dtype.weak), found.contradiction)


def _promoted(avals: Sequence[Aval], x64: bool | None) -> DType:
    return promote(tuple(aval.typed for aval in avals), x64)


def elementwise(*avals: Aval, x64: bool | None = None) -> Computed:
    """Arrays broadcast against each other, with their promoted dtype."""
    return _computed(shapes.broadcast(*(aval.shape for aval in avals)), _promoted(avals, x64))


def reduce(aval: Aval, axis: Axis = None, keepdims: bool | None = False) -> Computed:
    """An array without some of its axes, all of them when ``axis`` is None."""
    return _computed(shapes.reduce(aval.shape, axis, keepdims), aval.typed)


def index(aval: Aval, key: Index | tuple[Index, ...]) -> Computed:
    """``x[key]``."""
    return _computed(shapes.index(aval.shape, key), aval.typed)


def matmul(first: Aval, second: Aval, x64: bool | None = None) -> Computed:
    """``x @ y``."""
    return _computed(shapes.matmul(first.shape, second.shape), _promoted((first, second), x64))


def einsum(subscripts: str, *avals: Aval, x64: bool | None = None) -> Computed:
    """``jnp.einsum(subscripts, *arrays)``."""
    found = shapes.einsum(subscripts, [aval.shape for aval in avals])
    return _computed(found, _promoted(avals, x64))


def reshape(aval: Aval, new: Sequence[Dim]) -> Computed:
    """``x.reshape(new)``."""
    return _computed(shapes.reshape(aval.shape, new), aval.typed)


def transpose(aval: Aval, axes: Axis = None) -> Computed:
    """``x.transpose(axes)``."""
    return _computed(shapes.transpose(aval.shape, axes), aval.typed)


def expand_dims(aval: Aval, axis: Axis) -> Computed:
    """``jnp.expand_dims(x, axis)``."""
    return _computed(shapes.expand_dims(aval.shape, axis), aval.typed)


def concatenate(avals: Sequence[Aval], axis: Axis = 0, x64: bool | None = None) -> Computed:
    """Arrays joined along an axis that they have."""
    found = shapes.concatenate([aval.shape for aval in avals], axis)
    return _computed(found, _promoted(avals, x64))


def stack(avals: Sequence[Aval], axis: Axis = 0, x64: bool | None = None) -> Computed:
    """Arrays joined along a new axis."""
    found = shapes.stack([aval.shape for aval in avals], axis)
    return _computed(found, _promoted(avals, x64))


def with_dtype(aval: Aval, name: str | None) -> Aval:
    """The array cast to a dtype, which makes it strong."""
    return replace(aval, dtype=name, weak=False)


def join(first: Aval, second: Aval) -> Aval:
    """What is known when the array is one of two."""
    shape: Shape = None
    if first.shape is not None and second.shape is not None and first.rank == second.rank:
        pairs = zip(first.shape, second.shape, strict=True)
        shape = tuple(one if one is other or one == other else None for one, other in pairs)
    return Aval(
        shape,
        first.dtype if first.dtype == second.dtype else None,
        first.weak if first.weak is second.weak else None,
    )
