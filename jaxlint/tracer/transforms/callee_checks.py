"""Whether the functions that a higher-order function calls take what they are given."""

from __future__ import annotations

from jaxlint.events import Untraceable
from jaxlint.knowledge.transforms import Callee, Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Function
from jaxlint.tracer.values.value import Value

_COUNTED = frozenset({"value", "index", "element", "rest"})
"""What is given as just so many arguments, by position."""


def refused_count(
    tracer: Tracer,
    name: str,
    callee: Callee,
    function: Value,
    transform: Transform,
    arguments: Arguments,
    node: n.Node,
) -> bool:
    """Whether a function takes fewer arguments than it is given, or more; the event is recorded."""
    if not isinstance(function, Function) or function.wraps is not None or not transform.stages:
        return False
    kinds = {feed.kind for feed in callee.feeds}
    if not kinds <= _COUNTED or not arguments.closed or ("rest" in kinds and arguments.kwargs):
        return False
    parameters = function.code.parameters
    if any(each.kind in ("star", "double_star") for each in parameters):
        return False
    count = len(callee.feeds) - ("rest" in kinds)
    count += sum(len(arguments.args[f.position :]) for f in callee.feeds if f.kind == "rest")
    positional = [each for each in parameters if each.kind != "keyword_only"]
    least = sum(each.default is None for each in positional)
    if least <= count <= len(positional):
        return False
    takes = str(least) if least == len(positional) else f"{least} to {len(positional)}"
    tracer.emit(Untraceable(tracer.context(node), function.code.name, name, takes, str(count)))
    return True
