"""What a callback gives back, against what JAX is told of it."""

from __future__ import annotations

from jaxlint.events import RefusedArgument, StructureMismatch
from jaxlint.knowledge.transform import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments, keyword_node, nodes_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, aval_of_number
from jaxlint.tracer.values.avals import Aval, describe
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.pytrees import leaves, side_by_side
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.value import NONE, Host, Value, is_number, is_string, type_name


def refused_description(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> bool:
    """Whether a shape or a number stands where arrays are described; the event is recorded."""
    if transform.declared is None:
        return False
    position, keyword = transform.declared
    described = arguments.get(position, keyword)
    if described is None or not any(map(_describes_nothing, leaves(described))):
        return False
    nodes = nodes_of(arguments, node)
    where = nodes[position] if position < len(arguments.args) else keyword_node(node, keyword)
    tracer.emit(RefusedArgument(tracer.context(node, where), name, keyword, "description"))
    return True


def _describes_nothing(leaf: Value) -> bool:
    """Whether a leaf has neither shape nor dtype: a size, a text."""
    shape = isinstance(leaf, Host) and leaf.name == "shape"
    return shape or is_number(leaf) or is_string(leaf)


def note_returned(
    tracer: Tracer,
    name: str,
    transform: Transform,
    result: Value,
    arguments: Arguments,
    node: n.Node,
) -> None:
    """What the function gives, where it has another shape or there is more of it.

    A callback that is mapped may be given all at once.
    """
    described = arguments.get(*transform.declared) if transform.declared is not None else None
    if described is None or tracer.stack.in_branch():
        return
    if any(level.transform.concreteness == "mapped" for level in tracer.stack.levels()):
        return
    wants = _described(described)
    if wants is not None and (result is NONE or _is_several(result)):
        returned = "None" if result is NONE else "several arrays"
        _tell(tracer, name, describe(wants), returned, node)
        return
    for one, other in side_by_side(described, result):
        told, given = _described(one), _given(other)
        if told is not None and given is not None and unequal(told.shape, given.shape):
            _tell(tracer, name, describe(told), describe(given), node)
            return


def _tell(tracer: Tracer, name: str, told: str, given: str, node: n.Node) -> None:
    tracer.emit(StructureMismatch(tracer.context(node), "callback", name, told, given))


def _is_several(result: Value) -> bool:
    return isinstance(result, Sequence) and result.items is not None and len(result.items) > 1


def _described(value: Value) -> Aval | None:
    """The array that a leaf describes."""
    if isinstance(value, (External, NumpyArray)) or (
        isinstance(value, Array) and not value.assumed
    ):
        return value.aval
    return None


def _given(value: Value) -> Aval | None:
    """The array that a leaf is for JAX."""
    if isinstance(value, (Array, NumpyArray)):
        return None if isinstance(value, Array) and value.assumed else value.aval
    return aval_of_number(type_name(value), None) if is_number(value) else None
