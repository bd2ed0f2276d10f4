"""What works along a named axis: ``psum`` and its like, ``axis_index``."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import Reason, Site, VaryingAxis
from jaxlint.knowledge import meshes
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import listed
from jaxlint.tracer.operations.arithmetic import aval_of
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Varying
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.pytrees import leaves, map_leaves
from jaxlint.tracer.values.value import UNKNOWN, Const, Host, Value, is_number, replace

_POSITIONS = {**meshes.AXIS_FUNCTIONS, **meshes.CASTS_AXES}

_VARYING = Const("varying")
"""What ``to`` says of an array that is to differ."""


def _reduced(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The same on all devices along the axis; of a number, a number."""
    given = arguments.args[0] if arguments.args else UNKNOWN
    if is_number(given):
        return Host("int") if name in meshes.COUNTS_AXES else tracer.array([given], node, name)
    axes = _axes(name, arguments)
    _note_partly(tracer, name, given, axes, node)
    whole = axes is not None and axes <= tracer.stack.told_apart()
    whole = whole and "axis_index_groups" not in arguments.kwargs

    def leaf(value: Value) -> Value:
        if not isinstance(value, Array):
            return tracer.unseen(value)
        found = tracer.array([value], node, name, Aval(value.aval.shape))
        varying = value.varying - axes if whole and axes and value.varying is not None else None
        return replace(found, varying=varying)

    return map_leaves(given, leaf, tracer.stack.moment(), fresh=True)


def _note_partly(tracer: Tracer, name: str, given: Value, axes: Varying, node: n.Node) -> None:
    """What differs along some of the axes and is the same along others is refused."""
    if axes is None or not axes <= tracer.stack.told_apart() or tracer.stack.unchecked():
        return
    for leaf in leaves(given):
        along = leaf.varying if isinstance(leaf, Array) else None
        if along is not None and along & axes and axes - along:
            same = min(axes - along)
            tracer.emit(VaryingAxis(tracer.context(node), same, "reduced", name))
            return


def _moved(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Each device gets something of others: along the axis it is another on each."""
    axes, given = _axes(name, arguments), arguments.args[0] if arguments.args else UNKNOWN
    # All devices may have gathered the same.
    known = name in meshes.MOVES_ALONG_AXES and not tracer.stack.unchecked()

    def leaf(value: Value) -> Value:
        if not isinstance(value, (Array, NumpyArray)) and not is_number(value):
            return tracer.unseen(value)
        found = tracer.array([value, *arguments.all()[1:]], node, name)
        before = value.varying if known and isinstance(value, Array) else None
        both = None if axes is None or before is None else before | axes
        return replace(found, varying=both)

    return map_leaves(given, leaf, tracer.stack.moment(), fresh=True)


def _cast(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The same array, taken for one that differs along the axes."""
    to = arguments.kwargs.get("to", _VARYING)
    axes = _axes(name, arguments) if isinstance(to, Const) and to.value == "varying" else None

    def leaf(value: Value) -> Value:
        if not isinstance(value, (Array, NumpyArray)) and not is_number(value):
            return value
        found = tracer.array([value], node, name, aval_of(tracer, value))
        prng = value.prng if isinstance(value, Array) else None
        varying = found.varying | axes if axes and found.varying is not None else None
        return replace(found, prng=prng, varying=varying)

    given = arguments.args[0] if arguments.args else UNKNOWN
    return map_leaves(given, leaf, tracer.stack.moment(), fresh=True)


def _axis_index(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A tracer whoever calls: where there is no such axis, it raises."""
    level, aval = tracer.stack.level, Aval((), "int32")
    if level is not None and level.stages:
        return replace(tracer.array([], node, name, aval), varying=_axes(name, arguments))
    return Array(True, aval, Reason("result", name, Site(node.origin)), "mapped")


def _axis_size(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Host("int")


def _axes(name: str, arguments: Arguments) -> Varying:
    """The axes that a call names; None when they are not all in view."""
    names = listed(arguments.get(_POSITIONS[name], "axis_name") or UNKNOWN)
    known = frozenset(each for each in names if isinstance(each, str))
    return known if known and len(known) == len(names) else None


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    **dict.fromkeys(meshes.REDUCES_AXES, _reduced),
    **dict.fromkeys(meshes.MOVES_ALONG_AXES, _moved),
    "jax.lax.pbroadcast": _moved,
    **dict.fromkeys(meshes.CASTS_AXES, _cast),
    "jax.lax.axis_index": _axis_index,
    "jax.lax.axis_size": _axis_size,
}
"""Functions by their qualified names."""
