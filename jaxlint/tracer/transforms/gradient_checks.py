"""What transforms that differentiate refuse: what has no gradient, what the call does not pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from jaxlint.events import BadGradient, UnpassedPosition
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import chosen_by, listed, name_of
from jaxlint.tracer.state.arguments import Arguments, nodes_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.leaf_types import holder_of, without_gradient
from jaxlint.tracer.transforms.mapped import is_of_jax
from jaxlint.tracer.values.arrays import Array, kind_of
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Host, Value, is_number, type_name


def refused_by_gradient(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether the call raises for what it is to differentiate; the event is recorded."""
    option = function.options.get("argnums")
    positions = [0] if option is None else listed(option)
    # Those below zero count from the last argument that the call passes by position.
    whole = [each for each in positions if isinstance(each, int) and each >= 0]
    if len(whole) == len(positions):
        if lacks_positions(tracer, function, "argnums", whole, arguments, node):
            return True
    return _not_differentiable(tracer, function, arguments, node)


def lacks_positions(
    tracer: Tracer,
    function: Transformed,
    option: str,
    positions: Iterable[int],
    arguments: Arguments,
    node: n.Node,
) -> bool:
    """Whether an option names a position behind the positional arguments, all of them in view."""
    count = len(arguments.args)
    behind = [each for each in sorted(positions) if each >= count]
    if not behind or not arguments.closed or not isinstance(node, n.Call):
        return False
    if not is_of_jax(function):
        return False
    tracer.emit(UnpassedPosition(tracer.context(node), option, behind[0], count))
    return True


def _not_differentiable(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    if isinstance(function.options.get("allow_int"), (Const, Host)):
        return False
    chosen = chosen_by(function, "argnums", "")
    positions = set(chosen.positions) or ({0} if "argnums" not in function.options else set())
    nodes = nodes_of(arguments, node)
    for position in sorted(positions):
        if chosen.known and position < len(arguments.args):
            kind, holder = without_gradient(arguments.args[position])
            if kind:
                context = tracer.context(node, nodes[position])
                held = holder_of(holder) if holder is not None else ""
                event = BadGradient(context, "input", kind, function.name, name_of(function), held)
                tracer.emit(event)
                return True
    return False


def note_gradient_of(tracer: Tracer, function: Transformed, result: Value, node: n.Node) -> None:
    """What a function gives that has no gradient."""
    aux = function.options.get("has_aux")
    part: Literal["output", "aux"] = "output"
    what = _not_real(result, aux)
    if isinstance(aux, Const) and aux.value is True and _no_pair(result):
        part, what = "aux", _no_pair(result)
    of_reals = function.transform.result in _GRADIENTS and "holomorphic" not in function.options
    if not what and of_reals:
        what = _complex(result if aux is None else UNKNOWN)
    if what:
        context = tracer.context(node)
        tracer.emit(BadGradient(context, part, what, function.name, name_of(function)))


_GRADIENTS = frozenset({"gradient", "value_and_gradient"})


def _complex(result: Value) -> str:
    """A complex number, of which there is a gradient where the function is holomorphic."""
    kind = kind_of(result.dtype) if isinstance(result, Array) else type_name(result)
    return "a complex number" if kind == "complex" else ""


def _no_pair(result: Value) -> str:
    """What a function gives in place of a result and auxiliary data; empty where it may."""
    if isinstance(result, Sequence) and result.kind in ("tuple", "list"):
        count = len(result.items) if result.items is not None else 2
        return "" if count == 2 else f"{count} values"
    if isinstance(result, Mapping):
        return "a dict"
    if isinstance(result, Array):
        return "" if result.assumed else "an array"
    return "None" if result is NONE else "a number" if is_number(result) else ""


def _not_real(result: Value, aux: Value | None) -> str:
    """What a function gives in place of a real number; empty where it may be one."""
    if isinstance(result, Sequence):
        if aux is None:
            return "a tuple"
        parts = result.items or ()
        certain = isinstance(aux, Const) and aux.value is True and len(parts) == 2
        return _not_real(parts[0], NONE) if certain else ""
    if result is NONE:
        return "None"
    if isinstance(result, Array) and result.rank:
        return f"an array with {result.rank} {'axis' if result.rank == 1 else 'axes'}"
    kind = result.dtype if isinstance(result, Array) else type_name(result)
    return {"int": "an integer", "bool": "a boolean"}.get(kind or "", "")
