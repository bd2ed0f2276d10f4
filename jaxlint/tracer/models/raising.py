"""Calls that must raise: ``pytest.raises(E, f, x)``, ``self.assertRaises(E, f, x)``."""

from __future__ import annotations

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.value import UNKNOWN, Value, replace


def must_raise(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The function is called for its exception; how far it gets before that, nobody knows."""
    place = python_api.CALLS_WHAT_RAISES[name]
    function, stack = arguments.get(place), tracer.stack
    if function is not None:
        given = replace(arguments, args=arguments.args[place + 1 :])
        stopped = stack.frame.stopped
        with stack.muting(), tracer.trail.keeping() as mark:
            tracer.call(function, given, node)
            tracer.trail.weaken(mark)
        stack.frame.stopped = stopped
    return UNKNOWN


MODELS = {
    name: must_raise for name in python_api.CALLS_WHAT_RAISES if name in python_api.EXPECTS_ERRORS
}
"""Functions by their qualified names."""
