"""What ``vmap`` and ``pmap`` refuse: axes of the arguments that they are to map."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import AxesMismatch, InvalidArgument, MissingAxis, Site, UnequalSizes
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import name_of
from jaxlint.tracer.state.arguments import Arguments, keyword_node, nodes_of
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.leaf_types import holder_of, module_of, without_type
from jaxlint.tracer.transforms.mapped import axes_of, axis_of_result, is_of_jax, shapes_of
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Function, Partial, Transformed
from jaxlint.tracer.values.pytrees import flattened
from jaxlint.tracer.values.sizes import Dim
from jaxlint.tracer.values.value import Const, Unknown, Value

_NO_AXES: dict[type, str] = {str: "a string", float: "a float", bool: "a boolean"}


def refused_axes(tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node) -> bool:
    """Whether the call raises for what ``in_axes`` says of its arguments.

    Where it is not given, a transform may map the arrays in all of them.
    """
    if function.transform.maps_arrays:
        return "in_axes" not in function.options and _misses(tracer, function, arguments, node)
    entries = other_axes(function, arguments)
    if entries is not None:
        count = len(arguments.args)
        tracer.emit(AxesMismatch(tracer.context(node), entries, name_of(function), count))
        return True
    return not function.transform.statics_by_option and (
        _has_no_type(tracer, function, arguments, node)
        or _misses(tracer, function, arguments, node)
    )


def refused_kind(tracer: Tracer, function: Transformed, node: n.Node) -> bool:
    """Whether ``in_axes`` is nothing that a transform takes for it; the event is recorded."""
    row = function.transform
    kind = _kind(function.options.get("in_axes"))
    if kind == "a list" and not row.unjitted:
        return False
    if not kind or not (row.counts_axes or row.unjitted) or not is_of_jax(function):
        return False
    tracer.emit(AxesMismatch(tracer.context(node), 0, function.name, 0, kind))
    return True


def misses_axes(tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node) -> bool:
    """The same for ``pmap``, whose axes are those of all arguments that are not static."""
    row = function.transform
    if not is_of_jax(function) or row.static_positions in function.options:
        return False
    return refused_kind(tracer, function, node) or _misses(tracer, function, arguments, node)


def _kind(axes: Value | None) -> str:
    """What stands for axes and is neither a number nor a tuple; empty where it may be one."""
    if isinstance(axes, Mapping):
        return "a dict"
    if isinstance(axes, Sequence) and axes.kind == "list":
        return "a list"
    if isinstance(axes, (Array, NumpyArray)):
        return "" if isinstance(axes, Array) and axes.assumed else "an array"
    if isinstance(axes, Const) and type(axes.value) in _NO_AXES:
        return _NO_AXES[type(axes.value)]
    return ""


def other_axes(function: Transformed, arguments: Arguments) -> int | None:
    """How many arguments ``in_axes`` has axes for, where that is not how many there are."""
    axes = function.options.get("in_axes")
    if not (isinstance(axes, Sequence) and axes.kind == "tuple" and axes.items is not None):
        return None
    if arguments.open_args is not None or isinstance(function.function, Partial):
        return None
    entries, count = len(axes.items), len(arguments.args)
    return entries if entries != count and count else None


def lacks_axes(function: Transformed, arguments: Arguments) -> bool:
    """Whether an argument has fewer axes than the transforms around a function map of it."""
    mapped, named = [0] * len(arguments.args), 0
    inner: Value = function
    while isinstance(inner, Transformed):
        if inner.transform.counts_axes:
            for position, _ in axes_of(inner, arguments):
                mapped[position] += 1
            named += is_of_jax(inner)
        inner = inner.function
    given = [
        *zip(mapped, arguments.args, strict=True),
        *((named, value) for value in arguments.kwargs.values()),
    ]
    return any(
        len(shape) < count
        for count, value in given
        for shape in (shapes_of(value) if count else ())
    )


def fits_no_call(function: Transformed) -> bool:
    """Whether ``in_axes`` has axes for more or fewer arguments than the function takes.

    Then nobody can call it.
    """
    axes, inner = function.options.get("in_axes"), function.function
    if not (isinstance(axes, Sequence) and axes.kind == "tuple" and axes.items is not None):
        return False
    if function.transform.skips_self or not isinstance(inner, Function):
        return False
    if any(parameter.kind == "star" for parameter in inner.code.parameters):
        return False
    kinds = ("positional", "positional_only")
    taken = [each for each in inner.code.parameters if each.kind in kinds]
    wanted = [each for each in taken if each.default is None]
    return not len(wanted) <= len(axes.items) <= len(taken)


def _has_no_type(tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node) -> bool:
    """Whether an argument that is mapped is, or holds, what JAX has no type for."""
    if not is_of_jax(function):
        return False
    nodes = nodes_of(arguments, node)
    given = [(arguments.args[place], nodes[place]) for place, _ in axes_of(function, arguments)]
    given += [(value, keyword_node(node, name)) for name, value in arguments.kwargs.items()]
    for value, where in given:
        kind, holder = without_type(value)
        if not kind:
            continue
        held, at = holder_of(holder) if holder is not None else "", Site(function.node.origin)
        event = InvalidArgument(
            tracer.context(where, where, value), kind, function.name, at, "", held,
            module_of(holder), called=False,
        )  # fmt: skip
        tracer.emit(event)
        return True
    return False


def _misses(tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node) -> bool:
    """Whether an argument lacks the axis that is mapped, or has it longer than another."""
    first: tuple[int, n.Node] | None = None
    if _is_told_by_nobody(tracer.stack.frame):
        return False
    for axis, shape, where in _mapped(function, arguments, node):
        if not -len(shape) <= axis < len(shape):
            context = tracer.context(node, where)
            named = any(where is keyword_node(node, name) for name in arguments.kwargs)
            tracer.emit(MissingAxis(context, axis, len(shape), function.name, named))
            return True
        size = shape[axis]
        if not isinstance(size, int):
            continue
        first = first or (size, where)
        if size != first[0]:
            sizes, at = (first[0], size), Site(first[1].origin)
            event = UnequalSizes(tracer.context(node, where), sizes, at, function.name)
            tracer.emit(event)
            return True
    return False


def note_out_axes(tracer: Tracer, function: Transformed, result: Value, node: n.Node) -> None:
    """An array of what a function returns has no place where ``out_axes`` puts the new axis."""
    axis = axis_of_result(function) if is_of_jax(function) else None
    if axis is None or tracer.stack.in_branch() or _is_told_by_nobody(tracer.stack.frame):
        return
    # PRNG keys have one axis more when they are raw.
    plain = [leaf for leaf, _ in flattened(result) if not _is_key(leaf)]
    ranks = [len(shape) for leaf in plain for shape in shapes_of(leaf)]
    lacking = next((rank for rank in ranks if not -rank - 1 <= axis <= rank), None)
    if lacking is not None:
        context = tracer.context(node)
        tracer.emit(MissingAxis(context, axis, lacking, function.name, result=True))


def _is_key(leaf: Value) -> bool:
    return isinstance(leaf, Array) and (leaf.prng is not None or leaf.dtype in ("key", None))


def _is_told_by_nobody(frame: Frame) -> bool:
    """Whether an option in a ``**options`` that nobody sees may choose another branch than this.

    What is handed on beside it fits the branch that it does choose.
    """
    if frame.conditional == frame.entered and not frame.returns:
        return False
    inner: Frame | None = frame
    while inner is not None:
        code = inner.function.code if inner.function is not None else None
        if code is not None and any(
            _is_left_open(code, parameter, inner.names.get(parameter.name))
            for parameter in code.parameters
        ):
            return True
        inner = inner.parent
    return False


def _is_left_open(code: n.Function, parameter: n.Parameter, value: Value | None) -> bool:
    """Whether a call passes a parameter or leaves it out, and nobody sees which."""
    symbol = value.symbol if isinstance(value, Unknown) else None
    return (
        isinstance(symbol, tuple) and symbol[:2] == (id(code), parameter.name) and symbol[2:] != ()
    )


def _mapped(
    function: Transformed, arguments: Arguments, node: n.Node
) -> Iterator[tuple[int, tuple[Dim, ...], n.Node]]:
    """Of each array that is mapped: the axis, its shape, where the argument stands.

    What has a keyword is mapped along its first axis, whatever ``in_axes`` says.
    """
    nodes, all_leaves = nodes_of(arguments, node), not function.transform.maps_arrays
    for position, axis in axes_of(function, arguments):
        for shape in shapes_of(arguments.args[position], all_leaves):
            yield axis, shape, nodes[position]
    for name, value in arguments.kwargs.items() if is_of_jax(function) else ():
        for shape in shapes_of(value):
            yield 0, shape, keyword_node(node, name)
