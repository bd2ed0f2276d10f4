"""Python's own functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.knowledge import jax_api, processes, python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.models.questions import QUESTIONS
from jaxlint.tracer.operations.arithmetic import binary
from jaxlint.tracer.operations.changed import of_pairs
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.operations.conversions import hashed, index, number
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.items import fresh
from jaxlint.tracer.operations.iteration import iterate, note_taken, one
from jaxlint.tracer.operations.overloads import overloaded
from jaxlint.tracer.operations.truth import followed, truth
from jaxlint.tracer.operations.types import (
    has_attribute,
    lacks,
)
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import ANY, Array, Tree, differing
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    SequenceKind,
    are_distinct,
    contents_like,
    contents_of,
    iterator_of,
    mapping,
    sequence,
    tuple_of,
)
from jaxlint.tracer.values.gates import number_asked
from jaxlint.tracer.values.joins import any_element, join, join_all, one_of
from jaxlint.tracer.values.objects import Descriptor, Instance, Qualified, Super
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.results import evaluate
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Clock,
    Const,
    Differs,
    Host,
    Unknown,
    Value,
    is_string,
    replace,
    type_name,
)

_MOST_REDUCED = 4
"""Of more elements each call is given one that stands for all of them."""

_LONGEST_KNOWN_RANGE = 4
_FEW_CALLS = 4
_COUNTER = Host("int", varies=True)
_ABSOLUTE = f"{jax_api.ARRAY}.__abs__"


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
    whole = isinstance(value, Host) and name == "int" and number_asked(value.symbol) is not None
    symbol = value.symbol if isinstance(value, Host) and whole else None
    return Host(name, varies=varies, symbol=symbol, differs=differing((value,)))


def _arithmetic(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    args = arguments.args
    if name == "pow" and len(args) == 2:
        return binary(tracer, "**", args[0], args[1], node)
    arrays = [value for value in args if isinstance(value, (Array, Tree))]
    if arrays and name == "divmod" and len(args) == 2:
        return tuple_of(
            binary(tracer, operator, args[0], args[1], node) for operator in ("//", "%")
        )
    if arrays:
        aval = arrays[0].aval if isinstance(arrays[0], Array) and len(args) == 1 else ANY
        if name == "abs":
            aval = evaluate(_ABSOLUTE, {"self": aval}, tracer.settings.x64).aval
        return tracer.array(args, node, name, aval)
    if not args or not all(isinstance(value, (Const, Host, Clock)) for value in args):
        return UNKNOWN
    whole = name == "round" and (len(args) == 1 or args[1] is NONE)
    return Host("int" if whole else type_name(args[0]), differs=differing(args))


def _sum(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return UNKNOWN
    elements = iterate(tracer, arguments.args[0], node)
    total: Value = arguments.get(1, "start") or Const(0)
    if isinstance(elements, list):
        for element in elements:
            total = binary(tracer, "+", total, element, node)
        return total
    once = binary(tracer, "+", total, elements, node)
    return one_of([once, binary(tracer, "+", once, elements, node)])  # Nobody knows how many.


def _len(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.args[0] if arguments.args else UNKNOWN
    counted = overloaded(tracer, value, "__len__", (), node)
    if counted is not None:
        return counted if isinstance(counted, Const) else Host("int")
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
        return _new_dict(tracer, name, arguments, node)
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
    if found == "set" and elements and not are_distinct(elements):
        return sequence("set", contents_like(join_all(elements)), made)
    return sequence(found, contents_of(elements), made)


def _new_dict(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    source = arguments.args[0] if arguments.args else None
    tracer.ordered_about |= name == python_api.ORDERED
    known: dict[Any, Value] = dict(arguments.kwargs)
    rest = arguments.open_kwargs
    if isinstance(source, Mapping):
        known, rest = {**source.entries.known, **known}, source.entries.rest
    elif isinstance(source, Tree):
        return replace(source, container=True)
    elif source is not None and name == python_api.FILLS_ITSELF and len(arguments.args) == 1:
        rest = _put_where_missing(tracer, source, node)
    elif source is not None and name in python_api.TAKE_PAIRS:
        found, rest = of_pairs(iterate(tracer, source, node))
        known = {**found, **known}
    elif source is not None or name != "builtins.dict":
        rest = UNKNOWN
    return mapping(known, rest, tracer.stack.moment())


def _from_keys(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``dict.fromkeys(keys, value)``: the same value under each."""
    keys = iterate(tracer, arguments.args[0], node) if arguments.args else UNKNOWN
    value = arguments.get(1, "value") or NONE
    if isinstance(keys, list) and all(isinstance(key, Const) for key in keys):
        known: dict[Any, Value] = {key.value: value for key in keys if isinstance(key, Const)}
        return mapping(known, made=tracer.stack.moment())
    return mapping({}, value, tracer.stack.moment())


def _put_where_missing(tracer: Tracer, factory: Value, node: n.Node) -> Value:
    """What stands under a key of a ``defaultdict``: a list is as old as the dict is.

    One stands for those of all keys: what is in it, and how long it gets, nobody knows.
    """
    name = factory.name if isinstance(factory, Qualified) else ""
    if python_api.MUTABLE_CONSTRUCTORS.get(name) not in ("list", "set"):
        return UNKNOWN
    made = tracer.call(factory, Arguments(), node)
    if not isinstance(made, Sequence):
        return UNKNOWN
    held = sequence(made.kind, contents_like(UNKNOWN), made.made)
    return replace(held, bounded=True)


# ----------------------------------------------------------------------- iterators


def _zip(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if _is_drained_at_once(arguments.args):
        held = [iterate(tracer, value, node) for value in arguments.args]
        parts = [fresh(tracer, one(elements)) for elements in held]
        return Sequence("iterator", contents_like(tuple_of(parts)))
    columns = [iterate(tracer, value, node) for value in arguments.args]
    if columns and all(isinstance(column, list) for column in columns):
        rows = zip(*(column for column in columns if isinstance(column, list)), strict=False)
        return iterator_of(tuple_of(row) for row in rows)
    element = tuple_of(one(column) for column in columns) if columns else UNKNOWN
    return Sequence("iterator", contents_like(element))


def _is_drained_at_once(values: tuple[Value, ...]) -> bool:
    """Whether an iterator is there twice: ``zip(it, it)`` takes one element after the other."""
    iterators = [each for each in values if isinstance(each, Sequence) and each.kind == "iterator"]
    return len({id(each) for each in iterators}) < len(iterators)


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
    function, initial = arguments.args[0], arguments.get(2, "initial")
    elements = iterate(tracer, arguments.args[1], node)
    if isinstance(elements, list) and 0 < len(elements) <= _MOST_REDUCED:
        total, *others = elements if initial is None else [initial, *elements]
        for other in others:
            total = tracer.call(function, Arguments((total, other)), node)
        return total
    element = one(elements)
    once = tracer.call(function, Arguments((initial or element, element)), node)
    another = fresh(tracer, element)
    return one_of([once, tracer.call(function, Arguments((once, another)), node)])


def _next(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return UNKNOWN
    tracer.analyses.on_advance(arguments.args[0], node)
    if isinstance(arguments.args[0], Sequence):
        note_taken(tracer, arguments.args[0])
        return fresh(tracer, any_element(arguments.args[0]))
    return overloaded(tracer, arguments.args[0], "__next__", (), node) or UNKNOWN


# ------------------------------------------------------------------------- objects


def _getattr(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) < 2:
        return UNKNOWN
    owner, attr = arguments.args[:2]
    if not (isinstance(attr, Const) and isinstance(attr.value, str)):
        return UNKNOWN
    asks = len(arguments.args) == 3
    if asks and lacks(owner, attr.value):
        return arguments.args[2]
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


def _property(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    getter, setter = arguments.get(0, "fget"), arguments.get(1, "fset")
    return Descriptor(name, getter or UNKNOWN, setter=setter)


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
    **QUESTIONS,
    "range": _range,
    "sum": _sum,
    "abs": _arithmetic,
    "round": _arithmetic,
    "divmod": _arithmetic,
    "pow": _arithmetic,
    "len": _len,
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
    "dict.fromkeys": _from_keys,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _iterate,
    "iter": _iterate,
    "map": _map,
    "filter": _filter,
    "next": _next,
    "getattr": _getattr,
    "property": _property,
    "staticmethod": _descriptor,
    "classmethod": _descriptor,
    "super": _super,
}
"""Name of a builtin -> what it does."""
