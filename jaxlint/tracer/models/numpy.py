"""Functions of NumPy on abstract values."""

from __future__ import annotations

from jaxlint.events import ItemAssignment
from jaxlint.knowledge import jax_api, numpy_api, python_api
from jaxlint.knowledge.measured import host_type, signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.models.jax import varying_shape
from jaxlint.tracer.models.measured import measured_result
from jaxlint.tracer.models.refusals import refused_by_numpy
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import UNKNOWN, Const, Host, Value

_CONCRETE = (Const, Host, NumpyArray, Sequence, Qualified)


def call_numpy(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Call a function of NumPy by its qualified name."""
    host = numpy_api.HOST_RESULTS.get(name) or host_type(name)
    if host is not None:
        return Host(host)
    operands = arguments.all()
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
    if name in python_api.RANDOM_INTEGERS:
        return drawn(tracer)
    if all(isinstance(operand, _CONCRETE) for operand in operands):
        return NumpyArray(varies=varying_shape(name, arguments), cell={})
    return UNKNOWN


def _is_jax(value: Value) -> bool:
    return isinstance(value, Array) and not value.assumed


def drawn(tracer: Tracer) -> Host:
    """A random integer of the host: another one at each evaluation."""
    loops = tracer.stack.frame.loops
    return Host("int", varies=loops[-1].node if loops else None)
