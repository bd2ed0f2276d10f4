"""Functions of JAX on abstract values."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge import class_api, dtypes, jax_api, meshes, python_api
from jaxlint.knowledge.integers import LIMITS, ZEROS
from jaxlint.knowledge.libraries import INITIALIZER, INITIALIZER_FACTORIES, OBJECTS, KeyUse
from jaxlint.knowledge.measured import SIZES, is_measured, signature_of
from jaxlint.knowledge.transform import GIVES_LIKE
from jaxlint.program import nodes as n
from jaxlint.tracer.language.classes import with_fields
from jaxlint.tracer.language.flattening import children_in
from jaxlint.tracer.models.builtins import BUILTINS
from jaxlint.tracer.models.collectives import MODELS as COLLECTIVES
from jaxlint.tracer.models.keys import use_key, view_of_keys
from jaxlint.tracer.models.measured import described, measured_result
from jaxlint.tracer.models.meshes import MODELS as MESHES
from jaxlint.tracer.models.refusals import note_fields, refused_by_jax
from jaxlint.tracer.models.shapes import shape_asked
from jaxlint.tracer.models.strict import refused_dtypes
from jaxlint.tracer.models.structures import tree_flattened, tree_structure, tree_unflattened
from jaxlint.tracer.models.trees import (
    tree_all,
    tree_leaves,
    tree_map,
    tree_map_with_path,
    tree_reduced,
)
from jaxlint.tracer.operations.floats import held
from jaxlint.tracer.operations.forgetting import forget
from jaxlint.tracer.operations.items import varying_size, varying_span
from jaxlint.tracer.operations.ranges import limits_asked
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.tangent_checks import refused_cotangent
from jaxlint.tracer.values.arrays import Array, NumpyArray, Ref, Tree, kind_of, refuses_bool
from jaxlint.tracer.values.avals import Aval, Dim
from jaxlint.tracer.values.containers import Sequence, contents_like, contents_of, sequence
from jaxlint.tracer.values.derivations import Derivation
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Class, Qualified, partial_of
from jaxlint.tracer.values.pytrees import keys_in, map_leaves, tracers
from jaxlint.tracer.values.value import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)

FOLD_IN = "jax.random.fold_in"
NEUTRAL = Qualified("<a decorator that changes nothing>")
_MOST_COUNTED = 64


def call_jax(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Call a function of JAX by its qualified name."""
    model = _MODELS.get(name)
    if model is not None:
        return model(tracer, name, arguments, node)
    shape = shape_asked(tracer, name, arguments, node)
    if shape is not None:
        return shape
    if name in python_api.NEUTRAL_DECORATOR_FACTORIES:
        return NEUTRAL
    if name in jax_api.WAITS:
        tracer.analyses.on_wait(None, node, name)
    if refused_by_jax(tracer, name, arguments, node):
        return UNKNOWN
    if refused_dtypes(tracer, name, arguments, node):
        return UNKNOWN
    if name.startswith(jax_api.RANDOM):
        _consume(tracer, name, arguments, node)
    if name in jax_api.HEAVY and arguments.args:
        tracer.analyses.on_dispatch(node, True)
    if name in jax_api.KEY_RESULTS:
        return _key(tracer, name, arguments, node)
    found = measured_result(tracer, name, arguments, node, varying_shape(name, arguments))
    if found is None:
        return _not_measured(tracer, name, arguments, node)
    if name.startswith(jax_api.RANDOM):
        tracer.analyses.on_drawn(found, node)
    if name in ZEROS and isinstance(found, Array):
        return replace(found, zero=node)
    return view_of_keys(tracer, held(name, arguments, found), name, arguments, node)


def _not_measured(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A function of which no experiment says what it returns for these arguments."""
    host = jax_api.HOST_RESULTS.get(name)
    if host is not None:
        return Host(host)
    module, _, short = name.rpartition(".")
    told = name in jax_api.UNKNOWN_RESULTS or is_measured(name)
    if told or module not in jax_api.ARRAY_MODULES:
        forget(tracer, arguments.all())
        return External(OBJECTS[name]) if name in OBJECTS else tracer.unseen(*arguments.all())
    if short[:1].isupper():
        return UNKNOWN
    if name in jax_api.TUPLE_RESULTS:
        return _tuple(tracer, name, arguments, node)
    return tracer.array(arguments.all(), node, name, varies=varying_shape(name, arguments))


def _tuple(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    count = jax_api.TUPLE_RESULTS[name]
    element = tracer.array(arguments.all(), node, name)
    contents = contents_of([element] * count) if count is not None else contents_like(element)
    return Sequence("tuple", contents, tracer.stack.moment())


def varying_shape(name: str, arguments: Arguments) -> n.Node | None:
    """The loop at whose every iteration the result has another shape."""
    row = signature_of(name)
    if row is None:
        return None
    found: n.Node | None = None
    if name.endswith(".arange"):
        return varying_span([*arguments.args, *arguments.kwargs.values()])
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


_FIRST = KeyUse(0, ("key",))


def _consume(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> None:
    """A function of ``jax.random`` that may use up the key it is given."""
    row = signature_of(name)
    if row.consumes if row is not None else name in jax_api.KEY_CONSUMERS:
        use_key(tracer, name, _FIRST, arguments, node)


def _key(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Give the result of ``split``, ``fold_in``, ``key`` and the like its identity."""
    source = arguments.get(0, "seed" if name in jax_api.KEY_MAKERS else "key")
    parents = keys_in(source) if source is not None else []
    constant = parents[0].constant if parents else None
    if name in jax_api.KEY_MAKERS:
        written = isinstance(source, Const) and not _counts(tracer, node)
        written = written and not _is_static_argument(tracer, node)
        constant = (node, tracer.stack.level) if written else None
    elif name == FOLD_IN and not isinstance(arguments.get(1, "data"), Const):
        constant = None
    count: int | None = None
    size: int | None = None
    rank: int | None = None
    if name == "jax.random.split":
        number = arguments.get(1, "num")
        count = 2 if number is None else None
        if isinstance(number, Const) and isinstance(number.value, int):
            size = number.value
            count = size if 0 < size <= _MOST_COUNTED else None
            rank = 1
        rank = 1 if number is None else rank
    shape: tuple[Dim, ...] | None = (size or count,) if rank == 1 else None
    found = tracer.array(arguments.all(), node, name, Aval(shape, "key"))
    data = arguments.get(1, "data")
    if name == FOLD_IN and len(parents) == 1 and isinstance(data, Const):
        return replace(found, prng=tracer.keys.folded(parents[0], data.value, constant))
    made_of = parents[0] if name in jax_api.SPLITS and len(parents) == 1 else None
    return replace(found, prng=tracer.keys.new(constant, count, made_of))


def _is_static_argument(tracer: Tracer, node: n.Node) -> bool:
    """Whether the seed is what the traced function was called with: each has its own program."""
    seed, frame = next(iter(argument_nodes(node)), None), tracer.stack.frame
    if frame.level is None or frame.function is None or not isinstance(seed, n.Name):
        return False
    running = (each for each in tracer.stack.running if each is not frame)
    entered = all(each.level is not frame.level for each in running)
    return entered and any(each.name == seed.id for each in frame.function.code.parameters)


def _counts(tracer: Tracer, node: n.Node) -> bool:
    """Whether the seed is the counter of a loop that runs once for each element."""
    seed = next(iter(argument_nodes(node)), None)
    return bool(tracer.stack.frame.loops) and not isinstance(seed, n.Constant)


# -------------------------------------------------------------------------- models


def _same(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if name in jax_api.WAITS:
        tracer.analyses.on_wait(None, node, name)
    return arguments.args[0] if arguments.args else UNKNOWN


def _fetched(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A pytree of the same structure on the host: what is a tracer stays one."""

    def leaf(value: Value) -> Value:
        if isinstance(value, Unknown):
            return replace(value)  # Not the one that may be donated.
        if not isinstance(value, Array) or value.traced:
            return value
        if value.traced is None or value.prng is not None:
            return UNKNOWN
        return NumpyArray(value.aval, value.varies, cell={}, differs=value.differs, readonly=True)

    return map_leaves(_same(tracer, name, arguments, node), leaf)


def _constrained(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A pytree of the same structure, whose arrays are laid out otherwise."""

    def leaf(value: Value) -> Value:
        if not isinstance(value, (Array, NumpyArray)):
            return value
        found = tracer.array([value], node, name, value.aval)
        return replace(found, prng=value.prng if isinstance(value, Array) else None)

    return map_leaves(arguments.args[0] if arguments.args else UNKNOWN, leaf)


def _stop_gradient(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Under eager ``grad`` the value is concrete again."""
    value = arguments.args[0] if arguments.args else UNKNOWN
    return map_leaves(value, _stopped)


def _stopped(value: Value) -> Value:
    if not isinstance(value, (Array, Tree)):
        return value
    derived = Derivation.same(value)
    if value.concreteness != "differentiated":
        return replace(value, perturbed=False, derived=derived) if value.perturbed else value
    return Array(False, value.aval, derived=derived) if isinstance(value, Array) else UNKNOWN


def _ref(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """What is known of the array in a reference, with which it begins."""
    value = arguments.args[0] if arguments.args else UNKNOWN
    return Ref(value.aval) if isinstance(value, Array) else Ref()


def _register(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    first = arguments.args[0] if arguments.args else None
    if isinstance(first, Class):
        traits = first.traits
        pytree = "dataclass" if name.endswith("register_dataclass") else "registered"
        new = replace(traits, pytree=traits.pytree or pytree)
        if pytree == "dataclass":
            new = with_fields(new, arguments.get(1, "data_fields"), arguments.get(2, "meta_fields"))
        leaves = children_in(arguments.get(1, "flatten_func"))
        leaves = children_in(arguments.get(1, "flatten_with_keys")) if leaves is None else leaves
        new = replace(new, leaves=leaves) if leaves is not None else new
        tracer.trail.set(first.cell, "traits", new)
    return first if first is not None else UNKNOWN


def _register_class(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A decorator that makes a class a pytree, called as a function: what is a leaf is unknown."""
    first = arguments.args[0] if arguments.args else None
    if isinstance(first, Class):
        made = class_api.PYTREE_DECORATORS[name] == "dataclass"  # So is its constructor.
        traits = first.traits
        new = replace(traits, pytree=traits.pytree or "registered", library=traits.library or made)
        tracer.trail.set(first.cell, "traits", new)
        return first
    return UNKNOWN


def _partial(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args or not arguments.closed:
        return UNKNOWN
    made = tracer.stack.moment()
    return partial_of(arguments.args[0], arguments.args[1:], arguments.kwargs, made, pytree=True)


def initializer(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.nn.initializers.normal()`` and the like make an initializer."""
    return Qualified(INITIALIZER)


def _initializer(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """What ``jax.nn.initializers.normal()`` gives, called with a key and a shape."""
    use_key(tracer, "initializer", _FIRST, arguments, node)
    return tracer.array(arguments.all(), node, "initializer")


def _program_id(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return tracer.array([], node, name, Aval((), "int32"))


def _debug_print(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    tracer.analyses.on_call(name, arguments, node)
    note_fields(tracer, name, arguments, node)
    return NONE


def _limits(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return limits_asked(arguments.get(0, "int_type") or UNKNOWN)


def _issubdtype(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jnp.issubdtype(x.dtype, jnp.integer)``, or ``x`` itself, where the kind is known."""
    asked, types = arguments.get(0), arguments.get(1)
    dtype = asked.name if isinstance(asked, Host) else None
    kind = kind_of(asked.dtype if isinstance(asked, Array) else dtype)
    kinds = dtypes.KINDS_OF_TYPES.get(types.name) if isinstance(types, Qualified) else None
    if kinds is None or kind not in dtypes.NUMBERS:
        return Host("bool")
    return TRUE if kind in kinds else FALSE


def _description(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.ShapeDtypeStruct(shape, dtype)``."""
    shape, dtype = arguments.get(0, "shape"), arguments.get(1, "dtype")
    if not arguments.closed or shape is None or dtype is None:
        return UNKNOWN
    return External(name, aval=described(tracer, Arguments((shape, dtype))))


def _like_first(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Tangents or cotangents: as a value that is known, whatever is given for them."""
    made_by, like, wanted = arguments.args[:3]
    given = replace(arguments, args=arguments.args[3:])
    of = str(made_by.value) if isinstance(made_by, Const) else name
    if refused_cotangent(tracer, of, wanted, given, node):
        return UNKNOWN
    operands = [like, *given.all()]

    def leaf(value: Value) -> Value:
        if isinstance(value, (Array, NumpyArray)):
            return tracer.array(operands, node, name, value.aval)
        return tracer.unseen(*operands)

    return map_leaves(like, leaf, tracer.stack.moment(), fresh=True)


def _map_to_list(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    found = BUILTINS["map"](tracer, "map", arguments, node)
    if isinstance(found, Sequence):
        return sequence("list", found.contents, tracer.stack.moment())
    return found


def _concrete(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The value, where it is no tracer."""
    value = arguments.get(1, "val") or UNKNOWN
    known = isinstance(value, (Const, Host, Sequence)) and not tracers(value)
    return value if known and arguments.get(0, "force") is NONE else UNKNOWN


def _is_clean(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """False in a trace. Outside of one, who knows from where this is called?"""
    level = tracer.stack.level
    return FALSE if level is not None and level.stages else Host("bool")


def _is_concrete(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.get(0, "x")
    if isinstance(value, Array) and value.traced is False:
        return TRUE
    return FALSE if value is not None and refuses_bool(value) else Host("bool")


def _clear_caches(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    tracer.memo.compile_again()
    return NONE


_MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    LIMITS: _limits,
    "jax.block_until_ready": _same,
    jax_api.CLEARS_CACHES: _clear_caches,
    "jax.device_get": _fetched,
    **dict.fromkeys(meshes.LAYS_OUT, _constrained),
    **dict.fromkeys(jax_api.ASKS_CONCRETE, _concrete),
    **dict.fromkeys(jax_api.ASKS_IF_CLEAN, _is_clean),
    **dict.fromkeys(jax_api.ASKS_IF_CONCRETE, _is_concrete),
    **dict.fromkeys(jax_api.MAPS_LISTS, _map_to_list),
    GIVES_LIKE: _like_first,
    **dict.fromkeys(jax_api.DESCRIBES_ARRAYS, _description),
    "jax.numpy.issubdtype": _issubdtype,
    "jax.dtypes.issubdtype": _issubdtype,
    **MESHES,
    **COLLECTIVES,
    "jax.lax.stop_gradient": _stop_gradient,
    "jax.tree_util.Partial": _partial,
    jax_api.DEBUG_PRINT: _debug_print,
    "jax.experimental.pallas.program_id": _program_id,
    INITIALIZER: _initializer,
    **{f"jax.nn.initializers.{name}": initializer for name in INITIALIZER_FACTORIES},
    **dict.fromkeys(jax_api.TREE_MAPS, tree_map),
    **dict.fromkeys(jax_api.TREE_MAPS_WITH_PATH, tree_map_with_path),
    **dict.fromkeys(jax_api.TREE_LEAVES, tree_leaves),
    **dict.fromkeys(jax_api.TREE_REDUCES, tree_reduced),
    **dict.fromkeys(jax_api.TREE_ALLS, tree_all),
    **dict.fromkeys(jax_api.TREE_FLATTENS, tree_flattened),
    **dict.fromkeys(jax_api.TREE_STRUCTURES, tree_structure),
    **dict.fromkeys(jax_api.TREE_UNFLATTENS, tree_unflattened),
    **dict.fromkeys(jax_api.MUTABLE_REFS, _ref),
    **dict.fromkeys(class_api.PYTREE_DECORATORS, _register_class),
    **dict.fromkeys(jax_api.REGISTERS_PYTREES, _register),
}
"""Functions whose result is no array of their operands."""
