"""Sums of floats of which one is so large that nothing of the other is kept."""

from __future__ import annotations

from jaxlint.events import AbsorbedNumber
from jaxlint.knowledge import dtypes, jax_api
from jaxlint.knowledge.floats import DIGITS
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.rounding import absorbs, rounded
from jaxlint.tracer.values.value import Const, Value, replace


def added(
    tracer: Tracer, operator: str, left: Value, right: Value, found: Array, node: n.Node
) -> Array:
    """The result of an operator, with its number where that is a sum of two that are known."""
    one, other, dtype = number_of(left), number_of(right), found.aval.dtype
    known = isinstance(left, Array) and left.number is not None
    known = known or (isinstance(right, Array) and right.number is not None)
    if operator not in ("+", "-") or not known or one is None or other is None:
        return found
    if dtype not in DIGITS:
        return found
    digits = DIGITS[dtype]
    other = -other if operator == "-" else other
    for large, small in ((one, other), (other, one)):
        if absorbs(large, small, digits):
            context = tracer.context(node, node)
            tracer.emit(AbsorbedNumber(context, abs(small), rounded(large, digits), dtype))
    return replace(found, number=rounded(one + other, digits))


def held(name: str, arguments: Arguments, found: Value) -> Value:
    """What a function makes of its arguments, with the number that it holds where it is one."""
    makes = name in jax_api.MAKES_ARRAYS or name in dtypes.SCALAR_TYPES
    number = number_of(arguments.args[0]) if makes and arguments.args else None
    if number is None or not isinstance(found, Array) or found.aval.dtype not in DIGITS:
        return found
    return replace(found, number=rounded(number, DIGITS[found.aval.dtype]))


def number_of(value: Value) -> float | None:
    """The float that a value is, or that a scalar array holds."""
    if isinstance(value, Array):
        return value.number
    number = value.value if isinstance(value, Const) else None
    known = isinstance(number, (int, float)) and not isinstance(number, bool)
    return float(number) if known and number is not None else None
