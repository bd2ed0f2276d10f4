"""Python's own functions on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.events import BoolConversion
from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.narrowing import is_instance
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.refusals import argument_nodes
from jaxlint.tracer.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Const,
    Descriptor,
    Host,
    Instance,
    Mapping,
    Sequence,
    Super,
    Tree,
    Value,
    is_number,
    join,
    join_all,
    type_name,
)

_LONGEST_KNOWN_RANGE = 4


class Builtins(Machine):
    """Calls builtin functions."""

    def call_builtin(self, name: str, arguments: Arguments, node: n.Node) -> Value | None:
        """Call a builtin by name; None when it has no model."""
        model = _BUILTINS.get(name)
        return model(self, arguments, node) if model is not None else None

    def _bool(self, arguments: Arguments, node: n.Node) -> Value:
        if not arguments.args:
            return FALSE
        self.waited(arguments.args[0], node, "bool()")
        truth = protocols.truth(self, arguments.args[0], node, "bool()")
        return Host("bool") if truth is None else (TRUE if truth else FALSE)

    def _range(self, arguments: Arguments, node: n.Node) -> Value:
        for value in arguments.args:
            protocols.index(self, value, node, "range()")
        bounds = [value.value for value in arguments.args if isinstance(value, Const)]
        if len(bounds) == len(arguments.args) and all(type(bound) is int for bound in bounds):
            try:
                numbers = range(*bounds)
            except (TypeError, ValueError):
                return UNKNOWN
            if len(numbers) <= _LONGEST_KNOWN_RANGE:
                return Sequence("iterator", [Const(number) for number in numbers])
            counted = Sequence("iterator", None, Host("int", changes=True))
            counted.length = len(numbers)
            return counted
        return Sequence("iterator", None, Host("int", changes=True))

    def _extremum(self, arguments: Arguments, node: n.Node) -> Value:
        construct = f"{_called(node)}()"
        values = list(arguments.args)
        if len(values) == 1 and arguments.open_args is None:
            elements = _compared(values[0])
            if elements is None:
                return UNKNOWN
            values = elements
        key = arguments.kwargs.get("key", NONE)
        if key is not NONE:
            keys = [self.call(key, Arguments([value]), node) for value in values[:2]]
            if len(values) > 1 and protocols.refuses_bool(keys[0]):
                self.emit(BoolConversion(self.context(node, node, keys[0]), construct))
            return UNKNOWN
        if any(is_number(value) or isinstance(value, Array) for value in values):
            # What is compared with a number is one: no container can be.
            values = [value.as_array() if isinstance(value, Tree) else value for value in values]
        refusing = [value for value in values if protocols.refuses_bool(value)]
        if refusing and len(values) > 1:
            self.emit(BoolConversion(self.context(node, node, refusing[0]), construct))
        if not values:
            return UNKNOWN
        if _called(node) == "sorted":
            return Sequence("list", None, join_all(values), self.moment())
        return refusing[0] if refusing else join_all(values)

    def _any_all(self, arguments: Arguments, node: n.Node) -> Value:
        if len(arguments.args) == 1:
            elements = _compared(arguments.args[0]) or []
            refusing = [value for value in elements if protocols.refuses_bool(value)]
            if refusing:
                context = self.context(node, node, refusing[0])
                self.emit(BoolConversion(context, f"{_called(node)}()"))
        return Host("bool")

    def _sum(self, arguments: Arguments, node: n.Node) -> Value:
        if not arguments.args:
            return UNKNOWN
        elements = protocols.iterate(self, arguments.args[0], node)
        total: Value = arguments.get(1, "start") or Const(0)
        rounds = elements if isinstance(elements, list) else [elements, elements]
        for element in rounds:
            total = self.binary("+", total, element, node)
        return total

    def _arithmetic(self, arguments: Arguments, node: n.Node) -> Value:
        for value in arguments.args:
            if isinstance(value, (Array, Tree)):
                rank = value.rank if isinstance(value, Array) and len(arguments.args) == 1 else None
                return self.array(arguments.args, node, _called(node), rank)
        known = all(isinstance(value, (Const, Host)) for value in arguments.args)
        return Host(type_name(arguments.args[0])) if known and arguments.args else UNKNOWN

    def _len(self, arguments: Arguments, node: n.Node) -> Value:
        value = arguments.args[0] if arguments.args else UNKNOWN
        if isinstance(value, Sequence) and value.items is not None:
            # What other code has done to a list from elsewhere by then, nobody knows.
            own = value.moment is not None and value.moment.frame is self.frame
            if value.kind == "tuple" or own:
                return Const(len(value.items))
        return Host("int")

    def _isinstance(self, arguments: Arguments, node: n.Node) -> Value:
        if len(arguments.args) == 2:
            found = is_instance(arguments.args[0], arguments.args[1])
            if found is not None:
                return TRUE if found else FALSE
        return Host("bool")

    def _number(self, arguments: Arguments, node: n.Node) -> Value:
        value = arguments.args[0] if arguments.args else Const(0)
        kind = _called(node)
        self.waited(value, node, f"{kind}()")
        if kind in python_api.NUMBER_TYPES.values() and arguments.args:
            where = next(iter(argument_nodes(node)), node)
            protocols.scalar(self, value, where, f"{kind}()")
        if isinstance(value, Const) and isinstance(value.value, (int, float)):
            try:
                return Const({"int": int, "float": float}.get(kind, complex)(value.value))
            except (ValueError, OverflowError):
                return UNKNOWN
        return Host(kind if kind in python_api.NUMBER_TYPES.values() else "object")

    def _str(self, arguments: Arguments, node: n.Node) -> Value:
        for value in arguments.args:
            self.waited(value, node, f"{_called(node)}()")
        return Host("str")

    def _format(self, arguments: Arguments, node: n.Node) -> Value:
        if len(arguments.args) == 2:
            protocols.scalar(self, arguments.args[0], node, "format()")
        return Host("str")

    def _hash(self, arguments: Arguments, node: n.Node) -> Value:
        if arguments.args:
            protocols.hashed(self, arguments.args[0], node, "hash()")
        return Host("int")

    def _host_bool(self, arguments: Arguments, node: n.Node) -> Value:
        return Host("bool")

    def _type(self, arguments: Arguments, node: n.Node) -> Value:
        return Host("type")

    def _new_container(self, arguments: Arguments, node: n.Node) -> Value:
        return self.container(_called(node), f"builtins.{_called(node)}", arguments, node)

    def container(self, kind: str, name: str, arguments: Arguments, node: n.Node) -> Value:
        moment = self.moment()
        if kind == "dict":
            source = arguments.args[0] if arguments.args else None
            entries: dict[Any, Value] = dict(arguments.kwargs)
            rest = arguments.open_kwargs
            if isinstance(source, Mapping):
                entries, rest = {**source.entries, **entries}, source.rest
            elif isinstance(source, Tree):
                return Tree(source.reason, source.concreteness, container=True)
            elif source is not None or name != "builtins.dict":
                rest = UNKNOWN
            return Mapping(entries, rest, moment)
        elements: list[Value] | Value = []
        if arguments.args:
            elements = protocols.iterate(self, arguments.args[0], node)
        sequence: dict[str, str] = {"list": "list", "tuple": "tuple"}
        if isinstance(elements, list) and kind in sequence:
            return Sequence(sequence[kind], list(elements), UNKNOWN, moment)  # type: ignore[arg-type]
        if isinstance(elements, list):
            empty: list[Value] | None = [] if not elements else None
            return Sequence("set", empty, join_all(elements) if elements else UNKNOWN, moment)
        return Sequence(sequence.get(kind, "set"), None, elements, moment)  # type: ignore[arg-type]

    def _zip(self, arguments: Arguments, node: n.Node) -> Value:
        columns = [protocols.iterate(self, value, node) for value in arguments.args]
        if columns and all(isinstance(column, list) for column in columns):
            rows = zip(*columns, strict=False)
            return Sequence("iterator", [Sequence("tuple", list(row)) for row in rows])
        each = [_one(column) for column in columns]
        return Sequence("iterator", None, Sequence("tuple", each) if each else UNKNOWN)

    def _enumerate(self, arguments: Arguments, node: n.Node) -> Value:
        if not arguments.args:
            return UNKNOWN
        elements = protocols.iterate(self, arguments.args[0], node)
        if isinstance(elements, list):
            pairs: list[Value] = [
                Sequence("tuple", [Host("int", changes=True), element]) for element in elements
            ]
            return self.iterator(pairs)
        counter = Host("int", changes=True)
        return self.iterator(None, Sequence("tuple", [counter, elements]))

    def _iterate(self, arguments: Arguments, node: n.Node) -> Value:
        if not arguments.args:
            return UNKNOWN
        elements = protocols.iterate(self, arguments.args[0], node)
        if isinstance(elements, list):
            order = elements[::-1] if _called(node) == "reversed" else elements
            return self.iterator(list(order))
        return self.iterator(None, elements)

    def iterator(self, items: list[Value] | None, element: Value = UNKNOWN) -> Value:
        """An iterator object, which remembers where it was made."""
        return Sequence("iterator", items, element, self.moment())

    def _map(self, arguments: Arguments, node: n.Node) -> Value:
        if len(arguments.args) < 2:
            return UNKNOWN
        elements = [_one(protocols.iterate(self, value, node)) for value in arguments.args[1:]]
        return Sequence("iterator", None, self.call(arguments.args[0], Arguments(elements), node))

    def _filter(self, arguments: Arguments, node: n.Node) -> Value:
        if len(arguments.args) != 2:
            return UNKNOWN
        function, iterable = arguments.args
        element = _one(protocols.iterate(self, iterable, node))
        kept = element if function is NONE else self.call(function, Arguments([element]), node)
        protocols.truth(self, kept, node, "filter()")
        return Sequence("iterator", None, element)

    def reduce(self, arguments: Arguments, node: n.Node) -> Value:
        element = _one(protocols.iterate(self, arguments.args[1], node))
        start = arguments.get(2, "initial") or element
        once = self.call(arguments.args[0], Arguments([start, element]), node)
        return self.call(arguments.args[0], Arguments([once, element]), node)

    def _next(self, arguments: Arguments, node: n.Node) -> Value:
        if arguments.args:
            self.note_advanced(arguments.args[0], node)
        if arguments.args and isinstance(arguments.args[0], Sequence):
            return self.fresh_keys(arguments.args[0].any_element())
        return UNKNOWN

    def _getattr(self, arguments: Arguments, node: n.Node) -> Value:
        if len(arguments.args) >= 2:
            owner, name = arguments.args[:2]
            if isinstance(name, Const) and isinstance(name.value, str):
                found = self.attribute(owner, name.value, node)
                if len(arguments.args) == 3 and isinstance(owner, Instance):
                    return join(found, arguments.args[2])
                return found
        return UNKNOWN

    def _descriptor(self, arguments: Arguments, node: n.Node) -> Value:
        if not arguments.args:
            return UNKNOWN
        kind = node.id if isinstance(node, n.Name) else "property"
        return Descriptor(kind, arguments.args[0])

    def _super(self, arguments: Arguments, node: n.Node) -> Value:
        function, owner = self.frame.function, self.frame.owner
        if owner is None or function is None or not function.code.parameters:
            return UNKNOWN
        receiver = self.frame.names.get(function.code.parameters[0].name)
        return Super(owner, receiver) if receiver is not None else UNKNOWN


def _compared(value: Value) -> list[Value] | None:
    """What ``max``, ``any`` and the like look at one by one; None when unknown."""
    if isinstance(value, Array):
        if value.rank == 0:
            return []
        rank = value.rank - 1 if value.rank else None
        element = Array(value.traced, rank, value.dtype, value.reason, value.concreteness)
        return [element, element]
    if isinstance(value, Sequence):
        return list(value.items) if value.items is not None else [value.element, value.element]
    return None


def _one(elements: list[Value] | Value) -> Value:
    if isinstance(elements, list):
        return join_all(elements) if elements else UNKNOWN
    return elements


def _called(node: n.Node) -> str:
    """The name that a call is written with."""
    function = node.function if isinstance(node, n.Call) else node
    if isinstance(function, n.Attribute):
        return function.attr
    return function.id if isinstance(function, n.Name) else ""


_BUILTINS: dict[str, Callable[[Builtins, Arguments, n.Node], Value]] = {
    "bool": Builtins._bool,
    "range": Builtins._range,
    "min": Builtins._extremum,
    "max": Builtins._extremum,
    "sorted": Builtins._extremum,
    "any": Builtins._any_all,
    "all": Builtins._any_all,
    "sum": Builtins._sum,
    "abs": Builtins._arithmetic,
    "round": Builtins._arithmetic,
    "divmod": Builtins._arithmetic,
    "pow": Builtins._arithmetic,
    "len": Builtins._len,
    "isinstance": Builtins._isinstance,
    "callable": Builtins._host_bool,
    "hasattr": Builtins._host_bool,
    "issubclass": Builtins._host_bool,
    "type": Builtins._type,
    "int": Builtins._number,
    "float": Builtins._number,
    "complex": Builtins._number,
    "str": Builtins._str,
    "repr": Builtins._str,
    "format": Builtins._format,
    "hash": Builtins._hash,
    "list": Builtins._new_container,
    "tuple": Builtins._new_container,
    "set": Builtins._new_container,
    "dict": Builtins._new_container,
    "zip": Builtins._zip,
    "enumerate": Builtins._enumerate,
    "reversed": Builtins._iterate,
    "iter": Builtins._iterate,
    "map": Builtins._map,
    "filter": Builtins._filter,
    "next": Builtins._next,
    "getattr": Builtins._getattr,
    "property": Builtins._descriptor,
    "staticmethod": Builtins._descriptor,
    "classmethod": Builtins._descriptor,
    "super": Builtins._super,
}
