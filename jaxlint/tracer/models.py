"""Models of what cannot be seen: the standard library, NumPy, JAX and its libraries.

What a name *is* stands in ``knowledge``; here is what calling it does to abstract values.
"""

from __future__ import annotations

from jaxlint.knowledge import jax_api, numpy_api, python_api
from jaxlint.knowledge.transforms import TRANSFORMS, Transform
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.refusals import argument_nodes
from jaxlint.tracer.values import (
    UNKNOWN,
    Array,
    Class,
    Const,
    Descriptor,
    External,
    Function,
    Host,
    NumpyArray,
    Partial,
    Qualified,
    Ref,
    Sequence,
    Transformed,
    Tree,
    Value,
    is_number,
    join_all,
    tracers,
    type_name,
)

_NEUTRAL = Qualified("<a decorator that changes nothing>")
_REGISTER_PYTREE = frozenset(
    {"jax.tree_util.register_pytree_node", "jax.tree_util.register_dataclass",
     "jax.tree_util.register_pytree_with_keys"}
)  # fmt: skip


class Models(Machine):
    """Calls of names outside the program."""

    # -------------------------------------------------------------- dispatching

    def call_qualified(self, function: Qualified, arguments: Arguments, node: n.Node) -> Value:
        """Call something known by its full dotted name."""
        name = function.name
        transform = TRANSFORMS.get(name) or self._own_transform(name)
        if transform is not None:
            if transform.all_given:
                return self._trace_all_given(name, transform, arguments, node)
            if transform.callees:
                return self.call_now(name, transform, arguments, node)
            return self.make_transformed(name, transform, arguments, node)
        if name.startswith("builtins."):
            found = self.call_builtin(name[9:], arguments, node)
            if found is not None:
                return found
        if name in python_api.OUTPUT:
            return self.output(name, arguments, node)
        if name in python_api.INPUT:
            self.note_input(name, arguments, node)
        if name in python_api.INSTANCES:
            made_inside = self.level is not None and name != "logging.getLogger"
            return UNKNOWN if made_inside else External(python_api.INSTANCES[name])
        if name.startswith("jax."):
            return self._jax(name, arguments, node)
        if name.startswith("numpy."):
            return self._numpy(name, arguments, node)
        return self._library(name, arguments, node)

    def _trace_all_given(
        self, name: str, transform: Transform, arguments: Arguments, node: n.Node
    ) -> Value:
        for value in arguments.all():
            if function_like(value):
                self.make_transformed(name, transform, Arguments([value]), node)
        return UNKNOWN

    def _own_transform(self, name: str) -> Transform | None:
        """What the user says of a function of theirs; relative imports know its end only."""
        if not name.startswith("."):
            return self.own_transforms.get(name)
        end = "." + name.lstrip(".")
        return next((row for own, row in self.own_transforms.items() if own.endswith(end)), None)

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
            return self.container(python_api.MUTABLE_CONSTRUCTORS[name], name, arguments, node)
        if name == "functools.reduce" and len(arguments.args) >= 2:
            return self.reduce(arguments, node)
        if name in jax_api.LIBRARY_ARRAY_FUNCTIONS:
            return self.array(arguments.all(), node, name)
        if name.startswith("scipy.") and self.refused_by_numpy(name, arguments, node):
            return UNKNOWN
        if name.startswith("math."):
            self._ask_for_number(name, arguments, node)
        if name in python_api.CLOCKS:
            return self.read_clock(name, node)
        if name in python_api.RANDOM_INTEGERS:
            return self.drawn()
        if name in python_api.ITERATORS:
            return self.iterator(None)
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
