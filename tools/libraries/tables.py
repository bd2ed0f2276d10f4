"""What the other tables say of libraries, row by row."""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge import annotations as annotation_rows
from jaxlint.knowledge import (
    chains,
    class_api,
    discarded,
    frozen,
    jax_api,
    libraries,
    masking,
    optax_api,
    probabilities,
    python_api,
    schedules,
)
from jaxlint.knowledge import layers as layer_rows
from jaxlint.knowledge.transforms import TRANSFORMS
from tools.libraries import axes, layers, objects, optimizers, pytrees, scopes, transforms

PACKAGES = frozenset(
    {"absl", "beartype", "chex", "einops", "equinox", "flax", "haiku", "jax_dataclasses",
     "jaxtyping", "optax", "rich", "tqdm", "typeguard", "typing_extensions"}
)  # fmt: skip
"""The packages whose rows are checked here; those of JAX and Python have tests of their own."""


def rows() -> dict[str, list[str]]:
    """Table -> the names in it that are of libraries."""
    return {
        table: sorted(name for name in names if name.split(".")[0] in PACKAGES)
        for table, (names, _) in TABLES.items()
    }


def differs(table: str, name: str) -> str:
    """How a library differs from a row; empty when the row holds."""
    try:
        with warnings.catch_warnings():
            # What a library deprecates is still there.
            warnings.simplefilter("ignore")
            return TABLES[table][1](name)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]


# ---------------------------------------------------------------------------- the checks


def _is_left_out(name: str) -> str:
    """A compiled program in which nobody reads its result does not check."""

    def unread(x: Any) -> Any:
        resolve_name(name)(x, x < 0, "below zero")
        return x

    return "" if jax.jit(unread)(jnp.float32(-1.0)) == -1.0 else "is there"


def _leaves_alone(name: str) -> str:
    """It gives what was saved, and what it is given to fill stays what it was."""
    saved, target = {"w": np.ones(2)}, {"w": np.zeros(2)}
    with tempfile.TemporaryDirectory() as folder:
        found = _READS[name](resolve_name(name), saved, target, Path(folder))
    if (target["w"] != 0).any():
        return "fills what it is given"
    return "" if (np.asarray(found["w"]) == 1).all() else "gives something else"


def _read_checkpoint(function: Any, saved: Any, target: Any, folder: Path) -> Any:
    resolve_name("flax.training.checkpoints.save_checkpoint")(folder, saved, step=0)
    return function(folder, target)


def _read_leaves(function: Any, saved: Any, target: Any, folder: Path) -> Any:
    resolve_name("equinox.tree_serialise_leaves")(folder / "leaves", saved)
    return function(folder / "leaves", target)


_READS: dict[str, Callable[[Any, Any, Any, Path], Any]] = {
    "flax.training.checkpoints.restore_checkpoint": _read_checkpoint,
    "equinox.tree_deserialise_leaves": _read_leaves,
    "flax.serialization.from_state_dict": lambda function, saved, target, _: function(
        target, saved
    ),
    "flax.serialization.from_bytes": lambda function, saved, target, _: function(
        target, resolve_name("flax.serialization.to_bytes")(saved)
    ),
}
"""How each reads; what others read lies on other machines, or in a format of theirs."""


def _exists(name: str) -> str:
    resolve_name(name)
    return ""


def _computes_arrays(name: str) -> str:
    """Called while tracing, with arrays for what it needs, it gives one array."""
    function = resolve_name(name)
    needed = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    found: list[Any] = []

    def call(x: Any) -> None:
        given = {**ARGUMENTS, "labels": 0 * x.astype(int)[0]} if "integer" in name else ARGUMENTS
        found.append(function(*(given.get(parameter.name, x) for parameter in needed)))

    jax.make_jaxpr(call)(jnp.full((4,), 0.5))
    return "" if isinstance(found[0], jax.core.Tracer) else f"gives a {type(found[0]).__name__}"


ARGUMENTS: dict[str, Any] = {"num_classes": 4, "alpha": 0.1}
"""Parameters that want something else than the vector that is traced."""


def _consumes_a_key(name: str) -> str:
    layer, short = resolve_name(name), name.rpartition(".")[2]
    if name in libraries.STREAMS:
        one, other = (jax.random.key_data(layer(jax.random.key(0))()) for _ in range(2))
        return "" if jnp.array_equal(one, other) else "draws other numbers"
    sizes = {"MLP": (2, 2, 2, 1), "Conv": (2, 2, 2, 1), "ConvTranspose": (2, 2, 2, 1)}
    given = sizes.get(short, (2, 2, 1) if "Conv" in short else (2, 2))
    key = jax.random.key(0)
    with jax.debug_key_reuse(True):
        layer(*given, key=key)
        try:
            layer(*given, key=key)
        except jax.errors.KeyReuseError:
            return ""
    return "leaves the key unused"


def _draws_from(name: str) -> str:
    """Two layers that are made of equal keys, or streams of keys, draw the same numbers."""
    from flax import nnx

    short, option = name.rpartition(".")[2], libraries.DRAWS_FROM[name]
    source = jax.random.key if option == "key" else nnx.Rngs
    layers = [_made(name, short, {option: source(0)}) for _ in range(2)]
    other = _made(name, short, {option: source(1)})
    one, same, different = (_drawn(layer, short) for layer in (*layers, other))
    equal = all(map(jnp.array_equal, one, same)) and not all(map(jnp.array_equal, one, different))
    return "" if equal else "draws other numbers"


def _made(name: str, short: str, given: dict[str, Any]) -> Any:
    sizes: dict[str, tuple[Any, ...]] = {
        "MLP": (2, 2, 2, 1), "Dropout": (0.5,), "Einsum": ("ab,bc->ac", (2, 2)),
        "MultiHeadAttention": (1, 8), **dict.fromkeys(("BatchNorm", "LayerNorm", "RMSNorm"), (2,)),
    }  # fmt: skip
    if name.startswith(libraries.NNX):
        sizes |= {"Conv": (2, 2, 2), "ConvTranspose": (2, 2, 2)}
    else:
        sizes |= {"Conv": (2, 2, 2, 1), "ConvTranspose": (2, 2, 2, 1)}
    return resolve_name(name)(*sizes.get(short, (2, 2, 1) if "Conv" in short else (2, 2)), **given)


def _drawn(layer: Any, short: str) -> list[Any]:
    """The numbers that a layer begins with; of one that has none what it gives."""
    if short == "Dropout":
        return [layer(jnp.ones(50))]
    return [leaf for leaf in jax.tree.leaves(layer) if getattr(leaf, "size", 0) > 1]


def _wants(name: str) -> str:
    """It is not made without the keyword."""
    try:
        _made(name, name.rpartition(".")[2], {})
    except TypeError as error:
        return "" if f"'{libraries.WANTS[name]}'" in str(error) else str(error)
    return "does without"


def _has_leaves(name: str) -> str:
    """JAX finds what the row says in an object of it."""
    short = name.rpartition(".")[2]
    key = {} if short in ("Dropout",) or "Pool" in short else {"key": jax.random.key(0)}
    sizes = {"MLP": (2, 2, 2, 1), "Dropout": (0.5,), "MultiheadAttention": (1, 8)}
    made = resolve_name(name)(*sizes.get(short, (2,)), **key)
    found = [_kind(leaf) for leaf in jax.tree.leaves(made)]
    return "" if set(libraries.LEAVES[name].types) <= {*found} else f"has {found}"


def _kind(leaf: Any) -> str:
    return "function" if callable(leaf) else type(leaf).__name__


def _holds_functions(name: str) -> str:
    """JAX takes an object of it apart into functions alone."""
    import optax

    made = optax.sgd(0.1)
    found = {_kind(leaf) for leaf in jax.tree.leaves(made)}
    return "" if isinstance(made, resolve_name(name)) and found == {"function"} else f"has {found}"


def _flattened_into_parts(name: str) -> str:
    """Its leaves are those of the functions that it calls."""
    function = jax.nn.relu
    one = layer_rows.CALLS_EACH[name] == "one"
    found = jax.tree.leaves(
        resolve_name(name)(function if one else [resolve_name(LAMBDA)(function)])
    )
    return "" if found == [function] else f"has {found}"


LAMBDA = "equinox.nn.Lambda"


def _is_a_layer(name: str) -> str:
    """It is a class of which the instances are called."""
    called = any("__call__" in vars(base) for base in resolve_name(name).__mro__)
    return "" if called else "is not called"


def _sets_up(name: str) -> str:
    """The method runs by itself, before the module is called."""
    ran: list[str] = []
    method = libraries.SETS_UP[name]
    body = {method: lambda self: ran.append(method), "__call__": lambda self, x: ran.append("call")}
    type("Module", (resolve_name(name),), body)().apply({}, 1.0)
    return "" if ran == [method, "call"] else f"runs {ran}"


def _calls_the_module(name: str) -> str:
    """The method passes on what comes after its own arguments, and returns what it should."""
    base, _, method = name.rpartition(".")
    row = libraries.MODULE_METHODS[base, method]
    got: list[Any] = []

    def called(_: Any, *args: float, **kwargs: float) -> float:
        got.append((args, kwargs))
        return 5.0

    module = type("Module", (resolve_name(base),), {"__call__": called})()
    own: list[Any] = [{}] if method == "apply" else [jax.random.key(0)]
    options: dict[str, Any] = {"mutable": []} if method == "apply" else {"mutable": ["params"]}
    back = getattr(module, method)(*own[: row.first], 1.0, 2.0, more=3.0, **options)
    if got != [((1.0, 2.0), {"more": 3.0})]:
        return f"passes on {got}"
    first = back[0] if method == "apply" else back
    return "" if (first == 5.0) is row.returns else f"returns {back}"


def _passes_arrays(name: str) -> str:
    """Arrays pass it, also tracers; integers where the row says so; nothing else."""
    test = resolve_name(name)
    others = [1.0, 1, True, None, "a", len]
    seen = [test(jnp.ones(2)), test(jnp.arange(2)), *map(test, others)]
    jax.eval_shape(lambda x: seen.append(test(x)), jnp.ones(2))
    expected = [True, libraries.ARRAY_FILTERS[name] == "any", *[False] * len(others), True]
    return "" if seen == expected else f"says {seen}"


def _parts_trees(name: str) -> str:
    """It leaves None in place of what is elsewhere."""
    import equinox

    x = jnp.ones(2)
    found = resolve_name(name)({"a": x, "b": 1}, equinox.is_array)
    arrays = found[0] if libraries.GIVES_BOTH_PARTS[name] else found
    same = arrays["a"] is x and arrays["b"] is None
    if libraries.GIVES_BOTH_PARTS[name]:
        same = same and found[1] == {"a": None, "b": 1}
    return "" if same else f"gives {found}"


def _puts_together(name: str) -> str:
    """It gives the leaf that is not None, the first of two."""
    x = jnp.ones(2)
    found = resolve_name(name)({"a": x, "b": None, "c": 1}, {"a": None, "b": 2, "c": 3})
    same = found["a"] is x and (found["b"], found["c"]) == (2, 1)
    return "" if same else f"gives {found}"


def _asks_for_shapes(name: str) -> str:
    """It traces the initializer where the parameter is given, and gives back what is given."""
    base, _, method = name.rpartition(".")
    traced: list[bool] = []

    def initial(key: Any, size: int) -> Any:
        made = jax.random.normal(key, (size,))
        traced.append(isinstance(made, jax.core.Tracer))
        return made, {"bias": made}

    def called(self: Any) -> Any:
        return getattr(self, method)("w", initial, 3)

    library = resolve_name(base.rpartition(".")[0])
    module: Any = type("Module", (resolve_name(base),), {"__call__": library.compact(called)})()
    variables = module.init(jax.random.key(0))
    weight, rest = module.apply(variables)
    same = weight is variables["params"]["w"][0] and set(rest) == {"bias"}
    return "" if same and traced == [False, True] else f"traced: {traced}, the same: {same}"


def _has_initializers(name: str) -> str:
    """Its factories make an initializer that takes a key and a shape."""
    made = {factory: getattr(resolve_name(name), factory) for factory in
            libraries.INITIALIZER_FACTORIES}  # fmt: skip
    wrong = []
    for factory, make in made.items():
        arguments = {"variance_scaling": (1.0, "fan_in", "normal")}.get(factory, ())
        shape = (3, 3, 3) if factory == "delta_orthogonal" else (3, 3)
        if make(*arguments)(jax.random.key(0), shape).shape != shape:
            wrong.append(factory)
    return f"others are {wrong}" if wrong else ""


def _gives_back(name: str) -> str:
    """It returns the argument that the row names."""
    arguments = [object() for _ in range(1 if name.endswith("reveal_type") else 2)]
    given = resolve_name(name)(*arguments)
    return "" if given is arguments[python_api.GIVES_BACK[name]] else f"gives {given}"


def _neutral(name: str) -> str:
    decorated = resolve_name(name)(_double, **LIMITS.get(name, {}))
    return "" if decorated(2.0) == 4.0 else "does something else"


def _neutral_when_called(name: str) -> str:
    arguments = LIMITS.get(name, {"typechecker": None})
    decorated = resolve_name(name)(**arguments)(_double)
    return "" if decorated(2.0) == 4.0 else "does something else"


LIMITS: dict[str, dict[str, int]] = {
    "chex.assert_max_traces": {"n": 2},
    "equinox.debug.assert_max_traces": {"max_traces": 2},
}
"""What a decorator must be told."""


def _fills_a_template(name: str) -> str:
    """Whether a function takes from one argument how the tree is built that it fills."""
    position, parameter = libraries.TEMPLATES[name]
    names = list(inspect.signature(resolve_name(name)).parameters)
    return "" if names[position : position + 1] == [parameter] else f"has parameters {names}"


def _takes_logits(name: str) -> str:
    """Whether a function takes logits, and gives other numbers for what it makes of them itself."""
    position, parameter, made = probabilities.LOGITS[name]
    function = resolve_name(name)
    names = list(inspect.signature(function).parameters)
    if names[position : position + 1] != [parameter]:
        return f"has parameters {names}"
    logits = jnp.array([[2.0, -1.0]])
    labels = jnp.array([0]) if name.endswith("integer_labels") else jnp.array([[1.0, 0.0]])
    squashed = getattr(jax.nn, made)(logits)
    same = jnp.allclose(function(logits, labels), function(squashed, labels))
    return "gives the same for probabilities" if same else ""


def _double(x: float) -> float:
    return 2 * x


TABLES: dict[str, tuple[Iterable[str], Callable[[str], str]]] = {
    "transforms.TRANSFORMS": (TRANSFORMS, transforms.differs),
    "jax_api.LIBRARY_ARRAY_FUNCTIONS": (jax_api.LIBRARY_ARRAY_FUNCTIONS, _computes_arrays),
    "libraries.KEY_FUNCTIONS": (libraries.KEY_FUNCTIONS, _consumes_a_key),
    "libraries.DRAWS_FROM": (libraries.DRAWS_FROM, _draws_from),
    "libraries.WANTS": (libraries.WANTS, _wants),
    "libraries.REFUSES_OUTER": (libraries.REFUSES_OUTER, objects.refuses_outer),
    "optax_api.OPTIMIZERS": (optax_api.OPTIMIZERS, optimizers.makes_an_optimizer),
    "optax_api.OWN_OPTIMIZERS": (optax_api.OWN_OPTIMIZERS, optimizers.is_made_of_functions),
    "optax_api.MAKES_ALIKE": (optax_api.MAKES_ALIKE, optimizers.makes_alike),
    "optax_api.NEEDS_PARAMETERS": (optax_api.NEEDS_PARAMETERS, optimizers.needs_parameters),
    "optax_api.KEEPS_STATE": (optax_api.KEEPS_STATE, optimizers.keeps_state),
    "optax_api.KEEPS_SIGN": (optax_api.KEEPS_SIGN, optimizers.keeps_sign),
    "optax_api.SCALES": (optax_api.SCALES, optimizers.keeps_sign),
    "schedules.SCALES_BY_SCHEDULE": (schedules.SCALES_BY_SCHEDULE, optimizers.keeps_sign),
    "schedules.SCHEDULES": (schedules.SCHEDULES, optimizers.stays_above_zero),
    "schedules.TAKES_SCHEDULE": (schedules.TAKES_SCHEDULE, optimizers.asks_its_schedule),
    "libraries.LISTS": (libraries.LISTS, objects.holds_what_is_added),
    "libraries.SAYS_DATA": (libraries.SAYS_DATA, objects.holds_what_is_added),
    "libraries.SAYS_STATIC": (libraries.SAYS_STATIC, objects.gives_back),
    "libraries.TEMPLATES": (libraries.TEMPLATES, _fills_a_template),
    "optax_api.APPLIES_UPDATES": (optax_api.APPLIES_UPDATES, optimizers.adds),
    "chains.TURNS_SIGN": (chains.TURNS_SIGN, optimizers.turns_sign),
    "chains.FORGETS_SCALE": (chains.FORGETS_SCALE, optimizers.forgets_scale),
    "chains.CLIPS": (chains.CLIPS, optimizers.clips),
    "chains.ADDS_WEIGHTS": (chains.ADDS_WEIGHTS, optimizers.adds_weights),
    "probabilities.LOGITS": (probabilities.LOGITS, _takes_logits),
    "chains.DECAYS": (chains.DECAYS, optimizers.decays),
    "chains.MASKS": (chains.MASKS, optimizers.passes_on),
    "discarded.LEFT_OUT": (discarded.LEFT_OUT, _is_left_out),
    "discarded.READS_BACK": (discarded.READS_BACK & _READS.keys(), _leaves_alone),
    "libraries.MAKES_OBJECTS": (libraries.MAKES_OBJECTS, objects.makes_an_object),
    "optax_api.MIRRORS": (optax_api.MIRRORS, optimizers.mirrors),
    "optax_api.KEEPS_STATE_WITH": (optax_api.KEEPS_STATE_WITH, optimizers.keeps_state_with),
    "libraries.NAMES_AXES": (libraries.NAMES_AXES, axes.names_axes),
    "libraries.LAYERS": (libraries.LAYERS, _is_a_layer),
    "libraries.LEAVES": (libraries.LEAVES, _has_leaves),
    "libraries.OF_FUNCTIONS": (libraries.OF_FUNCTIONS, _holds_functions),
    "libraries.FLATTENED_INTO_PARTS": (libraries.FLATTENED_INTO_PARTS, _flattened_into_parts),
    "layers.SHAPINGS": (layer_rows.SHAPINGS, layers.shapes),
    "layers.HOLD_PARAMETERS": (layer_rows.HOLD_PARAMETERS, layers.holds_parameters),
    "layers.POOLS": (layer_rows.POOLS, layers.pools),
    "layers.CALLS_EACH": (layer_rows.CALLS_EACH, layers.calls_each),
    "layers.CALLS": (layer_rows.CALLS, layers.calls_between),
    "layers.SAME_FUNCTIONS": (layer_rows.SAME_FUNCTIONS, layers.same_function),
    "frozen.FROZEN": (frozen.FROZEN, pytrees.freezes),
    "frozen.BOUND_ALONE": (frozen.BOUND_ALONE, layers.raises_unbound),
    "libraries.SETS_UP": (libraries.SETS_UP, _sets_up),
    "libraries.ASKS": (libraries.ASKS, scopes.asks),
    "masking.KEYED": (masking.KEYED, scopes.wants_a_key),
    "masking.STREAMED": (masking.STREAMED, _exists),
    "masking.MAPS": (masking.MAPS, _exists),
    "libraries.ASKED_BY_METHODS": (
        [".".join(method) for method in libraries.ASKED_BY_METHODS],
        scopes.asks_by_name,
    ),
    "libraries.ARRAY_FILTERS": (libraries.ARRAY_FILTERS, _passes_arrays),
    "libraries.GIVES_BOTH_PARTS": (libraries.GIVES_BOTH_PARTS, _parts_trees),
    "libraries.PUTS_TOGETHER": (libraries.PUTS_TOGETHER, _puts_together),
    "libraries.BY_REFERENCE": (libraries.BY_REFERENCE, objects.goes_in_by_reference),
    "libraries.CHANGED_BY": (libraries.CHANGED_BY, objects.changes_a_copy),
    "libraries.CHANGES_FIRST": (libraries.CHANGES_FIRST, objects.changes_its_first),
    "libraries.VARIABLES": (libraries.VARIABLES, objects.is_copied),
    "libraries.CHANGED_BY_CALLS": (libraries.CHANGED_BY_CALLS, objects.changes_when_called),
    "libraries.STREAMS": (libraries.STREAMS, objects.counts_calls),
    "libraries.STREAM_OF": (libraries.STREAM_OF, objects.has_streams),
    "libraries.MODES": ([".".join(method) for method in libraries.MODES], objects.sets_the_mode),
    "libraries.MODULE_METHODS": (
        [".".join(method) for method in libraries.MODULE_METHODS],
        _calls_the_module,
    ),
    "libraries.PARAMETERS": (
        [".".join(method) for method in libraries.PARAMETERS],
        _asks_for_shapes,
    ),
    "libraries.INITIALIZER_MODULES": (libraries.INITIALIZER_MODULES, _has_initializers),
    "annotations.KEY_ANNOTATIONS": (annotation_rows.KEY_ANNOTATIONS, _exists),
    "annotations.ARRAY_ANNOTATIONS": (annotation_rows.ARRAY_ANNOTATIONS, _exists),
    "python_api.NEUTRAL_DECORATORS": (python_api.NEUTRAL_DECORATORS, _neutral),
    "python_api.NEUTRAL_DECORATOR_FACTORIES": (
        python_api.NEUTRAL_DECORATOR_FACTORIES,
        _neutral_when_called,
    ),
    "jax_api.PURE_UPDATES": (jax_api.PURE_UPDATES, optimizers.updates_nothing),
    "python_api.GIVES_BACK": (python_api.GIVES_BACK, _gives_back),
    "class_api.DATACLASS_BASES": (class_api.DATACLASS_BASES, pytrees.makes_dataclasses),
    "python_api.OUTPUT": (python_api.OUTPUT, _exists),
    "class_api.PYTREE_BASES": (class_api.PYTREE_BASES, pytrees.base_makes_pytrees),
    "class_api.PLAIN_BASES": (class_api.PLAIN_BASES, _exists),
    "class_api.PYTREE_DECORATORS": (class_api.PYTREE_DECORATORS, pytrees.decorator_makes_pytrees),
    "python_api.FIELD_FACTORIES": (
        python_api.FIELD_FACTORIES,
        pytrees.makes_static_fields,
    ),
    "python_api.STATIC_ANNOTATIONS": (
        python_api.STATIC_ANNOTATIONS,
        pytrees.annotates_static_fields,
    ),
    "libraries.WARNS_OF_STATIC_ARRAYS": (
        libraries.WARNS_OF_STATIC_ARRAYS,
        pytrees.warns_of_static_arrays,
    ),
    "libraries.METHODS_ARE_PYTREES": (libraries.METHODS_ARE_PYTREES, pytrees.flattens_methods),
}
"""Table -> its names, and what is asked of each that is of a library."""
