"""Python's own functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from jaxlint.events import BoolConversion
from jaxlint.knowledge import array_names, jax_api, processes, python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.operations.arithmetic import binary
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.operations.conversions import hashed, index, number
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.items import fresh_keys
from jaxlint.tracer.operations.iteration import element_of, iterate, one
from jaxlint.tracer.operations.truth import followed, truth
from jaxlint.tracer.operations.types import (
    has_attribute,
    is_given,
    is_instance,
    may_be_tracer,
    type_names,
)
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import ANY, Array, NumpyArray, Tree, differing, refuses_bool
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    SequenceKind,
    contents_like,
    contents_of,
    iterator_of,
    mapping,
    sequence,
    tuple_of,
)
from jaxlint.tracer.values.joins import any_element, join, join_all, one_of
from jaxlint.tracer.values.objects import Descriptor, Instance, Qualified, Super
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import (
    FALSE,
    LIKELY,
    NONE,
    TRUE,
    UNKNOWN,
    Clock,
    Const,
    Differs,
    Host,
    Unknown,
    Value,
    is_number,
    is_string,
    likely,
    type_name,
)

_LONGEST_KNOWN_RANGE = 4
_FEW_CALLS = 4
_COUNTER = Host("int", varies=True)


# --------------------------------------------------------------------------- truth


def _bool(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return FALSE
    tracer.analyses.on_wait(arguments.args[0], node, "bool()")
    found = truth(tracer, arguments.args[0], node, "bool()")
    return Host("bool") if found is None else (TRUE if found else FALSE)


def _any_all(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    elements = _compared(tracer, arguments.args[0], node) if len(arguments.args) == 1 else None
    _ask_truth(tracer, name, elements or [], node, _one_array(arguments))
    found = {_likely(element) for element in elements or ()}
    sure = next(iter(found)) if len(found) == 1 else None
    if sure is None:
        return Host("bool")
    about = (LIKELY, id(node))
    return Unknown(symbol=about if sure else ("not", about))


def _likely(answer: Value) -> bool | None:
    """Whether an answer is yes, but for what nobody in view shows; None when that is open."""
    if isinstance(answer, Const) and isinstance(answer.value, bool):
        return answer.value
    return likely(symbol_of(answer))


def _one_array(arguments: Arguments) -> bool:
    return len(arguments.args) == 1 and isinstance(arguments.args[0], Array)


def _ask_truth(
    tracer: Tracer, name: str, values: list[Value], node: n.Node, of_array: bool = False
) -> Value | None:
    refusing = next((value for value in values if refuses_bool(value)), None)
    if refusing is not None:
        context = tracer.context(node, node, refusing)
        tracer.emit(BoolConversion(context, f"{name}()", of_array=of_array))
    return refusing


def _extremum(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    values = list(arguments.args)
    if len(values) == 1 and arguments.open_args is None:
        elements = _compared(tracer, values[0], node)
        if elements is None:
            return UNKNOWN
        values = elements
    key = arguments.kwargs.get("key", NONE)
    if key is not NONE:
        keys = [tracer.call(key, Arguments((value,)), node) for value in values[:2]]
        if len(values) > 1:
            _ask_truth(tracer, name, keys[:1], node)
        return UNKNOWN
    if any(is_number(value) or isinstance(value, Array) for value in values):
        # What is compared with a number is one: no container can be.
        values = [value.as_array() if isinstance(value, Tree) else value for value in values]
    of_array = _one_array(arguments)
    compared = [_comparison(tracer, value, node) for value in values]
    refusing = _ask_truth(tracer, name, compared, node, of_array) if len(values) > 1 else None
    if name != "sorted" and len(values) > 1 and all(isinstance(v, (Const, Host)) for v in values):
        return _extreme_number(name, values)
    if not values:
        return UNKNOWN
    if name == "sorted":
        return sequence("list", contents_like(join_all(values)), tracer.stack.moment())
    return refusing if refusing is not None else join_all(values)


def _comparison(tracer: Tracer, value: Value, node: n.Node) -> Value:
    """What a comparison gives whose truth is asked: in a trace also of an array with data."""
    known = isinstance(value, Array) and value.traced is False
    return tracer.array([value], node, "") if known else value


def _extreme_number(name: str, values: list[Value]) -> Value:
    """The greatest or least of some Python numbers: what a counter leads to keeps changing.

    The least of that and another, as in ``min(start + size, n)``, does not for ever.
    """
    loops = [value.varies for value in values if isinstance(value, Host) and value.varies]
    found = join_all(values)
    if loops and is_number(found):
        capped = name == "min" and len(loops) < len(values)
        return Host(type_name(found), varies=loops[0], capped=capped)
    return found


def _compared(tracer: Tracer, value: Value, node: n.Node) -> list[Value] | None:
    """What ``max``, ``any`` and the like look at one by one; None when unknown."""
    if isinstance(value, Array):
        if value.rank == 0:
            return []
        element = replace(value, aval=element_of(value), prng=None)
        return [element, element]
    if isinstance(value, (Sequence, Mapping, NumpyArray)):
        elements = iterate(tracer, value, node)
        return elements if isinstance(elements, list) else [elements, elements]
    return None


def _isinstance(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) != 2:
        return Host("bool")
    value, types = arguments.args
    found = is_instance(value, types)
    if found is not None:
        return TRUE if found else FALSE
    if is_given(value) and type_names(types) <= jax_api.TRACER_TYPES:
        return Unknown(symbol=(LIKELY, id(node)))
    symbol = symbol_of(value)
    if symbol is not None and isinstance(value, (Unknown, Host)):
        return Unknown(symbol=("isinstance", symbol, types.key()))
    return Host("bool")


def _issubclass(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) != 2:
        return Host("bool")
    cls, types = arguments.args
    if isinstance(cls, Qualified) and cls.name in type_names(types):
        return TRUE
    found = is_instance(cls.of, types) if isinstance(cls, Host) and cls.of is not None else None
    if found is not None:
        return TRUE if found else FALSE
    return _host_bool(tracer, name, arguments, node)


def _hasattr(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) == 2 and isinstance(arguments.args[1], Const):
        owner, attribute = arguments.args[0], arguments.args[1].value
        there = has_attribute(owner, attribute) if isinstance(owner, Instance) else None
        if there is not None:
            return TRUE if there else FALSE
        certain = isinstance(owner, Array) and not owner.assumed
        if isinstance(owner, Array) and certain and owner.traced:
            if array_names.refused_by_tracers(attribute) == "missing":
                return FALSE
        if certain and attribute in jax_api.ARRAY_EVIDENCE | jax_api.ARRAY_PROTOCOL:
            return TRUE
        if isinstance(owner, Array) and certain and owner.aval.shape is not None:
            if isinstance(attribute, str) and not array_names.ever_on_arrays(attribute):
                return FALSE
        if attribute in jax_api.TRACER_EVIDENCE and may_be_tracer(owner):
            return Unknown(symbol=(LIKELY, id(node)))
    return _host_bool(tracer, name, arguments, node)


def _callable(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.args[0] if arguments.args else UNKNOWN
    if function_like(value):
        return TRUE
    if isinstance(value, (Const, NumpyArray)) or (isinstance(value, Array) and not value.assumed):
        return FALSE
    return _host_bool(tracer, name, arguments, node)


def _host_bool(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    symbols = [symbol_of(value) for value in arguments.args[:1]]
    if (
        symbols
        and symbols[0] is not None
        and all(isinstance(value, Const) for value in arguments.args[1:])
    ):
        rest = tuple(value.key() for value in arguments.args[1:])
        return Unknown(symbol=(name, symbols[0], rest))
    return Host("bool")


# ------------------------------------------------------------------------- numbers


def _number(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.args[0] if arguments.args else Const(0)
    tracer.analyses.on_wait(value, node, f"{name}()")
    if arguments.args:
        where = next(iter(argument_nodes(node)), node)
        number(tracer, value, where, f"{name}()")
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        try:
            return Const({"int": int, "float": float}.get(name, complex)(value.value))
        except (ValueError, OverflowError):
            return UNKNOWN
    varies = value.varies if isinstance(value, Host) else None
    return Host(name, varies=varies, differs=differing((value,)))


def _arithmetic(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    args = arguments.args
    if name == "pow" and len(args) == 2:
        return binary(tracer, "**", args[0], args[1], node)
    for value in args:
        if isinstance(value, (Array, Tree)):
            aval = value.aval if isinstance(value, Array) and len(args) == 1 else ANY
            return tracer.array(args, node, name, aval)
    known = all(isinstance(value, (Const, Host, Clock)) for value in args)
    return Host(type_name(args[0]), differs=differing(args)) if known and args else UNKNOWN


def _sum(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return UNKNOWN
    elements = iterate(tracer, arguments.args[0], node)
    total: Value = arguments.get(1, "start") or Const(0)
    for element in elements if isinstance(elements, list) else [elements, elements]:
        total = binary(tracer, "+", total, element, node)
    return total


def _len(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.args[0] if arguments.args else UNKNOWN
    if isinstance(value, Sequence) and value.items is not None:
        if value.kind == "tuple" or followed(tracer, value.made):
            return Const(len(value.items))
    if isinstance(value, Mapping) and value.entries.rest is None and followed(tracer, value.made):
        return Const(len(value.entries.known))
    if isinstance(value, Array) and value.aval.shape and isinstance(value.aval.shape[0], int):
        return Const(value.aval.shape[0])
    if isinstance(value, Array) and value.rank == 0:
        note_mismatch(tracer, (value,), node)
    if isinstance(value, Sequence):
        return Host("int", varies=value.contents.varies)
    return Host("int", symbol=processes.LENGTHS.get(symbol_of(value)))


def _range(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    for value in arguments.args:
        index(tracer, value, node, "range()")
    bounds = [value.value for value in arguments.args if isinstance(value, Const)]
    if len(bounds) != len(arguments.args) or not all(type(bound) is int for bound in bounds):
        return Sequence("iterator", contents_like(_COUNTER))
    try:
        numbers = range(*bounds)
        count = len(numbers)
    except (TypeError, ValueError, OverflowError):
        return UNKNOWN
    if count <= _LONGEST_KNOWN_RANGE:
        return iterator_of(Const(each) for each in numbers)
    return Sequence("iterator", contents_like(_COUNTER, count))


# ------------------------------------------------------------------------- strings


def _str(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    for value in arguments.args:
        tracer.analyses.on_wait(value, node, f"{name}()")
    value = arguments.args[0] if arguments.args else UNKNOWN
    if isinstance(value, Const) and len(arguments.all()) == 1 and arguments.closed:
        return Const(str(value.value))
    shown = tracers(value)
    named = value.of if isinstance(value, Host) and value.type == "type" else None
    return Host("str", of=named, shows=shown[0] if shown else None)


def _format(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) == 2:
        number(tracer, arguments.args[0], node, "format()")
    return Host("str")


def _hash(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if arguments.args:
        hashed(tracer, arguments.args[0], node, "hash()")
    salted = any(map(is_string, arguments.args))
    return Host("int", differs=Differs("host", node) if salted else differing(arguments.args))


def _from_bytes(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Host("int", differs=differing(arguments.args))


def _type(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.args[0] if len(arguments.args) == 1 else UNKNOWN
    if isinstance(value, Instance):
        return value.cls
    return Host("type", of=value)


# ---------------------------------------------------------------------- containers


def _new_container(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return container(tracer, name, f"builtins.{name}", arguments, node)


def container(tracer: Tracer, kind: str, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``list(xs)``, ``dict(a=1)``, ``defaultdict(list)``: a new container."""
    made = tracer.stack.moment()
    if kind == "dict":
        return _new_dict(tracer, name, arguments)
    elements: list[Value] | Value = []
    if arguments.args:
        elements = iterate(tracer, arguments.args[0], node)
    kinds: dict[str, SequenceKind] = {"list": "list", "tuple": "tuple"}
    found = kinds.get(kind, "set")
    if (arguments.get(1, python_api.BOUNDS) or NONE) is not NONE:
        held = one_of(elements) if isinstance(elements, list) else elements
        return replace(sequence(found, contents_like(held), made), bounded=True)
    if found == "set":
        for element in elements if isinstance(elements, list) else [elements]:
            hashed(tracer, element, node, "set()")
    if not isinstance(elements, list):
        return sequence(found, contents_like(elements), made)
    if found == "set" and elements:
        return sequence("set", contents_like(join_all(elements)), made)
    return sequence(found, contents_of(elements), made)


def _new_dict(tracer: Tracer, name: str, arguments: Arguments) -> Value:
    source = arguments.args[0] if arguments.args else None
    known: dict[Any, Value] = dict(arguments.kwargs)
    rest = arguments.open_kwargs
    if isinstance(source, Mapping):
        known, rest = {**source.entries.known, **known}, source.entries.rest
    elif isinstance(source, Tree):
        return replace(source, container=True)
    elif source is not None or name != "builtins.dict":
        rest = UNKNOWN
    return mapping(known, rest, tracer.stack.moment())


# ----------------------------------------------------------------------- iterators


def _zip(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    columns = [iterate(tracer, value, node) for value in arguments.args]
    if columns and all(isinstance(column, list) for column in columns):
        rows = zip(*(column for column in columns if isinstance(column, list)), strict=False)
        return iterator_of(tuple_of(row) for row in rows)
    element = tuple_of(one(column) for column in columns) if columns else UNKNOWN
    return Sequence("iterator", contents_like(element))


def _enumerate(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return UNKNOWN
    source = arguments.args[0]
    elements = iterate(tracer, source, node)
    made = tracer.stack.moment()
    if isinstance(elements, list):
        return iterator_of((tuple_of([_COUNTER, element]) for element in elements), made)
    length = source.contents.length if isinstance(source, Sequence) else None
    pair = tuple_of([_COUNTER, elements])
    return Sequence("iterator", contents_like(pair, length), made)


def _iterate(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return UNKNOWN
    elements = iterate(tracer, arguments.args[0], node)
    made = tracer.stack.moment()
    if isinstance(elements, list):
        return iterator_of(elements[::-1] if name == "reversed" else elements, made)
    return Sequence("iterator", contents_like(elements), made)


def _map(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) < 2:
        return UNKNOWN
    function, *iterables = arguments.args
    each = [iterate(tracer, value, node) for value in iterables]
    known = [elements for elements in each if isinstance(elements, list)]
    few = len(known) == len(each) and min(map(len, known)) <= _FEW_CALLS
    if few and arguments.open_args is None:
        results = [
            tracer.call(function, Arguments(given), node) for given in zip(*known, strict=False)
        ]
        return iterator_of(results, tracer.stack.moment())
    result = tracer.call(function, Arguments(tuple(map(one, each))), node)
    return Sequence("iterator", contents_like(result))


def _filter(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) != 2:
        return UNKNOWN
    function, iterable = arguments.args
    element = one(iterate(tracer, iterable, node))
    kept = element if function is NONE else tracer.call(function, Arguments((element,)), node)
    truth(tracer, kept, node, "filter()")
    return Sequence("iterator", contents_like(element))


def reduce(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``functools.reduce(function, iterable, initial)``."""
    element = one(iterate(tracer, arguments.args[1], node))
    start = arguments.get(2, "initial") or element
    once = tracer.call(arguments.args[0], Arguments((start, element)), node)
    return tracer.call(arguments.args[0], Arguments((once, element)), node)


def _next(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return UNKNOWN
    tracer.analyses.on_advance(arguments.args[0], node)
    if isinstance(arguments.args[0], Sequence):
        return fresh_keys(tracer, any_element(arguments.args[0]))
    return UNKNOWN


# ------------------------------------------------------------------------- objects


def _getattr(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) < 2:
        return UNKNOWN
    owner, attr = arguments.args[:2]
    if not (isinstance(attr, Const) and isinstance(attr.value, str)):
        return UNKNOWN
    asks = len(arguments.args) == 3
    tracer.stack.frame.api_guards += asks
    found = tracer.attribute(owner, attr.value, node)
    tracer.stack.frame.api_guards -= asks
    there = has_attribute(owner, attr.value) if isinstance(owner, Instance) else None
    if asks and there is False:
        return arguments.args[2]
    if asks and there is None and isinstance(owner, (Instance, Unknown)):
        return join(found, arguments.args[2])
    return found


def _descriptor(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Descriptor(name, arguments.args[0]) if arguments.args else UNKNOWN


def _super(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    frame = tracer.stack.frame
    function, owner = frame.function, frame.owner
    if owner is None or function is None or not function.code.parameters:
        return UNKNOWN
    while frame.scope.kind == "comprehension" and frame.parent is not None:
        frame = frame.parent
    receiver = frame.names.get(function.code.parameters[0].name)
    return Super(owner, receiver) if receiver is not None else UNKNOWN


BUILTINS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "bool": _bool,
    "range": _range,
    "min": _extremum,
    "max": _extremum,
    "sorted": _extremum,
    "any": _any_all,
    "all": _any_all,
    "sum": _sum,
    "abs": _arithmetic,
    "round": _arithmetic,
    "divmod": _arithmetic,
    "pow": _arithmetic,
    "len": _len,
    "isinstance": _isinstance,
    "callable": _callable,
    "hasattr": _hasattr,
    "issubclass": _issubclass,
    "type": _type,
    "int": _number,
    "float": _number,
    "complex": _number,
    "str": _str,
    "repr": _str,
    "format": _format,
    "hash": _hash,
    "int.from_bytes": _from_bytes,
    "list": _new_container,
    "tuple": _new_container,
    "set": _new_container,
    "dict": _new_container,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _iterate,
    "iter": _iterate,
    "map": _map,
    "filter": _filter,
    "next": _next,
    "getattr": _getattr,
    "property": _descriptor,
    "staticmethod": _descriptor,
    "classmethod": _descriptor,
    "super": _super,
}
"""Name of a builtin -> what it does."""
