"""What a call passes on to a function that does not look at it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Donated
from jaxlint.tracer.values.objects import BoundMethod, Function, Qualified
from jaxlint.tracer.values.value import Value

_STARS = ("star", "double_star")


def never_read(tracer: Tracer, function: Value, node: n.Call) -> frozenset[int]:
    """The arguments, by identity, that were donated, and that the function called never reads."""
    names = tracer.stack.frame.names
    donated = [
        id(each.value)
        for each in node.arguments
        if isinstance(each.value, n.Name) and type(names.get(each.value.id)) is Donated
    ]
    if isinstance(function, Qualified) and function.name in jax_api.ASKS_SHAPE_ALONE:
        return frozenset(donated)
    called = function_under(function) if donated else None
    if called is None:
        return frozenset()
    read = called.code.scope.reads | called.code.scope.inner_reads
    pairs = _pairs(called, node, int(isinstance(function, BoundMethod)))
    unread = (id(given) for given, into in pairs if into not in read)
    return frozenset(unread).intersection(donated)


def _pairs(function: Function, node: n.Call, first: int) -> Iterator[tuple[n.Node, str]]:
    """The arguments of a call, each with the parameter that it is for, where that is plain.

    ``first``: of the parameters, the one that the first argument is for.
    """
    parameters = function.code.parameters
    by_name = [each.name for each in parameters if each.kind not in _STARS]
    by_position = [each.name for each in takewhile(lambda each: each.kind != "star", parameters)]
    for position, argument in enumerate(node.arguments, first):
        if argument.star:
            return
        name = argument.keyword or "".join(by_position[position : position + 1])
        if name in by_name:
            yield argument.value, name
