"""What a program says to what runs its tests: fixtures, and rows of values for parameters."""

from __future__ import annotations

from jaxlint.knowledge import harnesses
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Function, Qualified, partial_of
from jaxlint.tracer.values.value import UNKNOWN, Value


def fixture(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@fixture``, or ``@fixture(params=...)``: the function stays what it is."""
    function = arguments.get(0)
    if function is None:
        return partial_of(Qualified(name), (), arguments.kwargs, tracer.stack.moment())
    if not isinstance(function, Function):
        return UNKNOWN
    tracer.harness.fixtures[id(function.code)] = arguments.kwargs
    return function


def gives(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@parametrize("a, b", rows)``: the function stays what it is."""
    kwargs = arguments.kwargs
    given = [kwargs[key] for key in ("argnames", "argvalues") if key in kwargs]
    *rows, last = [*given, *arguments.args]
    if len(rows) < 2:
        return partial_of(Qualified(name), arguments.args, kwargs, tracer.stack.moment())
    if not isinstance(last, Function):
        return UNKNOWN
    if harnesses.GIVEN_ELSEWHERE not in kwargs:
        tracer.harness.given.setdefault(id(last.code), []).append((rows[0], rows[1]))
    return last


MODELS = {harnesses.FIXTURE: fixture, harnesses.GIVES: gives}
