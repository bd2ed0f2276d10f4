"""Functions of ``jax.lax`` that promote nothing."""

from __future__ import annotations

from jaxlint.events import ShapeMismatch
from jaxlint.knowledge.strict import SAME_DTYPE
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, aval_of_number
from jaxlint.tracer.values.avals import Aval, describe
from jaxlint.tracer.values.dtypes import DType, same
from jaxlint.tracer.values.value import Value, is_number, type_name


def refused_dtypes(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> bool:
    """Whether operands have other dtypes, for certain; the event is recorded."""
    places = SAME_DTYPE.get(name, ())
    if len(arguments.args) <= max(places, default=0) or tracer.stack.in_branch():
        return False
    given = [arguments.args[place] for place in places]
    avals = [aval for aval in (_aval(tracer, value) for value in given) if aval is not None]
    others = [each for each in avals if not same(DType(avals[0].dtype), DType(each.dtype))]
    if not others:
        return False
    shown = describe(avals[0]), describe(others[0])
    tracer.emit(ShapeMismatch(tracer.context(node, node), shown, dtypes=True))
    return True


def _aval(tracer: Tracer, value: Value) -> Aval | None:
    """What JAX makes of an operand; None where that is not certain."""
    if isinstance(value, Array):
        return None if value.assumed or value.dtype == "key" else value.aval
    return aval_of_number(type_name(value), tracer.settings.x64) if is_number(value) else None
