"""Functions of JAX and NumPy that are asked for shapes, and for nothing that an array holds."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge import numpy_api
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.attributes import size_value
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.avals import Dim, Shape
from jaxlint.tracer.values.containers import Sequence, tuple_of
from jaxlint.tracer.values.shapes import broadcast
from jaxlint.tracer.values.value import FALSE, TRUE, Const, Host, Value, is_number


def dimension(value: Value) -> Dim:
    """A Python value as the size of an axis."""
    if isinstance(value, Const):
        return value.value if type(value.value) is int else None
    return value.size if isinstance(value, Host) else None


def shape_asked(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value | None:
    """What a function says of the shape of its arguments; None where it is not certain."""
    model = _MODELS.get(name)
    if model is None or not arguments.closed or not arguments.args or arguments.kwargs:
        return None
    return model(tracer, name, arguments, node)


def _described(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value | None:
    """``shape``, ``ndim`` or ``size`` of an array or number."""
    value, asked = arguments.args[0], name.rpartition(".")[2]
    if len(arguments.args) > 1:
        return None
    if is_number(value):
        return _OF_NUMBER[asked]
    if isinstance(value, (Array, NumpyArray)):
        return tracer.attribute(value, asked, node)
    return None


def _is_scalar(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value | None:
    """To NumPy no array is a scalar, whatever its shape; to JAX each that has no axes is one."""
    value = arguments.args[0]
    if is_number(value):
        return TRUE
    if name in numpy_api.TAKES_NO_ARRAY_FOR_SCALAR and isinstance(value, (Array, Tree)):
        return FALSE
    if not isinstance(value, (Array, NumpyArray)) or value.aval.shape is None:
        return None
    if value.aval.shape:
        return FALSE
    return None if name in numpy_api.TAKES_NO_ARRAY_FOR_SCALAR else TRUE


def _together(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value | None:
    """The shape that several shapes make together."""
    shapes = [_as_shape(value) for value in arguments.args]
    if None in shapes:
        return None
    found = broadcast(*shapes)
    if found.shape is None or found.contradiction:
        return None
    return tuple_of(map(size_value, found.shape))


def _as_shape(value: Value) -> Shape:
    if not isinstance(value, Sequence) or value.items is None:
        return None
    return tuple(map(dimension, value.items))


_OF_NUMBER: dict[str, Value] = {"shape": tuple_of(()), "ndim": Const(0), "size": Const(1)}

_MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value | None]] = {
    **dict.fromkeys(numpy_api.ASKS_FOR_SCALAR, _is_scalar),
    **dict.fromkeys(numpy_api.ASKS_FOR_SHAPE, _described),
    **dict.fromkeys(numpy_api.BROADCASTS_SHAPES, _together),
}
