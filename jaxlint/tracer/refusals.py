"""What JAX and NumPy functions refuse: tracers where they need values, lists for arrays.

Which parameter of which function refuses what is measured, not typed in
(``knowledge/measured.json``); here the measurements are applied to abstract values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxlint.events import (
    ArrayConversion,
    DataDependentShape,
    ListArgument,
    StaticArgument,
    TracedSize,
)
from jaxlint.knowledge import numpy_api
from jaxlint.knowledge.measured import SIZES, Signature, signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.values import (
    Array,
    Bounds,
    Sequence,
    Tree,
    Value,
    tracers,
)

_NEEDS_VALUES = frozenset({"ConcretizationTypeError", "TracerBoolConversionError"})
_JOINED_METHODS = frozenset({"reshape"})
_MEASURED_METHODS = frozenset(
    ["reshape", "repeat", "swapaxes", "squeeze", "take", "sum", "mean", "prod", "max", "min",
     "argmax", "argmin", "cumsum", "cumprod", "std", "var", "any", "all", "sort", "argsort",
     "nonzero", "compress", "diagonal", "trace", "searchsorted"]
)  # fmt: skip
"""Methods of an array whose parameters are those of the ``jax.numpy`` function."""


@dataclass(slots=True)
class _Given:
    """One argument of a call, by the parameter it belongs to."""

    parameter: str
    value: Value
    node: n.Node


class Refusals(Machine):
    """Notes arguments that a function refuses."""

    def refused_by_jax(self, name: str, arguments: Arguments, node: n.Node) -> bool:
        """Whether a JAX function raises for its arguments; the event is recorded."""
        row = signature_of(name)
        if row is None:
            return False
        return self._refused(name, row, list(_bind(row, arguments, node)), node)

    def refused_by_method(
        self, receiver: Array, name: str, arguments: Arguments, node: n.Node
    ) -> bool:
        """The same for a method of an array, which is a ``jax.numpy`` function."""
        if name not in _MEASURED_METHODS:
            return False
        row = signature_of(f"jax.numpy.{name}")
        if row is None:
            return False
        args = arguments.args
        nodes = [*argument_nodes(node)]
        if name in _JOINED_METHODS and len(args) > 1:
            args, nodes = [Sequence("tuple", list(args))], [node]
        whole = Arguments(
            [receiver, *args], arguments.kwargs, arguments.open_args, arguments.open_kwargs
        )
        given = list(_bind(row, whole, node, [node, *nodes]))
        return self._refused(f".{name}", row, given, node)

    def _refused(self, name: str, row: Signature, given: list[_Given], node: n.Node) -> bool:
        names = {item.parameter for item in given}
        if row.always and not row.cures & names:
            return self._data_dependent(name, row, given, node)
        for item in given:
            if item.parameter in row.refuses_lists and _is_list(item.value):
                kind = item.value.kind if isinstance(item.value, Sequence) else "list"
                self.emit(ListArgument(self.context(node, item.node), name, kind))
                return True
            if item.parameter in row.refuses and refusing(item.value):
                if row.cures & names and item.parameter not in row.cures:
                    continue
                if item.parameter in row.takes_arrays and not _is_number(item.value):
                    continue
                event = TracedSize if item.parameter in SIZES else StaticArgument
                self.emit(event(self.context(node, item.node, item.value), name, item.parameter))
                return True
        return False

    def _data_dependent(self, name: str, row: Signature, given: list[_Given], node: n.Node) -> bool:
        if name == "jax.numpy.where" and len(given) > 1:
            return False
        found = next((item for item in given if refusing(item.value)), None)
        here = self.level is not None and self.level.full and self.level.tracing
        if found is None and not (here and given):
            return False
        found = found or given[0]
        value = found.value if refusing(found.value) else self.array([found.value], node, name)
        if row.always in _NEEDS_VALUES:
            context = self.context(node, found.node, value)
            self.emit(DataDependentShape(context, name, tuple(sorted(row.cures))))
            return True
        if row.always == "TracerArrayConversionError":
            self.emit(ArrayConversion(self.context(node, found.node, value), name))
            return True
        return False

    # -------------------------------------------------------------------- numpy

    def refused_by_numpy(self, name: str, arguments: Arguments, node: n.Node) -> bool:
        """Whether a NumPy or SciPy function raises for a tracer; the event is recorded."""
        if name in numpy_api.SCALAR_TYPES or name.startswith(numpy_api.SCIPY):
            items = zip(arguments.args, argument_nodes(node), strict=False)
            return any(self._converted(name, value, where, node) for value, where in items)
        row = signature_of(name)
        if row is None:
            return False
        for item in _bind(row, arguments, node):
            error = row.refuses.get(item.parameter)
            joined = isinstance(item.value, Sequence)
            if error == "TracerArrayConversionError" or (joined and error is None):
                if self._converted(name, item.value, item.node, node):
                    return True
            elif error is not None and refusing(item.value):
                event = TracedSize if item.parameter in SIZES else StaticArgument
                self.emit(event(self.context(node, item.node, item.value), name, item.parameter))
                return True
        return False

    def _converted(self, name: str, value: Value, where: n.Node, node: n.Node) -> bool:
        """NumPy makes an ndarray of a value, which no tracer allows."""
        if not tracers(value):
            return False
        self.emit(ArrayConversion(self.context(node, where, value), name))
        return True

    # ----------------------------------------------------------------- indexing

    def refused_index(self, index: Value, node: n.Node, at: bool = False) -> bool:
        """Whether an array refuses this index: a traced mask, or a slice with traced bounds."""
        parts = [index]
        if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
            parts = index.items
        for part in parts:
            if isinstance(part, Bounds):
                bound = next((item for item in part.parts if refusing(item)), None)
                if bound is not None:
                    self.emit(TracedSize(self.context(node, node, bound), "slice", "slice"))
                    return True
            elif isinstance(part, Array) and part.dtype == "bool" and protocols.refuses_bool(part):
                self.emit(DataDependentShape(self.context(node, node, part), "mask", at=at))
                return True
        return False


def refusing(value: Value) -> bool:
    """Whether Python cannot learn the value, or a part of it, while tracing."""
    if isinstance(value, Tree):
        return value.concreteness != "differentiated" and not value.optional
    if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
        items = value.items if value.items is not None else [value.element]
        return any(refusing(item) for item in items)
    return protocols.refuses_bool(value)


def _is_number(value: Value) -> bool:
    return isinstance(value, Array) and value.rank == 0


def _is_list(value: Value) -> bool:
    return isinstance(value, Sequence) and value.kind in ("list", "tuple")


def argument_nodes(node: n.Node) -> list[n.Node]:
    """The expressions of the positional arguments of a call, up to the first ``*args``."""
    found: list[n.Node] = []
    for item in node.arguments if isinstance(node, n.Call) else []:
        if item.star:
            break
        if item.keyword is None:
            found.append(item.value)
    return found


def keyword_node(node: n.Node, keyword: str) -> n.Node:
    """The expression of a keyword argument; the call itself when it is not written out."""
    for item in node.arguments if isinstance(node, n.Call) else []:
        if item.keyword == keyword:
            return item.value
    return node


def _bind(
    row: Signature, arguments: Arguments, node: n.Node, nodes: list[n.Node] | None = None
) -> Iterator[_Given]:
    nodes = argument_nodes(node) if nodes is None else nodes
    for position, value in enumerate(arguments.args):
        where = nodes[position] if position < len(nodes) else node
        yield _Given(row.name_of(position), value, where)
    for name, value in arguments.kwargs.items():
        yield _Given(name, value, keyword_node(node, name))
