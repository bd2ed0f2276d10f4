"""Whether what a higher-order function is given to call are functions that take what they get."""

from __future__ import annotations

from jaxlint.events import InvalidArgument, RefusedArgument, Site, Untraceable
from jaxlint.events.arguments import NO_FUNCTION
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.transform import Callee, Entry, Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import takes
from jaxlint.tracer.operations.fit import note_mismatch, note_scalar
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node, nodes_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.leaf_types import holder_of, module_of, without_type
from jaxlint.tracer.values.arrays import Array, NumpyArray, kind_of
from jaxlint.tracer.values.avals import describe
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance, Partial, Transformed
from jaxlint.tracer.values.pytrees import flattened
from jaxlint.tracer.values.sizes import Dim, differ
from jaxlint.tracer.values.value import NONE, Const, Host, Value, is_number, type_name


def refused_value(
    tracer: Tracer, name: str, callee: Callee, value: Value, arguments: Arguments, node: n.Node
) -> bool:
    """Whether data stand where a function is wanted; the event is recorded."""
    if not is_data(value):
        return False
    nodes = nodes_of(arguments, node)
    written = callee.position < len(arguments.args)
    where = nodes[callee.position] if written else keyword_node(node, callee.keyword)
    tracer.emit(Untraceable(tracer.context(node, where), NO_FUNCTION, name))
    return True


def is_data(value: Value) -> bool:
    """Whether a value is an array, a number or a container, which nobody can call."""
    if isinstance(value, Array):
        return not value.assumed
    if isinstance(value, Instance):
        known = value.cls.traits.pytree == "namedtuple" or not value.cls.traits.library
        return known and not value.heir and value.cls.find("__call__") is None
    return is_number(value) or isinstance(value, (Sequence, Mapping))


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
    if not isinstance(function, Function) or not transform.stages:
        return False
    kinds = {feed.kind for feed in callee.feeds}
    if not kinds <= _COUNTED or not arguments.closed or ("rest" in kinds and arguments.kwargs):
        return False
    count = len(callee.feeds) - ("rest" in kinds)
    count += sum(len(arguments.args[f.position :]) for f in callee.feeds if f.kind == "rest")
    taken = takes(function, count)
    if taken:
        tracer.emit(Untraceable(tracer.context(node), function.code.name, name, taken, str(count)))
    return bool(taken)


def refused_operand(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> bool:
    """Whether a loop or branch gets what JAX has no type for; the event is recorded.

    Those of libraries may take apart what is no array by themselves.
    """
    of_jax = name.startswith(f"{jax_api.PACKAGE}.")
    if not of_jax or (transform.carry is None and not transform.exclusive):
        return False
    nodes, at = nodes_of(arguments, node), Site(node.origin)
    for feed in (feed for callee in transform.callees for feed in callee.feeds):
        value = arguments.get(feed.position, feed.keyword)
        if feed.kind not in ("value", "element", "rest") or value is None:
            continue
        kind, holder = without_type(value)
        if not kind:
            continue
        written = feed.position < len(arguments.args)
        where = nodes[feed.position] if written else keyword_node(node, feed.keyword)
        held = holder_of(holder) if holder is not None else ""
        event = InvalidArgument(
            tracer.context(where, where), kind, name, at, "", held, module_of(holder), called=False
        )
        tracer.emit(event)
        return True
    return False


def refused_choice(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> bool:
    """Whether what says which function runs is no scalar of its type; the event is recorded."""
    if transform.chooses is None:
        return False
    position, keyword, whole = transform.chooses
    what = _no_scalar(arguments.get(position, keyword), whole)
    if what:
        nodes = nodes_of(arguments, node)
        where = nodes[position] if position < len(arguments.args) else keyword_node(node, keyword)
        tracer.emit(RefusedArgument(tracer.context(node, where), name, what, "scalar"))
    return bool(what)


def refused_bounds(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> bool:
    """Whether the bounds of a loop are no two scalars of one type; the event is recorded.

    JAX counts in floats, too, where both are.
    """
    bounds = transform.one_way or ()
    given = [(*bound, arguments.get(*bound)) for bound in bounds]
    kinds = {_kind_of_bound(value) for *_, value in given}
    differ = None not in kinds and len(kinds) > 1
    for position, keyword, value in given:
        counts = differ and _kind_of_bound(value) != "int"
        what = _no_scalar(value, counts)
        if what:
            nodes = nodes_of(arguments, node)
            written = position < len(arguments.args)
            where = nodes[position] if written else keyword_node(node, keyword)
            tracer.emit(RefusedArgument(tracer.context(node, where), name, what, "scalar"))
            return True
    return False


def _kind_of_bound(value: Value | None) -> str | None:
    """The kind of number that a bound is; None when that is not in view."""
    if isinstance(value, (Array, NumpyArray)):
        return kind_of(value.aval.dtype)
    return type_name(value) if value is not None and is_number(value) else None


def _no_scalar(value: Value | None, whole: bool) -> str:
    """What a value is instead of a scalar; empty where it may be one. ``whole``: of integers."""
    if isinstance(value, Array) and value.assumed:
        return ""
    if isinstance(value, (Array, NumpyArray)):
        wrong = value.aval.shape or (whole and kind_of(value.aval.dtype) not in ("int", None))
        return f"is `{describe(value.aval)}`" if wrong else ""
    if isinstance(value, Sequence) and value.kind in ("list", "tuple"):
        return f"is a {value.kind}"
    if value is NONE:
        return "is None"
    if isinstance(value, (Function, BoundMethod, Transformed, Partial)):
        return "is a function"
    kind = type_name(value) if isinstance(value, (Const, Host)) else ""
    return f"is a {kind}" if kind == "str" or (whole and kind in ("float", "bool")) else ""


def note_elements(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> None:
    """What is taken apart has first axes of different sizes, or none.

    Or it is nothing, without a length; or has another than the one that is asked for.
    """
    feeds = [
        feed for callee in transform.callees for feed in callee.feeds if feed.kind == "element"
    ]
    if not feeds or not arguments.closed:
        return
    given = [arguments.get(feed.position, feed.keyword) or NONE for feed in feeds]
    if transform.size is not None and all(value is NONE for value in given):
        if (arguments.get(*transform.size) or NONE) is NONE:
            tracer.emit(RefusedArgument(tracer.context(node), name, transform.size[1]))
        return
    parts = [leaf for value in given for leaf, _ in flattened(value)]
    whole = [each for each in parts if _is_scalar(each)]
    if whole and name.startswith(f"{jax_api.PACKAGE}."):
        note_scalar(tracer, whole[0], node)
        return
    sized = [each for each in parts if isinstance(each, (Array, NumpyArray)) and each.aval.shape]
    others = [each for each in sized if differ(_length(sized[0]), _length(each))]
    length = arguments.get(*transform.size) if transform.size is not None else None
    if others:
        note_mismatch(tracer, (sized[0], others[0]), node)
    elif sized and isinstance(length, Const) and type(length.value) is int:
        if differ(_length(sized[0]), length.value):
            note_mismatch(tracer, (sized[0],), node)


def _is_scalar(value: Value) -> bool:
    """Whether a leaf has no axis along which it could be taken apart."""
    if isinstance(value, (Array, NumpyArray)):
        return value.aval.shape == ()
    return is_number(value)


def _length(array: Array | NumpyArray) -> Dim:
    return array.aval.shape[0] if array.aval.shape else None


def is_no_key(tracer: Tracer, entry: Entry, arguments: Arguments, node: n.Node) -> bool:
    """Whether data stand where a method wants a PRNG key: it raises; the event is recorded."""
    place = entry.first - 1
    given = arguments.args[place] if place < len(arguments.args) else None
    if not isinstance(given, Array) or given.assumed or given.prng is not None:
        return False
    if given.dtype != "float":
        return False
    nodes = argument_nodes(node)
    where = nodes[place] if place < len(nodes) else node
    tracer.emit(RefusedArgument(tracer.context(node, where), f".{entry.name}", "rng", "key"))
    return True
