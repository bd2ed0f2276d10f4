"""What the other tables say of libraries, row by row."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge import jax_api, libraries, python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from tools.libraries import transforms

PACKAGES = frozenset(
    {"absl", "beartype", "chex", "equinox", "flax", "haiku", "jax_dataclasses", "jaxtyping",
     "optax", "rich", "tqdm", "typeguard", "typing_extensions"}
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


def _goes_in_by_reference(name: str) -> str:
    """What a transformed function stores in the module is there afterwards."""
    from flax import nnx

    counter = type("Counter", (resolve_name(name),), {})()
    counter.count = nnx.Variable(jnp.zeros(()))

    def count(module: Any) -> None:
        module.count[...] += 1

    nnx.jit(count)(counter)
    return "" if counter.count[...] == 1 else "stays as it was"


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


def _updates_nothing(name: str) -> str:
    """It gives new parameters, and leaves those that it is given."""
    if name == f"{libraries.OPTIMIZER}.update":
        return _updates_no_state()
    given = {"w": jnp.ones(2)}
    more = (0.5,) if name.endswith("incremental_update") else ()
    new = resolve_name(name)(given, {"w": jnp.full(2, 3.0)}, *more)
    kept = (given["w"] == 1.0).all() and (new["w"] > 1.0).all()
    return "" if kept else f"gives {new} of {given}"


def _updates_no_state() -> str:
    """The update of an optimizer gives a new state, and leaves the one that it is given."""
    import optax

    optimizer = optax.sgd(0.1, momentum=0.9)
    state = optimizer.init(jnp.zeros(2))
    _, new = optimizer.update(jnp.ones(2), state)
    changed = jax.tree.leaves(new)[0] != jax.tree.leaves(state)[0]
    kept = (jax.tree.leaves(state)[0] == 0.0).all()
    return "" if changed.all() and kept else f"gives {new} of {state}"


def _changes_a_copy(name: str) -> str:
    """Under ``jax.jit`` its methods change a copy; under ``nnx.jit`` what they are called on."""
    import optax
    from flax import nnx

    kind = resolve_name(name)
    missing = [each for each in libraries.CHANGED_BY[name] if not hasattr(kind, each)]
    if missing:
        return f"has no {missing}"

    def change(model: Any, changed: Any) -> None:
        if kind is nnx.MultiMetric:
            changed.update(values=jnp.ones(1))
        else:
            gradients = nnx.grad(lambda model: model(jnp.ones((1, 2))).sum())(model)
            own = (gradients,) if kind is nnx.ModelAndOptimizer else (model, gradients)
            changed.update(*own)

    found = []
    for compiled in (jax.jit(change), nnx.jit(change)):
        model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        if kind is nnx.MultiMetric:
            changed: Any = kind(mean=nnx.metrics.Average())
        else:
            changed = kind(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
        before = jax.tree.map(jnp.array, nnx.state((model, changed)))
        compiled(model, changed)
        after = nnx.state((model, changed))
        pairs = zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True)
        found.append(all(bool((one == other).all()) for one, other in pairs))
    return "" if found == [True, False] else f"stays as it was under jax.jit, nnx.jit: {found}"


def _gives_back(name: str) -> str:
    """It returns the argument that the row names."""
    arguments = [object() for _ in range(1 if name.endswith("reveal_type") else 2)]
    given = resolve_name(name)(*arguments)
    return "" if given is arguments[python_api.GIVES_BACK[name]] else f"gives {given}"


def _makes_dataclasses(name: str) -> str:
    made = type("Module", (resolve_name(name),), {"__annotations__": {"x": float}})
    return "" if made(x=2.0).x == 2.0 else "is no dataclass"


def _makes_an_optimizer(name: str) -> str:
    """It gives a pair of functions, ``init`` and ``update``."""
    import optax

    inner = optax.sgd(0.1)
    given = {"optax.chain": (inner, inner), "optax.lookahead": (inner, 2, 0.5)}
    noise = {"optax.noisy_sgd": {"seed": 0}}
    made = resolve_name(name)(*given.get(name, (0.1,)), **noise.get(name, {}))
    return "" if callable(made.init) and callable(made.update) else f"gives {made}"


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


def _double(x: float) -> float:
    return 2 * x


def _base_makes_pytrees(name: str) -> str:
    base = resolve_name(name)
    return _two_leaves(type("Pair", (base,), {"__annotations__": {"x": float, "y": float}}))


def _decorator_makes_pytrees(name: str) -> str:
    plain = type("Pair", (), {"__annotations__": {"x": float, "y": float}})
    return _two_leaves(resolve_name(name)(plain))


def _two_leaves(pair: Any) -> str:
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0, 2.0] else f"has the leaves {leaves}"


def _makes_static_fields(name: str) -> str:
    """A field that it declares static is no leaf."""
    package = name.split(".")[0]
    option = {"static": True} if package == "equinox" else {"pytree_node": False}
    bases = {"equinox": "equinox.Module", "flax": "flax.struct.PyTreeNode"}
    field = resolve_name(name)(**({} if "static_field" in name else option))
    body = {"__annotations__": {"x": float, "y": float}, "y": field}
    pair: Any = type("Pair", (resolve_name(bases[package]),), body)
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


TABLES: dict[str, tuple[Iterable[str], Callable[[str], str]]] = {
    "transforms.TRANSFORMS": (TRANSFORMS, transforms.differs),
    "jax_api.LIBRARY_ARRAY_FUNCTIONS": (jax_api.LIBRARY_ARRAY_FUNCTIONS, _computes_arrays),
    "libraries.KEY_FUNCTIONS": (libraries.KEY_FUNCTIONS, _consumes_a_key),
    "libraries.OPTIMIZERS": (libraries.OPTIMIZERS, _makes_an_optimizer),
    "libraries.LAYERS": (libraries.LAYERS, _is_a_layer),
    "libraries.SETS_UP": (libraries.SETS_UP, _sets_up),
    "libraries.BY_REFERENCE": (libraries.BY_REFERENCE, _goes_in_by_reference),
    "libraries.CHANGED_BY": (libraries.CHANGED_BY, _changes_a_copy),
    "libraries.MODULE_METHODS": (
        [".".join(method) for method in libraries.MODULE_METHODS],
        _calls_the_module,
    ),
    "libraries.INITIALIZER_MODULES": (libraries.INITIALIZER_MODULES, _has_initializers),
    "jax_api.KEY_ANNOTATIONS": (jax_api.KEY_ANNOTATIONS, _exists),
    "jax_api.ARRAY_ANNOTATIONS": (jax_api.ARRAY_ANNOTATIONS, _exists),
    "python_api.NEUTRAL_DECORATORS": (python_api.NEUTRAL_DECORATORS, _neutral),
    "python_api.NEUTRAL_DECORATOR_FACTORIES": (
        python_api.NEUTRAL_DECORATOR_FACTORIES,
        _neutral_when_called,
    ),
    "jax_api.PURE_UPDATES": (jax_api.PURE_UPDATES, _updates_nothing),
    "python_api.GIVES_BACK": (python_api.GIVES_BACK, _gives_back),
    "python_api.DATACLASS_BASES": (python_api.DATACLASS_BASES, _makes_dataclasses),
    "python_api.OUTPUT": (python_api.OUTPUT, _exists),
    "python_api.PYTREE_BASES": (python_api.PYTREE_BASES, _base_makes_pytrees),
    "python_api.PYTREE_DECORATORS": (python_api.PYTREE_DECORATORS, _decorator_makes_pytrees),
    "python_api.FIELD_FACTORIES": (
        python_api.FIELD_FACTORIES,
        _makes_static_fields,
    ),
}
"""Table -> its names, and what is asked of each that is of a library."""
