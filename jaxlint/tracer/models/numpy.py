"""Functions of NumPy on abstract values."""

from __future__ import annotations

from typing import TypeGuard

from jaxlint.events import ItemAssignment
from jaxlint.knowledge import jax_api, numpy_api, processes, python_api
from jaxlint.knowledge.measured import host_type, signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.models.jax import varying_shape
from jaxlint.tracer.models.measured import measured_aval, measured_result
from jaxlint.tracer.models.meshes import are_devices
from jaxlint.tracer.models.refusals import refused_by_numpy
from jaxlint.tracer.models.shapes import dimension, shape_asked
from jaxlint.tracer.operations.ranges import limits_asked
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, differing, kind_of
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Sequence, contents_of, sequence
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    type_name,
)

_INDICES = ("int", "bool")
"""Kinds of arrays by which others are indexed: NumPy has no other than JAX gives."""

_CONCRETE = (Clock, Const, Host, NumpyArray, Sequence, Qualified)


def call_numpy(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Call a function of NumPy by its qualified name."""
    operands = arguments.all()
    shape = shape_asked(tracer, name, arguments, node)
    if shape is not None:
        return shape
    if name == "numpy.iinfo":
        return limits_asked(arguments.get(0, "int_type") or UNKNOWN)
    host = numpy_api.HOST_RESULTS.get(name) or host_type(name)
    if host is not None:
        return Host(host)
    if refused_by_numpy(tracer, name, arguments, node):
        return UNKNOWN
    row = signature_of(name)
    if operands and isinstance(operands[0], Array) and row is not None and row.result == "array":
        # NumPy hands over to the array's own method.
        method = f"{jax_api.ARRAY}.{name.rpartition('.')[2]}"
        found = measured_result(tracer, method, arguments, node)
        return found if found is not None else tracer.array([operands[0]], node, name)
    if any(tracers(operand) for operand in operands):
        return UNKNOWN
    if name in numpy_api.CHANGES_FIRST and operands and _is_jax(operands[0]):
        where = next(iter(argument_nodes(node)), node)
        tracer.emit(ItemAssignment(tracer.context(node, where), name))
        return UNKNOWN
    for operand in operands:
        tracer.analyses.on_wait(operand, node, name)
    first = operands[0] if operands else None
    if name in numpy_api.CONVERTS and _is_jax(first) and first.traced is not True:
        # Its contents on the host: of a tracer it raises.
        return NumpyArray(
            Aval(first.aval.shape), cell={}, has_axes=bool(first.rank), differs=first.differs,
            readonly=name in numpy_api.VIEWS and len(operands) == 1,
        )  # fmt: skip
    if isinstance(first, Unknown) and are_devices(first) and name in processes.KEEPS_DEVICES:
        return first
    if name in python_api.RANDOM_INTEGERS and not _is_sized(name, arguments):
        return drawn(tracer)
    if name in numpy_api.SEVERAL_AS_JAX:
        return _several(tracer, name, arguments, node)
    # What makes an array of a size refuses a traced one: whatever the size is, it is NumPy's.
    makes = name in numpy_api.HAS_AXES_OF_SIZE
    if makes or all(isinstance(operand, _CONCRETE) for operand in operands):
        varies, has_axes = varying_shape(name, arguments), _has_axes(name, first)
        differs = differing(operands)
        aval = _made_of(tracer, name, arguments)
        return NumpyArray(aval, varies, cell={}, has_axes=has_axes, differs=differs)
    return UNKNOWN


def _several(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The arrays that a function gives, as many as the function of JAX with that name."""
    like = measured_result(tracer, f"{jax_api.NUMPY}.{name.rpartition('.')[2]}", arguments, node)
    if not isinstance(like, Sequence) or like.items is None:
        return UNKNOWN
    arrays = [
        NumpyArray(Aval(each.aval.shape), cell={}, has_axes=True)
        for each in like.items
        if isinstance(each, Array)
    ]
    return sequence(like.kind, contents_of(arrays), tracer.stack.moment())


def _made_of(tracer: Tracer, name: str, arguments: Arguments) -> Aval:
    """The shape of an array that is made of numbers in view."""
    short = name.rpartition(".")[2]
    if name == numpy_api.INDICES:
        sizes = arguments.get(0, "dimensions")
        known = sizes.items if isinstance(sizes, Sequence) else None
        return Aval((len(known), *map(dimension, known))) if known is not None else Aval()
    if name in numpy_api.SHAPED_AS_JAX:
        like = measured_aval(tracer, f"{jax_api.NUMPY}.{short}", arguments)
        kind = kind_of(like.dtype)
        return Aval(like.shape, kind if kind in _INDICES else None)
    if name in numpy_api.SIZE_DRAWN:
        size = _size(name, arguments)
        return Aval(tuple(map(dimension, size)) if size else None, _INTEGERS.get(short))
    first = arguments.get(0)
    if name in numpy_api.SCALAR_TYPES and (first is None or is_number(first)):
        return Aval(())
    if name in numpy_api.SHUFFLES and first is not None:
        return first.aval if isinstance(first, NumpyArray) else Aval((dimension(first),), "int")
    return Aval()


def _size(name: str, arguments: Arguments) -> tuple[Value, ...]:
    """The sizes that a function which draws is given; empty for none that are in view."""
    position = numpy_api.SIZE_DRAWN.get(name, -1)
    if position is None:
        return arguments.args
    size = arguments.get(position, "size")
    if isinstance(size, Sequence):
        return size.items or ()
    return (size,) if size is not None and type_name(size) == "int" else ()


def _is_sized(name: str, arguments: Arguments) -> bool:
    """Whether a function that draws is told how many, also where nobody can see how many."""
    position = numpy_api.SIZE_DRAWN.get(name, -1)
    if position is None:
        return bool(arguments.args)
    size = arguments.get(position, "size")
    return not arguments.closed or (size is not None and size != NONE)


_INTEGERS = dict.fromkeys(("randint", "integers", "poisson", "binomial"), "int")


def _has_axes(name: str, first: Value | None) -> bool:
    """Whether what a function returns is no scalar, by its first argument."""
    if isinstance(first, Sequence) and name in numpy_api.HAS_AXES_OF_LIST:
        return first.kind == "list" or bool(first.items)
    if name in numpy_api.HAS_AXES_OF_SIZE and isinstance(first, Const):
        return True
    return name in numpy_api.HAS_AXES


def _is_jax(value: Value | None) -> TypeGuard[Array]:
    return isinstance(value, Array) and not value.assumed


def drawn(tracer: Tracer) -> Host:
    """A random integer of the host: another one at each evaluation."""
    loops = tracer.stack.frame.loops
    return Host("int", varies=loops[-1].node if loops else None)
