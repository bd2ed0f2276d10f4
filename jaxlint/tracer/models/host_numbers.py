"""Python's own functions of numbers and of time: they ask tracers for numbers, and give some."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.conversions import index, number
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import UNKNOWN, Clock, Const, Host, Value

NUMBER_MODULES = ("math.", "time.", "random.")
"""What the names of such functions begin with."""


def host_number(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A call of such a function."""
    if name.startswith("math.") and name not in python_api.MATH_ON_TRACERS:
        ask = index if name in python_api.MATH_OF_INTEGERS else number
        in_sequences = name in python_api.MATH_OF_SEQUENCES
        for value, where in zip(arguments.args, argument_nodes(node), strict=False):
            for asked in tracers(value)[:1] if in_sequences else [value]:
                ask(tracer, asked, where, name)
    given = arguments.all()
    if name in python_api.COMPUTED and all(isinstance(value, Const) for value in given):
        found = _computed(name, [value.value for value in given if isinstance(value, Const)])
        if found is not None:
            return Const(found)
    concrete = all(isinstance(value, (Const, Host, Clock)) for value in given)
    gives_number = concrete and name not in python_api.NO_NUMBERS
    return Host(python_api.HOST_RESULTS.get(name, "float")) if gives_number else UNKNOWN


def _computed(name: str, numbers: list[Any]) -> int | float | None:
    """What a function of ``math`` gives; None where it raises."""
    with suppress(ArithmeticError, TypeError, ValueError):
        result: int | float = getattr(math, name.removeprefix("math."))(*numbers)
        return result
    return None
