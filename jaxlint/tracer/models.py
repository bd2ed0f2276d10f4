"""Models of what cannot be seen: builtins, the standard library, NumPy, JAX.

What a name *is* stands in ``knowledge``; here is what calling it does to
abstract values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.events import Kind
from jaxlint.knowledge import jax_api, numpy_api, python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.machine import Arguments, Machine
from jaxlint.tracer.narrowing import is_instance
from jaxlint.tracer.refusals import argument_nodes
from jaxlint.tracer.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Class,
    Const,
    Descriptor,
    External,
    Function,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Partial,
    Qualified,
    Ref,
    Sequence,
    Super,
    Transformed,
    Tree,
    Value,
    is_number,
    join,
    join_all,
    tracers,
    type_name,
)

_NEUTRAL = Qualified("<a decorator that changes nothing>")
_REGISTER_PYTREE = frozenset(
    {"jax.tree_util.register_pytree_node", "jax.tree_util.register_dataclass",
     "jax.tree_util.register_pytree_with_keys"}
)  # fmt: skip
_LONGEST_KNOWN_RANGE = 4


class Models(Machine):
    """Calls of names outside the program."""

    # -------------------------------------------------------------- dispatching

    def call_qualified(self, function: Qualified, arguments: Arguments, node: n.Node) -> Value:
        """Call something known by its full dotted name."""
        name = function.name
        transform = TRANSFORMS.get(name)
        if transform is not None:
            if transform.callees:
                return self.call_now(name, transform, arguments, node)
            return self.make_transformed(name, transform, arguments, node)
        if name.startswith("builtins."):
            builtin = _BUILTINS.get(name[9:])
            if builtin is not None:
                return builtin(self, arguments, node)
        if name in python_api.OUTPUT:
            return self._output(name, arguments, node)
        if name in python_api.INPUT:
            self._input(name, arguments, node)
        if name in python_api.INSTANCES:
            made_inside = self.level is not None and name != "logging.getLogger"
            return UNKNOWN if made_inside else External(python_api.INSTANCES[name])
        if name.startswith("jax."):
            return self._jax(name, arguments, node)
        if name.startswith("numpy."):
            return self._numpy(name, arguments, node)
        return self._library(name, arguments, node)

    def _library(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        first = arguments.args[0] if arguments.args else None
        if name == "functools.partial" and first is not None:
            if arguments.open_args is not None or arguments.open_kwargs is not None:
                return UNKNOWN
            return Partial(first, arguments.args[1:], arguments.kwargs, self.moment())
        if function_like(first) and (
            name in python_api.NEUTRAL_DECORATORS or name == _NEUTRAL.name
        ):
            assert first is not None
            return first
        if name in python_api.NEUTRAL_DECORATOR_FACTORIES:
            return _NEUTRAL
        if name in python_api.CACHES:
            return _cached(first) if function_like(first) else Qualified(name)
        if name in python_api.MUTABLE_CONSTRUCTORS:
            return self._container(python_api.MUTABLE_CONSTRUCTORS[name], name, arguments, node)
        if name == "functools.reduce" and len(arguments.args) >= 2:
            return self._reduce(arguments, node)
        if name in jax_api.LIBRARY_ARRAY_FUNCTIONS:
            return self.array(arguments.all(), node, name)
        if name.startswith("scipy.") and self.refused_by_numpy(name, arguments, node):
            return UNKNOWN
        if name.startswith("math."):
            self._ask_for_number(name, arguments, node)
        if name in python_api.CLOCKS:
            return self.read_clock(node)
        if name in python_api.RANDOM_INTEGERS:
            return self.drawn()
        if name in python_api.ITERATORS:
            return self._iterator(None)
        if name.startswith(("math.", "time.", "random.")):
            concrete = all(isinstance(value, (Const, Host)) for value in arguments.all())
            return Host("float") if concrete else UNKNOWN
        if name in jax_api.KEY_CONSUMERS:
            self.consume_by(name, arguments, node)
        self.waited(None, node, name)
        self.forget(arguments)
        return UNKNOWN

    def _ask_for_number(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A function of ``math``: a Python number for each argument."""
        if name in python_api.MATH_ON_TRACERS:
            return
        for value, where in zip(arguments.args, argument_nodes(node), strict=False):
            if name in python_api.MATH_OF_INTEGERS:
                protocols.index(self, value, where, name)
            else:
                protocols.scalar(self, value, where, name)

    # ---------------------------------------------------------------------- jax

    def _jax(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        host = jax_api.HOST_RESULTS.get(name)
        if host is not None:
            return Host(host)
        if name in jax_api.TREE_MAPS:
            return self._tree_map(arguments, node)
        if name in jax_api.MUTABLE_REFS:
            return Ref()
        if name in _REGISTER_PYTREE:
            first = arguments.args[0] if arguments.args else None
            if isinstance(first, Class):
                first.pytree = first.pytree or "registered"
            return first if first is not None else UNKNOWN
        if name in python_api.NEUTRAL_DECORATOR_FACTORIES:
            return _NEUTRAL
        if name in jax_api.WAITS:
            self.waited(None, node, name)
        if name in ("jax.block_until_ready", "jax.device_put", "jax.lax.stop_gradient"):
            return arguments.args[0] if arguments.args else UNKNOWN
        if name == "jax.lax.psum" and arguments.args and is_number(arguments.args[0]):
            return Host("int")
        module, _, short = name.rpartition(".")
        if name in jax_api.UNKNOWN_RESULTS or module not in jax_api.ARRAY_MODULES:
            self.forget(arguments)
            return UNKNOWN
        if short[:1].isupper() and name not in jax_api.KEY_RESULTS:
            return UNKNOWN
        if short in jax_api.WIDE_TYPES:
            self.note_wide(Qualified(name), node, node)
        self.note_parameters(name, arguments, node)
        if self.refused_by_jax(name, arguments, node):
            return UNKNOWN
        if module == "jax.random":
            self.consume_by(name, arguments, node)
        if name in jax_api.TUPLE_RESULTS:
            if jax_api.ONE_RESULT_OPTIONS & arguments.kwargs.keys():
                return UNKNOWN
            count = jax_api.TUPLE_RESULTS[name]
            element = self.array(arguments.all(), node, name)
            items: list[Value] | None = [element] * count if count is not None else None
            return Sequence("tuple", items, element, self.moment())
        return self._array_result(name, arguments, node)

    def _array_result(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        operands = arguments.all()
        if name == "jax.numpy.where" and len(operands) == 1:
            return UNKNOWN
        dtype = "bool" if name in jax_api.BOOL_RESULTS else None
        if name in jax_api.KEY_RESULTS:
            dtype = "key"
        if dtype is None and name in ("jax.numpy.zeros", "jax.numpy.ones"):
            dtype = "float"
        self.note_dispatch_by_name(name, arguments, node)
        result = self.array(operands, node, name, _result_rank(name, arguments), dtype)
        self.sized(result, name, arguments)
        return self.key_result(name, result, arguments, node) if dtype == "key" else result

    def _tree_map(self, arguments: Arguments, node: n.Node) -> Value:
        function = arguments.get(0, "f")
        trees = arguments.args[1:]
        if function is None or not trees:
            return UNKNOWN
        leaves: list[Value] = []
        for tree in trees:
            found: list[Value] = [*tracers(tree)]
            if not found and isinstance(tree, Array):
                found = [tree]
            leaves.append(join_all(found) if found else UNKNOWN)
        if arguments.open_args is not None:
            return UNKNOWN
        result = self.call(function, Arguments(leaves), node)
        if isinstance(trees[0], Array):
            return result
        if isinstance(trees[0], Tree) and isinstance(result, (Array, Tree)):
            return Tree(result.reason, result.concreteness) if tracers(result) else UNKNOWN
        return UNKNOWN

    # -------------------------------------------------------------------- numpy

    def _numpy(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        host = numpy_api.HOST_RESULTS.get(name)
        if host is not None:
            return Host(host)
        operands = arguments.all()
        if self.refused_by_numpy(name, arguments, node):
            return UNKNOWN
        if operands and isinstance(operands[0], Array) and name in numpy_api.TRACED_RESULTS:
            plain = "axis" not in arguments.kwargs and len(arguments.args) == 1
            reduces = f"jax.{name}" in jax_api.REDUCTIONS
            return self.array([operands[0]], node, name, 0 if plain and reduces else None)
        if any(tracers(operand) for operand in operands):
            return UNKNOWN
        concrete = (Const, Host, NumpyArray, Sequence, Qualified)
        for operand in operands:
            self.waited(operand, node, name)
        if name in python_api.RANDOM_INTEGERS:
            return self.drawn()
        if all(isinstance(operand, concrete) for operand in operands):
            return self.sized(NumpyArray(), name, arguments)
        return UNKNOWN

    # ------------------------------------------------------------------ effects

    def _input(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A clock, a random number, a file: read once while tracing."""
        level = self.level
        if level is None or not level.tracing or not level.full or self.abstract_only:
            return
        if name in python_api.SEEDED and arguments.args:
            return
        self.emit(Kind.HOST_INPUT, node, python_api.INPUT[name], function=name)

    def note_advanced(self, iterator: Value, node: n.Node) -> None:
        """An iterator from outside the trace gives an element while tracing."""
        level = self.level
        if not isinstance(iterator, Sequence) or iterator.kind != "iterator" or level is None:
            return
        moment = iterator.moment
        if moment is not None and level.effects_run_once(moment.level) and level.caching:
            self.emit(Kind.OUTER_ITERATION, node, "next", node)

    def _output(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        level = self.level
        for value in arguments.all():
            self.waited(value, node, python_api.OUTPUT[name])
        if level is not None and level.tracing and level.full:
            shown = [value for key, value in arguments.kwargs.items() if key not in _PRINT_OPTIONS]
            shown += arguments.args
            self.emit(
                Kind.HOST_OUTPUT, node, python_api.OUTPUT[name],
                value=next((value for value in shown if tracers(value)), None),
                function=name, shows=self._shows(node, arguments), text=_text(node),
            )  # fmt: skip
        return NONE

    def _shows(self, node: n.Node, arguments: Arguments) -> str:
        """What is written: ``tracer``, ``static`` facts of a trace, or ``text`` alone."""
        kinds = set()
        for value, item in zip(arguments.args, argument_nodes(node), strict=False):
            kinds |= self._kinds_shown(value, item)
        for kind in ("tracer", "unknown", "static"):
            if kind in kinds:
                return kind
        return "text"

    def _kinds_shown(self, value: Value, node: n.Node) -> set[str]:
        if isinstance(node, n.FormattedString):
            kinds = {"text"}
            for part in node.parts:
                if isinstance(part, n.Formatted):
                    kinds.add(_shown(self.evaluate(part.value)))
                elif not isinstance(part, n.Constant):
                    kinds |= self._kinds_shown(value, part)
            return kinds
        if isinstance(node, n.BinaryOperation) and node.operator == "%":
            return {_shown(self.evaluate(node.right))}
        return {_shown(value)}

    # ----------------------------------------------------------------- builtins

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
                self.emit(Kind.BOOL_CONVERSION, node, construct, subject=node, value=keys[0])
            return UNKNOWN
        if any(is_number(value) or isinstance(value, Array) for value in values):
            # What is compared with a number is one: no container can be.
            values = [value.as_array() if isinstance(value, Tree) else value for value in values]
        refusing = [value for value in values if protocols.refuses_bool(value)]
        if refusing and len(values) > 1:
            self.emit(Kind.BOOL_CONVERSION, node, construct, subject=node, value=refusing[0])
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
                self.emit(
                    Kind.BOOL_CONVERSION,
                    node,
                    f"{_called(node)}()",
                    subject=node,
                    value=refusing[0],
                )
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

    def _print(self, arguments: Arguments, node: n.Node) -> Value:
        return self._output("builtins.print", arguments, node)

    def _new_container(self, arguments: Arguments, node: n.Node) -> Value:
        return self._container(_called(node), f"builtins.{_called(node)}", arguments, node)

    def _container(self, kind: str, name: str, arguments: Arguments, node: n.Node) -> Value:
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
            return self._iterator(pairs)
        counter = Host("int", changes=True)
        return self._iterator(None, Sequence("tuple", [counter, elements]))

    def _iterate(self, arguments: Arguments, node: n.Node) -> Value:
        if not arguments.args:
            return UNKNOWN
        elements = protocols.iterate(self, arguments.args[0], node)
        if isinstance(elements, list):
            order = elements[::-1] if _called(node) == "reversed" else elements
            return self._iterator(list(order))
        return self._iterator(None, elements)

    def _iterator(self, items: list[Value] | None, element: Value = UNKNOWN) -> Value:
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

    def _reduce(self, arguments: Arguments, node: n.Node) -> Value:
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


def function_like(value: Value | None) -> bool:
    """Whether a decorator can be applied to it."""
    return isinstance(value, (Function, Transformed, Partial, Class, Descriptor))


def _cached(value: Value | None) -> Value:
    if not isinstance(value, Function):
        return value if value is not None else UNKNOWN
    cached = Function(value.code, value.frame, value.defaults, value.moment)
    cached.owner, cached.cached = value.owner, True
    return cached


def _result_rank(name: str, arguments: Arguments) -> int | None:
    """Number of axes of what a JAX function returns, when that is certain."""
    fixed = jax_api.FIXED_RANKS.get(name)
    if fixed is not None:
        return fixed
    if name in jax_api.SCALAR_RESULTS:
        return 0
    if name in jax_api.REDUCTIONS:
        plain = len(arguments.args) == 1 and not {"axis", "keepdims"} & arguments.kwargs.keys()
        return 0 if plain else None
    shaped = jax_api.SHAPE_ARGUMENT.get(name)
    if shaped is not None:
        position, keyword, default = shaped
        shape = arguments.get(position, keyword)
        return default if shape is None else _axes(shape)
    if name in ("jax.numpy.array", "jax.numpy.asarray") and arguments.args:
        return _literal_rank(arguments.args[0])
    if name in jax_api.ELEMENTWISE:
        ranks = [_literal_rank(value) for value in arguments.args]
        known = [rank for rank in ranks if rank is not None]
        return max(known) if known and len(known) == len(ranks) else None
    return None


def _axes(shape: Value) -> int | None:
    if isinstance(shape, Sequence) and shape.items is not None:
        return len(shape.items)
    return 1 if type_name(shape) == "int" else None


def _literal_rank(value: Value) -> int | None:
    if isinstance(value, Array):
        return value.rank
    if is_number(value):
        return 0
    if isinstance(value, Sequence) and value.items:
        inner = _literal_rank(value.items[0])
        return inner + 1 if inner is not None else None
    return None


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


def _shown(value: Value) -> str:
    if tracers(value):
        return "tracer"
    if isinstance(value, Const):
        return "text"
    if isinstance(value, (Host, Qualified, Function, Class)):
        return "static"
    if isinstance(value, Sequence) and value.items is not None:
        return max((_shown(item) for item in value.items), default="static")
    return "unknown"


def _text(node: n.Node) -> str:
    """The constant text in a call that writes something."""
    found: list[str] = []
    for item in argument_nodes(node):
        parts = item.parts if isinstance(item, n.FormattedString) else [item]
        for part in parts:
            if isinstance(part, n.Constant) and isinstance(part.value, str):
                found.append(part.value)
    return " ".join(found)


_PRINT_OPTIONS = frozenset({"sep", "end", "file", "flush"})
_BUILTINS: dict[str, Callable[[Models, Arguments, n.Node], Value]] = {
    "bool": Models._bool,
    "range": Models._range,
    "min": Models._extremum,
    "max": Models._extremum,
    "sorted": Models._extremum,
    "any": Models._any_all,
    "all": Models._any_all,
    "sum": Models._sum,
    "abs": Models._arithmetic,
    "round": Models._arithmetic,
    "divmod": Models._arithmetic,
    "pow": Models._arithmetic,
    "len": Models._len,
    "isinstance": Models._isinstance,
    "callable": Models._host_bool,
    "hasattr": Models._host_bool,
    "issubclass": Models._host_bool,
    "type": Models._type,
    "int": Models._number,
    "float": Models._number,
    "complex": Models._number,
    "str": Models._str,
    "repr": Models._str,
    "format": Models._format,
    "hash": Models._hash,
    "print": Models._print,
    "list": Models._new_container,
    "tuple": Models._new_container,
    "set": Models._new_container,
    "dict": Models._new_container,
    "zip": Models._zip,
    "enumerate": Models._enumerate,
    "reversed": Models._iterate,
    "iter": Models._iterate,
    "map": Models._map,
    "filter": Models._filter,
    "next": Models._next,
    "getattr": Models._getattr,
    "property": Models._descriptor,
    "staticmethod": Models._descriptor,
    "classmethod": Models._descriptor,
    "super": Models._super,
}
