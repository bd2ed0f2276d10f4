"""Tangents and cotangents that do not fit what they belong to."""

from __future__ import annotations

from typing import Literal

from jaxlint.events import StructureMismatch
from jaxlint.knowledge.transform import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, aval_of_number, kind_of
from jaxlint.tracer.values.avals import Aval, describe
from jaxlint.tracer.values.containers import Mapping, tuple_of
from jaxlint.tracer.values.pytrees import side_by_side
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.structures import other_structure
from jaxlint.tracer.values.value import Value, is_number, type_name

_Part = Literal["tangents", "cotangent"]


def refused_tangents(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> bool:
    """Whether ``jvp`` gets primals and tangents that do not belong together."""
    if transform.result != "value_and_tangent" or not transform.forward:
        return False
    feed = transform.callees[0].feeds[0]
    primals = arguments.get(feed.position, feed.keyword)
    tangents = arguments.get(feed.position + 1, "tangents")
    if primals is None or tangents is None:
        return False
    if any(_is_no_tuple(each) for each in (primals, tangents)):
        tracer.emit(StructureMismatch(tracer.context(node), "tangents", name))
        return True
    return _differ(tracer, "tangents", name, primals, tangents, node)


def refused_cotangent(
    tracer: Tracer, name: str, wanted: Value, arguments: Arguments, node: n.Node
) -> bool:
    """Whether what ``vjp`` or ``linearize`` gives is called with what does not fit.

    ``wanted``: all arguments that it takes, as far as they are in view.
    """
    if not arguments.closed or arguments.kwargs:
        return False
    return _differ(tracer, "cotangent", name, wanted, tuple_of(list(arguments.args)), node)


def _differ(
    tracer: Tracer, part: _Part, name: str, wanted: Value, given: Value, node: n.Node
) -> bool:
    if other_structure(wanted, given):
        tracer.emit(StructureMismatch(tracer.context(node), part, name))
        return True
    for one, other in side_by_side(wanted, given):
        before, after = _type_of(one), _type_of(other)
        if before is None or after is None:
            continue
        kinds = kind_of(before.dtype), kind_of(after.dtype)
        if unequal(before.shape, after.shape) or kinds == ("float", "int"):
            types = describe(before), describe(after)
            tracer.emit(StructureMismatch(tracer.context(node), part, name, *types))
            return True
    return False


def _is_no_tuple(value: Value) -> bool:
    """Whether a value is no tuple or list of arguments for certain."""
    if isinstance(value, Array):
        return not value.assumed
    return isinstance(value, Mapping) or is_number(value)


def _type_of(leaf: Value) -> Aval | None:
    """The type of a leaf, as far as it is known; None of what has another kind of tangent."""
    if isinstance(leaf, Array):
        return None if leaf.assumed or leaf.prng is not None else leaf.aval
    if isinstance(leaf, NumpyArray):
        return leaf.aval
    return aval_of_number(type_name(leaf), None) if is_number(leaf) else None
