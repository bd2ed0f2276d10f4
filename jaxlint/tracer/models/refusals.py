"""What JAX and NumPy functions refuse: tracers where they need values, lists for arrays.

Which parameter of which function refuses what is measured, not typed in
(``knowledge/measured.json``); here the measurements are applied to abstract values.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Literal

from jaxlint.events import (
    ArrayConversion,
    DataDependentShape,
    ListArgument,
    RefusedArgument,
    StaticArgument,
    TracedSize,
)
from jaxlint.knowledge import jax_api, numpy_api, scipy_api
from jaxlint.knowledge.history import ever_took, left_out
from jaxlint.knowledge.measured import SIZES, Signature, signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.models.foreign import refuses_foreign
from jaxlint.tracer.models.unfit import refuses_arrays
from jaxlint.tracer.operations.conversions import refuses_value
from jaxlint.tracer.state.arguments import Arguments, Given, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Ref, kind_of
from jaxlint.tracer.values.containers import Sequence, tuple_of
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, is_number

_FUNCTIONS = ("jax.numpy.", "jax.random.", "jax.lax.", "jax.nn.")
_NEEDS_VALUES = frozenset({"ConcretizationTypeError", "TracerBoolConversionError"})


def refused_by_jax(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> bool:
    """Whether a JAX function raises for its arguments; the event is recorded."""
    if _leaves_out(tracer, name, arguments, node):
        return True
    row = signature_of(name)
    if row is None:
        return False
    given = [*bound(row, arguments, node)]
    if _refused(tracer, name, row, given, node) or refuses_foreign(tracer, name, given, node):
        return True
    return arguments.closed and refuses_arrays(tracer, name, row, given, node)


def _leaves_out(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> bool:
    """Whether a call lacks an argument that every release of JAX wants.

    What ``*args`` holds may go with the outcome of a test that nobody sees.
    """
    if not arguments.closed or not name.startswith(_FUNCTIONS):
        return False
    starred = isinstance(node, n.Call) and any(each.star for each in node.arguments)
    if starred and (tracer.stack.in_branch() or tracer.stack.undecided_in_trace()):
        return False
    if not all(ever_took(name, keyword) for keyword in arguments.kwargs):
        return False  # That one is called what no parameter is says enough.
    parameter = left_out(name, len(arguments.args), frozenset(arguments.kwargs))
    if parameter:
        tracer.emit(RefusedArgument(tracer.context(node), name, parameter))
    return bool(parameter)


def refused_by_method(
    tracer: Tracer, receiver: Array, name: str, arguments: Arguments, node: n.Node
) -> bool:
    """The same for a method of an array, which is a ``jax.numpy`` function."""
    row = signature_of(f"jax.numpy.{name}") if name in jax_api.MEASURED_METHODS else None
    if row is None:
        return False
    args, nodes = arguments.args, argument_nodes(node)
    if name in jax_api.TAKES_SIZES_APART and len(args) > 1:
        args, nodes = (tuple_of(args),), [node]
    whole = Arguments(
        (receiver, *args), arguments.kwargs, arguments.open_args, arguments.open_kwargs
    )
    given = [*bound(row, whole, node, [node, *nodes])]
    if _refused(tracer, f".{name}", row, given, node):
        return True
    function = f"{jax_api.NUMPY}.{name}"
    if refuses_foreign(tracer, function, given, node):
        return True
    return whole.closed and refuses_arrays(tracer, function, row, given, node)


def _refused(tracer: Tracer, name: str, row: Signature, given: list[Given], node: n.Node) -> bool:
    names = {item.parameter for item in given}
    if row.always and not row.cures & names:
        return _data_dependent(tracer, name, row, given, node)
    for item in given:
        if item.parameter in row.refuses_lists and _is_list(item.value):
            if isinstance(item.value, Ref) and name in jax_api.ASKS_SHAPE_ALONE:
                continue
            kind = item.value.kind if isinstance(item.value, Sequence) else "Ref"
            tracer.emit(ListArgument(tracer.context(node, item.node), name, kind))
            return True
        wanted = _wanted(name, item)
        if wanted is not None:
            context = tracer.context(node, item.node)
            tracer.emit(RefusedArgument(context, name, item.parameter, wanted))
            return True
        if item.parameter == jax_api.COUNTS.get(name) and refuses_value(item.value):
            if _is_scalar(item.value):
                context = tracer.context(node, item.node, item.value)
                tracer.emit(TracedSize(context, name, item.parameter))
                return True
        if item.parameter in row.refuses and refuses_value(item.value):
            if row.cures & names and item.parameter not in row.cures:
                continue
            if item.parameter in row.takes_arrays and not _is_scalar(item.value):
                continue
            _static_wanted(tracer, name, item, node)
            return True
    return False


def _wanted(name: str, item: Given) -> Literal["axis", "dtype", "key", "single key"] | None:
    """What a parameter is for, where it is given something else for certain."""
    if item.parameter == "dtype" and is_number(item.value):
        return "dtype"
    if item.parameter == "axis" and name in jax_api.JOINS and _is_no_scalar(item.value):
        return "axis"
    if item.parameter != "key" or not name.startswith("jax.random."):
        return None
    if isinstance(item.value, Array):
        if item.value.prng is not None and item.value.rank and name not in jax_api.TAKES_KEYS:
            return "single key"
        plain = item.value.prng is None and not item.value.assumed
        return "key" if plain and kind_of(item.value.dtype) in ("float", "bool") else None
    return "key" if is_number(item.value) else None


def _static_wanted(tracer: Tracer, name: str, item: Given, node: n.Node) -> None:
    context = tracer.context(node, item.node, item.value)
    if item.parameter in SIZES:
        tracer.emit(TracedSize(context, name, item.parameter))
    else:
        tracer.emit(StaticArgument(context, name, item.parameter))


def _data_dependent(
    tracer: Tracer, name: str, row: Signature, given: list[Given], node: n.Node
) -> bool:
    if name == "jax.numpy.where" and len(given) > 1:
        return False
    found = next((item for item in given if refuses_value(item.value)), None)
    level = tracer.stack.level
    here = level is not None and level.stages and level.tracing
    if found is None and not (here and given):
        return False
    found = found or given[0]
    value = found.value
    if not refuses_value(value):
        value = tracer.array([value], node, name)
    context = tracer.context(node, found.node, value)
    if row.always in _NEEDS_VALUES:
        tracer.emit(DataDependentShape(context, name, tuple(sorted(row.cures))))
        return True
    if row.always == "TracerArrayConversionError":
        tracer.emit(ArrayConversion(context, name))
        return True
    return False


def note_fields(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> None:
    """A text to print whose fields are not the arguments that come with it: JAX raises."""
    text, *given = arguments.args or (UNKNOWN,)
    fields = _fields(text.value) if isinstance(text, Const) else None
    if fields is None or not arguments.closed:
        return
    named = arguments.kwargs.keys() - jax_api.OPTIONS_OF_PRINT
    places = {field for field in fields if field.isdecimal()}
    for field in fields:
        if field not in named and not (field in places and int(field) < len(given)):
            tracer.emit(RefusedArgument(tracer.context(node), name, field))
            return
    nodes = argument_nodes(node)[1:]
    unused = [(str(i), nodes[i]) for i in range(len(given)) if str(i) not in places]
    unused += [(key, keyword_node(node, key)) for key in sorted(named) if key not in fields]
    for field, where in unused[:1]:
        event = RefusedArgument(tracer.context(node, where), name, field, "field")
        tracer.emit(event)


def _fields(text: object) -> list[str] | None:
    """The names and numbers of the fields of a text; None for one that cannot be read."""
    if not isinstance(text, str):
        return None
    try:
        parts = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return None
    first = [re.split(r"[.\[]", part, maxsplit=1)[0] for part in parts]
    return [each or str(first[:i].count("")) for i, each in enumerate(first)]


# --------------------------------------------------------------------------- numpy


def refused_by_numpy(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> bool:
    """Whether a NumPy function raises for a tracer; the event is recorded."""
    first = numpy_api.MAKES_ARRAYS.get(name)
    if first is not None:
        return refuses_all(tracer, name, arguments, node, first)
    row = signature_of(name)
    given = [*bound(row, arguments, node)] if row is not None else []
    for item in given:
        assert row is not None
        error = row.refuses.get(item.parameter)
        if item.parameter in row.hands_on and not _is_host(given[0].value):
            continue
        joined = isinstance(item.value, Sequence)
        if error == "TracerArrayConversionError" or (joined and error is None):
            if _converted(tracer, name, item.value, item.node, node):
                return True
        elif error is not None and refuses_value(item.value):
            _static_wanted(tracer, name, item, node)
            return True
    return False


def refuses_all(
    tracer: Tracer, name: str, arguments: Arguments, node: n.Node, first: int = 0
) -> bool:
    """Whether an argument, of the first one on, is a tracer, where each is to become an ndarray."""
    items = [*zip(arguments.args, argument_nodes(node), strict=False)][first:]
    return any(_converted(tracer, name, value, where, node) for value, where in items)


def _refuses_keywords(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> bool:
    return any(
        _converted(tracer, name, value, keyword_node(node, keyword), node)
        for keyword, value in arguments.kwargs.items()
    )


def refused_by_scipy(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> bool:
    """Whether a SciPy function raises: for a tracer, or for one that a function gives it."""
    if _is_for_any_arrays(tracer):
        return False
    if scipy_api.needs_arrays(name):
        return refuses_all(tracer, name, arguments, node) or (
            scipy_api.is_density(name) and _refuses_keywords(tracer, name, arguments, node)
        )
    row = scipy_api.row_of(name)
    if row is None:
        return False
    given = [*bound(row, arguments, node)]
    return any(
        _converted(tracer, name, item.value, item.node, node)
        for item in given
        if item.parameter in row.arrays
    ) or any(
        _gives_tracer(tracer, name, item, row.called[item.parameter], given, node)
        for item in given
        if item.parameter in row.called
    )


def _is_for_any_arrays(tracer: Tracer) -> bool:
    """Whether code is for the arrays of any library: SciPy may have been told to take them, too."""
    held = tracer.stack.frame.globals.names.values()
    return any(
        isinstance(each, Qualified) and each.name.startswith(scipy_api.ARRAY_API) for each in held
    )


def _gives_tracer(
    tracer: Tracer, name: str, item: Given, count: int, given: list[Given], node: n.Node
) -> bool:
    """Whether a function returns a tracer to SciPy, which calls it with numbers while tracing."""
    level = tracer.stack.level
    if level is None or not level.tracing or not function_like(item.value):
        return False
    more = next((each.value for each in given if each.parameter == "args"), None)
    further = more.items if isinstance(more, Sequence) else ()
    numbers = Arguments((UNKNOWN,) * count + (further or ()), open_args=UNKNOWN)
    result = tracer.call(item.value, numbers, node)
    if not tracers(result):
        return False
    context = tracer.context(node, item.node, result)
    tracer.emit(ArrayConversion(context, name, returned=True))
    return True


def _converted(tracer: Tracer, name: str, value: Value, where: n.Node, node: n.Node) -> bool:
    """NumPy makes an ndarray of a value, which no tracer allows."""
    if not tracers(value):
        return False
    tracer.emit(ArrayConversion(tracer.context(node, where, value), name))
    return True


def _is_host(value: Value) -> bool:
    """Whether NumPy itself works on a value: no JAX array, whose method it would call instead."""
    return isinstance(value, (NumpyArray, Const, Sequence)) and not tracers(value)


def _is_no_scalar(value: Value) -> bool:
    return isinstance(value, Array) and not value.assumed and bool(value.rank)


def _is_scalar(value: Value) -> bool:
    return isinstance(value, Array) and value.rank == 0


def _is_list(value: Value) -> bool:
    """A list or tuple, or a reference: none of them is an array."""
    return isinstance(value, Ref) or (
        isinstance(value, Sequence) and value.kind in ("list", "tuple")
    )


def bound(
    row: Signature | scipy_api.Row,
    arguments: Arguments,
    node: n.Node,
    nodes: list[n.Node] | None = None,
) -> Iterator[Given]:
    """The arguments by the parameters of a measured function."""
    nodes = argument_nodes(node) if nodes is None else nodes
    for position, value in enumerate(arguments.args):
        where = nodes[position] if position < len(nodes) else node
        yield Given(row.name_of(position), value, where)
    for name, value in arguments.kwargs.items():
        yield Given(name, value, keyword_node(node, name))
