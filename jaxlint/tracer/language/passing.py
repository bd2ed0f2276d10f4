"""What a call passes on to a function that does not look at it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Donated
from jaxlint.tracer.values.objects import BoundMethod, Function
from jaxlint.tracer.values.value import Value

_STARS = ("star", "double_star")


def never_read(tracer: Tracer, function: Value, node: n.Call) -> frozenset[str]:
    """The variables in a call that were donated, and that the function called never reads."""
    names = tracer.stack.frame.names
    held = [each.value.id for each in node.arguments if isinstance(each.value, n.Name)]
    donated = [name for name in held if type(names.get(name)) is Donated]
    called = function_under(function) if donated else None
    if called is None:
        return frozenset()
    scope = called.code.scope
    pairs = _pairs(called, node, int(isinstance(function, BoundMethod)))
    read = scope.reads | scope.inner_reads
    return frozenset(name for name, into in pairs if name in donated and into not in read)


def _pairs(function: Function, node: n.Call, first: int) -> Iterator[tuple[str, str]]:
    """The variables in a call, each with the parameter that it is passed for, where that is plain.

    ``first``: of the parameters, the one that the first argument is for.
    """
    parameters = function.code.parameters
    by_name = [each.name for each in parameters if each.kind not in _STARS]
    by_position = [each.name for each in takewhile(lambda each: each.kind != "star", parameters)]
    for position, argument in enumerate(node.arguments, first):
        if argument.star:
            return
        name = argument.keyword or "".join(by_position[position : position + 1])
        if name in by_name and isinstance(argument.value, n.Name):
            yield argument.value.id, name
