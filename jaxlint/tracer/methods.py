"""Methods of values that are not of the program: arrays, lists, dicts, strings, ``x.at[i]``."""

from __future__ import annotations

import string

from jaxlint.knowledge import jax_api, python_api
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.values import (
    NONE,
    UNKNOWN,
    Array,
    AtProperty,
    Builtin,
    Const,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Sequence,
    Tree,
    Value,
    tracers,
)

_STRING_RESULTS = frozenset(
    [
        "format",
        "join",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "replace",
        "title",
        "capitalize",
        "zfill",
        "ljust",
        "rjust",
    ]
)


class Methods(Machine):
    """Calls methods of known values."""

    def call_method(self, function: Builtin, arguments: Arguments, node: n.Node) -> Value:
        """Call a method of a value that is not of the program."""
        receiver, name = function.receiver, function.name
        if isinstance(receiver, Array):
            return self._array_method(receiver, name, arguments, node)
        if isinstance(receiver, AtProperty):
            if name in jax_api.AT_UPDATES or name == "get":
                base = receiver.array
                rank = base.rank if isinstance(base, Array) and name != "get" else None
                return self.array([base, *arguments.all()], node, f".at[].{name}", rank)
            return UNKNOWN
        if isinstance(receiver, Sequence):
            return self._sequence_method(receiver, name, arguments, node)
        if isinstance(receiver, Mapping):
            return self._mapping_method(receiver, name, arguments, node)
        if isinstance(receiver, Tree):
            return _tree_method(receiver, name)
        if isinstance(receiver, (Const, Host)):
            if name == "format" and isinstance(receiver, Const):
                self._format_fields(receiver.value, arguments, node)
            return Host("str") if name in _STRING_RESULTS else Host("object")
        if isinstance(receiver, NumpyArray):
            return UNKNOWN if any(tracers(value) for value in arguments.all()) else NumpyArray()
        if isinstance(receiver, Instance) and name == "_replace":
            copy = Instance(receiver.cls, self.moment())
            copy.attributes = {**receiver.attributes, **arguments.kwargs}
            return copy
        return UNKNOWN

    def _array_method(
        self, receiver: Array, name: str, arguments: Arguments, node: n.Node
    ) -> Value:
        if name in ("item", "tolist", "block_until_ready"):
            self.waited(None if name == "block_until_ready" else receiver, node, f".{name}()")
        if name in ("item", "tolist"):
            protocols.scalar(self, receiver, node, f".{name}()")
            return UNKNOWN
        if name in ("astype", "view"):
            wanted = arguments.get(0, "dtype")
            if wanted is not None:
                self.note_wide(wanted, node, node)
        if name not in jax_api.ARRAY_METHODS or self.refused_by_method(
            receiver, name, arguments, node
        ):
            return UNKNOWN
        operands = [receiver, *arguments.all()]
        if name in jax_api.ARRAY_REDUCTIONS:
            plain = not arguments.args and not {"axis", "keepdims"} & arguments.kwargs.keys()
            dtype = "bool" if name in ("any", "all") else None
            return self.array(operands, node, name, 0 if plain else None, dtype)
        same_rank = name in ("astype", "copy", "round", "clip", "conj", "block_until_ready")
        return self.array(operands, node, name, receiver.rank if same_rank else None)

    def _format_fields(self, text: object, arguments: Arguments, node: n.Node) -> None:
        """``"{:.2f}".format(value)``: a format spec asks for a Python number."""
        if not isinstance(text, str):
            return
        try:
            fields = [field for field in string.Formatter().parse(text) if field[1] is not None]
        except ValueError:
            return
        for position, (_, name, spec, conversion) in enumerate(fields):
            if spec and not conversion:
                key = name or str(position)
                value = arguments.get(int(key)) if key.isdigit() else arguments.kwargs.get(key)
                if value is not None:
                    protocols.scalar(self, value, node, "format spec")

    def _sequence_method(
        self, receiver: Sequence, name: str, arguments: Arguments, node: n.Node
    ) -> Value:
        kind = "set" if receiver.kind == "set" else "list"
        if receiver.kind in ("list", "set") and name in python_api.MUTATING_METHODS[kind]:
            element = receiver.any_element()
            values = arguments.args[1:] if name == "insert" else arguments.args
            if name in ("remove", "pop"):
                values = []
            self.mutate(receiver, name, values, node, _receiver_node(node))
            return self.fresh_keys(element) if name == "pop" else NONE
        if name == "copy":
            return Sequence(receiver.kind, receiver.items, receiver.element, self.moment())
        return Host("int") if name in ("index", "count") else UNKNOWN

    def _mapping_method(
        self, receiver: Mapping, name: str, arguments: Arguments, node: n.Node
    ) -> Value:
        first = arguments.args[0] if arguments.args else UNKNOWN
        known = receiver.rest is None
        if name in ("get", "pop", "setdefault"):
            protocols.hashed(self, first, node, "dict key")
        if name in python_api.MUTATING_METHODS["dict"]:
            found = receiver.any_value()
            if name == "update":
                values = [
                    *arguments.args,
                    *([Mapping(dict(arguments.kwargs), None)] if arguments.kwargs else []),
                ]
                self.mutate(receiver, name, values, node, _receiver_node(node))
                return NONE
            added = arguments.args[1:2] if name == "setdefault" else []
            self.mutate(receiver, name, added, node, _receiver_node(node))
            return UNKNOWN if name in ("setdefault", "popitem") else found
        if name == "get":
            if isinstance(first, Const) and first.value in receiver.entries:
                return receiver.entries[first.value]
            return (arguments.get(1) or NONE) if known and isinstance(first, Const) else UNKNOWN
        if name == "items":
            if known:
                pairs: list[Value] = [
                    Sequence("tuple", [Const(key), value])
                    for key, value in receiver.entries.items()
                ]
                return Sequence("iterator", pairs)
            pair = Sequence("tuple", [UNKNOWN, receiver.any_value()])
            return Sequence("iterator", None, pair)
        if name == "keys":
            keys: list[Value] | None = [Const(key) for key in receiver.entries] if known else None
            return Sequence("iterator", keys)
        if name == "values":
            items = list(receiver.entries.values()) if known else None
            return Sequence("iterator", items, receiver.any_value())
        if name == "copy":
            return Mapping(dict(receiver.entries), receiver.rest, self.moment())
        return UNKNOWN


def _tree_method(receiver: Tree, name: str) -> Value:
    inner = Tree(receiver.reason, receiver.concreteness)
    if name == "items":
        return Sequence("iterator", None, Sequence("tuple", [UNKNOWN, inner]))
    if name == "values":
        return Sequence("iterator", None, inner)
    return UNKNOWN


def _receiver_node(node: n.Node) -> n.Node:
    function = node.function if isinstance(node, n.Call) else node
    return function.value if isinstance(function, n.Attribute) else function
