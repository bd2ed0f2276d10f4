"""Functions of JAX on abstract values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.measured import SIZES, signature_of
from jaxlint.knowledge.transforms import UNMAPPED
from jaxlint.program import nodes as n
from jaxlint.tracer.models.refusals import refused_by_jax
from jaxlint.tracer.operations.items import varying_size
from jaxlint.tracer.operations.stores import forget
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Ref, Tree
from jaxlint.tracer.values.avals import Aval, Dim
from jaxlint.tracer.values.containers import Sequence, contents_like, contents_of, sequence
from jaxlint.tracer.values.joins import one_of
from jaxlint.tracer.values.objects import Class, External, Partial, Qualified
from jaxlint.tracer.values.pytrees import children, keys_in, leaves, tracers
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Host,
    Value,
    is_number,
    type_name,
)

NEUTRAL = Qualified("<a decorator that changes nothing>")
_MOST_COUNTED = 64
_MOST_LEAVES = 8


def call_jax(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Call a function of JAX by its qualified name."""
    host = jax_api.HOST_RESULTS.get(name)
    if host is not None:
        return _host_result(name, host, arguments)
    model = _MODELS.get(name)
    if model is not None:
        return model(tracer, name, arguments, node)
    if name in python_api.NEUTRAL_DECORATOR_FACTORIES:
        return NEUTRAL
    if name in jax_api.WAITS:
        tracer.analyses.on_wait(None, node, name)
    module, _, short = name.rpartition(".")
    if name in jax_api.UNKNOWN_RESULTS or module not in jax_api.ARRAY_MODULES:
        forget(tracer, arguments.all())
        return UNKNOWN
    if short[:1].isupper() and name not in jax_api.KEY_RESULTS:
        return UNKNOWN
    tracer.analyses.on_call(name, arguments, node)
    if refused_by_jax(tracer, name, arguments, node):
        return UNKNOWN
    if module == "jax.random":
        _consume(tracer, name, arguments, node)
    if name in jax_api.TUPLE_RESULTS:
        return _tuple(tracer, name, arguments, node)
    return _array(tracer, name, arguments, node)


def _host_result(name: str, kind: str, arguments: Arguments) -> Value:
    value = arguments.args[0] if arguments.args else None
    if isinstance(value, Array) and value.aval.shape is not None:
        if name.endswith(".ndim"):
            return Const(len(value.aval.shape))
    return Host(kind)


def _tuple(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if jax_api.ONE_RESULT_OPTIONS & arguments.kwargs.keys():
        return UNKNOWN
    count = jax_api.TUPLE_RESULTS[name]
    element = tracer.array(arguments.all(), node, name)
    contents = contents_of([element] * count) if count is not None else contents_like(element)
    return Sequence("tuple", contents, tracer.stack.moment())


def _array(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    operands = arguments.all()
    if name == "jax.numpy.where" and len(operands) == 1:
        return UNKNOWN
    dtype = "bool" if name in jax_api.BOOL_RESULTS else None
    if dtype is None and name in ("jax.numpy.zeros", "jax.numpy.ones"):
        dtype = "float" if len(operands) == 1 else None
    if name in jax_api.HEAVY and any(isinstance(value, Array) for value in arguments.args):
        tracer.analyses.on_dispatch(node)
    if name in jax_api.KEY_RESULTS:
        return _key(tracer, name, arguments, node)
    aval = Aval(_shape(name, arguments), dtype)
    return tracer.array(operands, node, name, aval, varying_shape(name, arguments))


def _shape(name: str, arguments: Arguments) -> tuple[Dim, ...] | None:
    rank = _rank(name, arguments)
    return (None,) * rank if rank is not None else None


def _rank(name: str, arguments: Arguments) -> int | None:
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
    if isinstance(value, (Array, NumpyArray)):
        return value.aval.rank
    if is_number(value):
        return 0
    if isinstance(value, Sequence) and value.items:
        inner = _literal_rank(value.items[0])
        return inner + 1 if inner is not None else None
    return None


def varying_shape(name: str, arguments: Arguments) -> n.Node | None:
    """The loop at whose every iteration the result has another shape."""
    row = signature_of(name)
    if row is None:
        return None
    found: n.Node | None = None
    given = [(row.name_of(i), value) for i, value in enumerate(arguments.args)]
    for parameter, value in [*given, *arguments.kwargs.items()]:
        if parameter in SIZES:
            found = found or varying_size(value)
        elif isinstance(value, (Array, NumpyArray)) and name.endswith(jax_api.KEEPS_SHAPE):
            found = found or value.varies
        elif isinstance(value, Sequence) and value.contents.varies is not None:
            found = value.contents.varies
    return found


# ---------------------------------------------------------------------------- keys


def _consume(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> None:
    """A function of ``jax.random`` that may use up the key it is given."""
    row = signature_of(name)
    consumes = row.consumes if row is not None else name in jax_api.KEY_CONSUMERS
    key = arguments.get(0, "key") if consumes else None
    if key is None:
        return
    where = next(iter(argument_nodes(node)), None) or keyword_node(node, "key")
    for each in keys_in(key):
        tracer.consume(each, node, where, name)


def _key(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Give the result of ``split``, ``fold_in``, ``key`` and the like its identity."""
    source = arguments.get(0, "seed" if name in jax_api.KEY_MAKERS else "key")
    parents = keys_in(source) if source is not None else []
    constant = parents[0].constant if parents else None
    if name in jax_api.KEY_MAKERS:
        written = isinstance(source, Const) and not _counts(tracer, node)
        constant = (node, tracer.stack.level) if written else None
    elif name == "jax.random.fold_in" and not isinstance(arguments.get(1, "data"), Const):
        constant = None
    count: int | None = None
    rank: int | None = None
    if name == "jax.random.split":
        number = arguments.get(1, "num")
        count = 2 if number is None else None
        if isinstance(number, Const) and isinstance(number.value, int):
            count = number.value if 0 < number.value <= _MOST_COUNTED else None
            rank = 1
        rank = 1 if number is None else rank
    shape: tuple[Dim, ...] | None = (count,) if rank == 1 else None
    found = tracer.array(arguments.all(), node, name, Aval(shape, "key"))
    return replace(found, prng=tracer.new_key(constant, count))


def _counts(tracer: Tracer, node: n.Node) -> bool:
    """Whether the seed is the counter of a loop that runs once for each element."""
    seed = next(iter(argument_nodes(node)), None)
    return bool(tracer.stack.frame.loops) and not isinstance(seed, n.Constant)


# -------------------------------------------------------------------------- models


def _same(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if name in jax_api.WAITS:
        tracer.analyses.on_wait(None, node, name)
    return arguments.args[0] if arguments.args else UNKNOWN


def _stop_gradient(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Under eager ``grad`` the value is concrete again."""
    value = arguments.args[0] if arguments.args else UNKNOWN
    if isinstance(value, (Array, Tree)) and value.concreteness == "differentiated":
        return Array(False, value.aval) if isinstance(value, Array) else UNKNOWN
    return value


def _ref(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Ref()


def _psum(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if arguments.args and is_number(arguments.args[0]):
        return Host("int")
    return UNKNOWN


def _register(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    first = arguments.args[0] if arguments.args else None
    if isinstance(first, Class):
        traits = first.traits
        pytree = "dataclass" if name.endswith("register_dataclass") else "registered"
        new = replace(traits, pytree=traits.pytree or pytree)
        static = arguments.get(2, "meta_fields")
        if isinstance(static, Sequence) and static.items is not None:
            names = {item.value for item in static.items if isinstance(item, Const)}
            new = replace(new, static_fields=traits.static_fields | names)
        tracer.trail.set(first.cell, "traits", new)
    return first if first is not None else UNKNOWN


def _partial(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args or not arguments.closed:
        return UNKNOWN
    made = tracer.stack.moment()
    return Partial(arguments.args[0], arguments.args[1:], arguments.kwargs, made, pytree=True)


def _tree_map(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    function = arguments.get(0, "f")
    trees = arguments.args[1:]
    if function is None or not trees or arguments.open_args is not None:
        return UNKNOWN
    result = tracer.call(function, Arguments(tuple(_leaf(tree) for tree in trees)), node)
    first = trees[0]
    if isinstance(first, Array):
        return result
    if isinstance(first, Tree) and isinstance(result, (Array, Tree)) and tracers(result):
        return Tree(result.reason, result.concreteness)
    if isinstance(first, Sequence) and first.kind in ("tuple", "list"):
        flat = all(not children(item) for item in children(first))
        if flat and isinstance(result, Array):
            count = len(first.items) if first.items is not None else None
            contents = contents_of([result] * count) if count else contents_like(result)
            return sequence(first.kind, contents, tracer.stack.moment())
    return UNKNOWN


def _leaf(tree: Value) -> Value:
    """One value that stands for the leaves of a pytree."""
    if isinstance(tree, Array):
        return tree
    found: list[Value] = list(tracers(tree)[:_MOST_LEAVES])
    if not found:
        found = [leaf for leaf in leaves(tree) if isinstance(leaf, (Array, NumpyArray))]
    return one_of(found)


def _none(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return NONE


def _partition_spec(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    nothing = not arguments.args and arguments.closed
    return External(UNMAPPED) if nothing else UNKNOWN


_MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "jax.sharding.PartitionSpec": _partition_spec,
    "jax.P": _partition_spec,
    "jax.block_until_ready": _same,
    "jax.device_put": _same,
    "jax.lax.stop_gradient": _stop_gradient,
    "jax.lax.psum": _psum,
    "jax.tree_util.Partial": _partial,
    "jax.debug.print": _none,
    **dict.fromkeys(jax_api.TREE_MAPS, _tree_map),
    **dict.fromkeys(jax_api.MUTABLE_REFS, _ref),
    **dict.fromkeys(jax_api.REGISTERS_PYTREES, _register),
}
"""Functions whose result is no array of their operands."""
