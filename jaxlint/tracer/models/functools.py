"""Functions of functions: ``functools.partial``, ``wraps``, ``reduce``, ``cached_property``."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.models.builtins import reduce
from jaxlint.tracer.models.jax import NEUTRAL
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Descriptor, Function, Qualified, partial_of
from jaxlint.tracer.values.value import UNKNOWN, Value, replace


def _partial(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args or not arguments.closed:
        return UNKNOWN
    made = tracer.stack.moment()
    return partial_of(arguments.args[0], arguments.args[1:], arguments.kwargs, made)


def _cached_property(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Descriptor(name, arguments.args[0]) if arguments.args else UNKNOWN


def _wraps(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``functools.wraps(wrapped)``: a decorator."""
    if not arguments.args:
        return NEUTRAL
    return partial_of(
        Qualified("functools.update_wrapper"), (), {"wrapped": arguments.args[0]},
        tracer.stack.moment(),
    )  # fmt: skip


def _wrapper(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``functools.update_wrapper(wrapper, wrapped)``."""
    wrapper, wrapped = arguments.get(0, "wrapper"), arguments.get(1, "wrapped")
    if isinstance(wrapper, Function) and wrapped is not None:
        return replace(wrapper, wraps=wrapped)
    return UNKNOWN if wrapper is None else wrapper


def _reduce(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return reduce(tracer, name, arguments, node) if len(arguments.args) >= 2 else UNKNOWN


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    python_api.CACHED_PROPERTY: _cached_property,
    "functools.wraps": _wraps,
    "functools.update_wrapper": _wrapper,
}
"""Name -> its model."""
