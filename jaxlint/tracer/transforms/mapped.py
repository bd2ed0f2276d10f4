"""Which axes of its arguments ``vmap`` maps, and where its results get theirs."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.knowledge import jax_api
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import flattened
from jaxlint.tracer.values.sizes import Dim, Shape
from jaxlint.tracer.values.value import Const, Value, is_number


def is_of_jax(function: Transformed) -> bool:
    """Whether JAX itself maps: libraries may have axes for parts of their objects."""
    return function.name.startswith(f"{jax_api.PACKAGE}.")


def axes_of(function: Transformed, arguments: Arguments) -> Iterator[tuple[int, int]]:
    """Of each argument that ``in_axes`` has one axis for: its position, and that axis."""
    axes = function.options.get("in_axes", Const(0))
    each = axes.items if isinstance(axes, Sequence) and axes.items is not None else None
    for position in range(len(arguments.args)):
        entry = each[position] if each is not None and position < len(each) else axes
        if isinstance(entry, Const) and type(entry.value) is int:
            yield position, entry.value


def shapes_of(value: Value, numbers: bool = True) -> Iterator[tuple[Dim, ...]]:
    """The shapes that are known of what JAX flattens a value to; ``numbers``: also of those."""
    for leaf, _ in flattened(value):
        shape = _shape(leaf)
        if shape is not None and (numbers or not is_number(leaf)):
            yield shape


def _shape(value: Value) -> Shape:
    """The shape of a leaf; None where nobody can say."""
    if isinstance(value, Array):
        return None if value.assumed else value.aval.shape
    if isinstance(value, NumpyArray):
        return value.aval.shape
    return () if is_number(value) else None


def size_of_mapped(function: Transformed, arguments: Arguments) -> Dim:
    """How many elements are mapped; None where nobody can say."""
    found = {
        shape[axis]
        for position, axis in axes_of(function, arguments)
        for shape in shapes_of(arguments.args[position])
        if -len(shape) <= axis < len(shape) and shape[axis] is not None
    }
    return found.pop() if len(found) == 1 else None


def axis_of_result(function: Transformed) -> int | None:
    """Where ``out_axes`` puts the axis of the elements; None: where nobody can say, or nowhere."""
    axis = function.options.get("out_axes", Const(0))
    return axis.value if isinstance(axis, Const) and type(axis.value) is int else None
