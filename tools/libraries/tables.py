"""What the other tables say of libraries, row by row."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge import jax_api, libraries, python_api
from jaxlint.knowledge import layers as layer_rows
from jaxlint.knowledge.transforms import TRANSFORMS
from tools.libraries import layers, scopes, transforms

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
        "MultiHeadAttention": (1, 8),
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


def _refuses_outer(name: str) -> str:
    """It raises where it is given an object of nnx that the trace around it is not given."""
    from flax import errors, nnx

    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    options = {"in_axes": (None, 0)} if name.endswith("vmap") else {}
    apply = resolve_name(name)(lambda model, x: model(x).sum(), **options)
    apply(model, jnp.ones((1, 2)))
    try:
        jax.jit(lambda x: apply(model, x))(jnp.ones((1, 2)))
    except (ValueError, errors.TraceContextError):
        return ""
    return "takes it"


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


def _updates_nothing(name: str) -> str:
    """It gives new parameters, and leaves those that it is given."""
    if name == f"{libraries.OPTIMIZER}.update":
        return _updates_no_state()
    if name.endswith("inference_mode"):
        return _switches_a_copy(name)
    given, larger = {"w": jnp.ones(2)}, jnp.full(2, 3.0)
    if name in jax_api.COPIES:
        new = resolve_name(name)(lambda tree: tree["w"], given, larger)
    else:
        more = (0.5,) if name.endswith("incremental_update") else ()
        new = resolve_name(name)(given, {"w": larger}, *more)
    kept = (given["w"] == 1.0).all() and (new["w"] > 1.0).all()
    return "" if kept else f"gives {new} of {given}"


def _switches_a_copy(name: str) -> str:
    """It gives a module that drops nothing, and leaves the one that it is given."""
    import equinox

    given = equinox.nn.Dropout(0.5)
    new = resolve_name(name)(given)
    return "" if new.inference and not given.inference else f"gives {new} of {given}"


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


def _changes_its_first(name: str) -> str:
    """The model that it is given first has other numbers afterwards, under ``nnx.jit`` too."""
    import optax
    from flax import nnx

    optimizer = nnx.Optimizer(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), optax.sgd(0.1), wrt=nnx.Param)
    other = nnx.state(nnx.Linear(2, 2, rngs=nnx.Rngs(1)), nnx.Param)
    function = resolve_name(name)
    first = (optimizer,) if name == f"{libraries.NNX_OPTIMIZER}.update" else ()

    def change(first: Any, model: Any) -> None:
        function(*first, model, other)

    for call in (change, nnx.jit(change)):
        model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        before = model.kernel[...]
        call(first, model)
        if (model.kernel[...] == before).all():
            return f"leaves the model as it was in {call}"
    return ""


def _is_copied(name: str) -> str:
    """What a function stores in it: lost under ``jax.jit``, refused from outside of the trace."""
    from flax import nnx

    def store(variable: Any) -> None:
        variable[...] = jnp.ones(())

    found = []
    for compiled in (jax.jit(store), nnx.jit(store)):
        variable = resolve_name(name)(jnp.zeros(()))
        compiled(variable)
        found.append(float(variable[...]))
    if found != [0.0, 1.0]:
        return f"holds {found} after jax.jit, nnx.jit"
    return _refused_outside(lambda: store(variable))


def _refused_outside(change: Callable[[], object]) -> str:
    """nnx raises where a trace changes what it closes over."""
    from flax.errors import TraceContextError

    def traced(x: Any) -> Any:
        change()
        return x

    for transformed in (jax.jit(traced), jax.grad(traced), jax.checkpoint(traced)):
        try:
            transformed(1.0)
        except TraceContextError:
            continue
        return "may be changed from inside of another trace"
    return ""


def _changes_when_called(name: str) -> str:
    """A call changes it, unless it is switched off."""
    from flax import nnx

    row = libraries.CHANGED_BY_CALLS[name]

    def made(rate: float = 0.5, **options: Any) -> Any:
        first = rate if row.rate else 2
        return resolve_name(name)(first, rngs=nnx.Rngs(0), **options)

    off = {row.off: True}
    evaluated = made()
    evaluated.eval()
    cases = [(made(), {}), (made(), off), (made(**off), {}), (evaluated, {})]
    if row.rate:
        cases += [(made(rate), {}) for rate in (0.0, 1.0)]
    found = [_is_changed(layer, jnp.ones((2, 2)), **options) for layer, options in cases]
    if found != [True, *[False] * (len(cases) - 1)]:
        return f"is changed by calls: {found}"
    layer = made()
    return _refused_outside(lambda: layer(jnp.ones((2, 2))))


def _is_changed(called: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether a call changes what nnx keeps in an object."""
    from flax import nnx

    before = jax.tree.map(jnp.array, nnx.state(called))
    called(*args, **kwargs)
    pairs = zip(jax.tree.leaves(before), jax.tree.leaves(nnx.state(called)), strict=True)
    return not all(bool((one == other).all()) for one, other in pairs)


def _counts_calls(name: str) -> str:
    """A call draws a key and counts it."""
    from flax import nnx

    streams = nnx.Rngs(0)
    drawn: Any = streams if isinstance(streams, resolve_name(name)) else streams.params
    if not isinstance(drawn, resolve_name(name)):
        return f"is no {type(drawn).__name__}"
    if not _is_changed(drawn):
        return "stays as it was"
    return _refused_outside(drawn)


def _has_streams(name: str) -> str:
    stream = resolve_name(name)(0).params
    lacking = [each for each in libraries.STREAM_METHODS if not hasattr(resolve_name(name), each)]
    if lacking:
        return f"has no {', '.join(sorted(lacking))}"
    return "" if type(stream) is resolve_name(libraries.STREAM_OF[name]) else f"has a {stream}"


def _sets_the_mode(name: str) -> str:
    """After it calls of the layers inside change them, or they do not."""
    from flax import nnx

    base, _, method = name.rpartition(".")
    body = {"__call__": lambda self, x: self.norm(x)}
    module = type("Model", (resolve_name(base),), body)()
    module.norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))
    changes = libraries.MODES[base, method]
    if changes is None:
        return "" if hasattr(module, method) else "is not there"
    (module.eval if changes else module.train)()
    getattr(module, method)()
    return "" if _is_changed(module, jnp.ones((2, 2))) is changes else "leaves it as it was"


def _gives_back(name: str) -> str:
    """It returns the argument that the row names."""
    arguments = [object() for _ in range(1 if name.endswith("reveal_type") else 2)]
    given = resolve_name(name)(*arguments)
    return "" if given is arguments[python_api.GIVES_BACK[name]] else f"gives {given}"


def _makes_dataclasses(name: str) -> str:
    made = type("Module", (resolve_name(name),), {"__annotations__": {"x": float}})
    return "" if made(x=2.0).x == 2.0 else "is no dataclass"


def _makes_an_optimizer(name: str) -> str:
    """It gives an optimizer."""
    import optax

    made = _optimizer(name)
    return "" if isinstance(made, optax.GradientTransformation) else f"gives {made}"


def _optimizer(name: str, **more: Any) -> Any:
    """An optimizer or a link of a chain, made of what it asks for."""
    import optax

    make, inner = resolve_name(name), optax.sgd(0.1)
    given: dict[str, Any] = {
        "learning_rate": 0.1, "fast_optimizer": inner, "sync_period": 2, "slow_step_size": 0.5,
        "clipping": 0.1, "weight_decay": 0.1, "eta": 0.1, "gamma": 0.5, "seed": 0, "key": 0,
        "max_delta": 1.0, "threshold": 1.0, "max_norm": 1.0, "decay": 0.9, "step_size": 0.1,
        "step_size_fn": lambda count: 0.1 / (1 + count),
    }  # fmt: skip
    asked = inspect.signature(make).parameters.values()
    own = [each.name for each in asked if each.default is each.empty]
    links = (inner, inner) if own == ["args"] else ()
    return make(*links, **{each: given[each] for each in own if each in given}, **more)


def _updated(optimizer: Any, *more: Any) -> tuple[Any, Any]:
    """The state of an optimizer before and after an update, with such parameters."""
    state = optimizer.init(jnp.ones(2))
    return state, optimizer.update(jnp.ones(2), state, *more)[1]


def _needs_parameters(name: str) -> str:
    """Its update raises without the parameters."""
    try:
        _updated(_optimizer(name))
    except (TypeError, ValueError):
        _updated(_optimizer(name), jnp.ones(2))
        return ""
    return "does without the parameters"


def _keeps_state(name: str, **more: Any) -> str:
    """Its update changes the state."""
    states = _updated(_optimizer(name, **more), jnp.ones(2))
    pairs = zip(*map(jax.tree.leaves, states), strict=True)
    changed = any(bool((one != other).any()) for one, other in pairs)
    return "" if changed else "has a state that stays as it was"


def _keeps_state_with(name: str) -> str:
    """Its update changes the state with the argument of the row, at its place, alone."""
    position, option = libraries.KEEPS_STATE_WITH[name]
    if list(inspect.signature(resolve_name(name)).parameters)[position] != option:
        return f"has no {option} at {position}"
    if not _keeps_state(name):
        return f"changes its state without {option}"
    return _keeps_state(name, **{option: 0.9})


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


def _warns_of_static_arrays(name: str) -> str:
    """It warns of an array in a static field, at any depth, and of nothing else there."""
    field = resolve_name(f"{name.split('.')[0]}.field")(static=True)
    cls: Any = type("Pair", (resolve_name(name),), {"__annotations__": {"x": Any}, "x": field})
    given = {"JAX": jnp.ones(2), "NumPy": np.ones(2), "a list": [jnp.ones(2)], "a number": 1.0}
    warned = []
    for what, value in given.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cls(value)
        warned += [what] if any(each.category is UserWarning for each in caught) else []
    return "" if warned == ["JAX", "NumPy", "a list"] else f"warns of {warned}"


def _annotates_static_fields(name: str) -> str:
    """A field that it annotates is no leaf."""
    register = resolve_name(f"{name.split('.')[0]}.pytree_dataclass")
    body = {"__annotations__": {"x": float, "y": resolve_name(name)[float]}}
    pair: Any = register(type("Pair", (), body))
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


def _flattens_methods(name: str) -> str:
    """A bound method has the leaves of its module."""
    body = {"__annotations__": {"x": float}, "get": lambda self: self.x}
    module: Any = type("Module", (resolve_name(name),), body)
    leaves = jax.tree.leaves(module(x=1.0).get)
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


TABLES: dict[str, tuple[Iterable[str], Callable[[str], str]]] = {
    "transforms.TRANSFORMS": (TRANSFORMS, transforms.differs),
    "jax_api.LIBRARY_ARRAY_FUNCTIONS": (jax_api.LIBRARY_ARRAY_FUNCTIONS, _computes_arrays),
    "libraries.KEY_FUNCTIONS": (libraries.KEY_FUNCTIONS, _consumes_a_key),
    "libraries.DRAWS_FROM": (libraries.DRAWS_FROM, _draws_from),
    "libraries.REFUSES_OUTER": (libraries.REFUSES_OUTER, _refuses_outer),
    "libraries.OPTIMIZERS": (libraries.OPTIMIZERS, _makes_an_optimizer),
    "libraries.NEEDS_PARAMETERS": (libraries.NEEDS_PARAMETERS, _needs_parameters),
    "libraries.KEEPS_STATE": (libraries.KEEPS_STATE, _keeps_state),
    "libraries.KEEPS_STATE_WITH": (libraries.KEEPS_STATE_WITH, _keeps_state_with),
    "libraries.LAYERS": (libraries.LAYERS, _is_a_layer),
    "layers.SHAPINGS": (layer_rows.SHAPINGS, layers.shapes),
    "layers.POOLS": (layer_rows.POOLS, layers.pools),
    "layers.CALLS_EACH": (layer_rows.CALLS_EACH, layers.calls_each),
    "layers.SAME_FUNCTIONS": (layer_rows.SAME_FUNCTIONS, layers.same_function),
    "libraries.SETS_UP": (libraries.SETS_UP, _sets_up),
    "libraries.ASKS": (libraries.ASKS, scopes.asks),
    "libraries.ASKED_BY_METHODS": (
        [".".join(method) for method in libraries.ASKED_BY_METHODS],
        scopes.asks_by_name,
    ),
    "libraries.ARRAY_FILTERS": (libraries.ARRAY_FILTERS, _passes_arrays),
    "libraries.GIVES_BOTH_PARTS": (libraries.GIVES_BOTH_PARTS, _parts_trees),
    "libraries.PUTS_TOGETHER": (libraries.PUTS_TOGETHER, _puts_together),
    "libraries.BY_REFERENCE": (libraries.BY_REFERENCE, _goes_in_by_reference),
    "libraries.CHANGED_BY": (libraries.CHANGED_BY, _changes_a_copy),
    "libraries.CHANGES_FIRST": (libraries.CHANGES_FIRST, _changes_its_first),
    "libraries.VARIABLES": (libraries.VARIABLES, _is_copied),
    "libraries.CHANGED_BY_CALLS": (libraries.CHANGED_BY_CALLS, _changes_when_called),
    "libraries.STREAMS": (libraries.STREAMS, _counts_calls),
    "libraries.STREAM_OF": (libraries.STREAM_OF, _has_streams),
    "libraries.MODES": ([".".join(method) for method in libraries.MODES], _sets_the_mode),
    "libraries.MODULE_METHODS": (
        [".".join(method) for method in libraries.MODULE_METHODS],
        _calls_the_module,
    ),
    "libraries.PARAMETERS": (
        [".".join(method) for method in libraries.PARAMETERS],
        _asks_for_shapes,
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
    "python_api.STATIC_ANNOTATIONS": (python_api.STATIC_ANNOTATIONS, _annotates_static_fields),
    "libraries.WARNS_OF_STATIC_ARRAYS": (
        libraries.WARNS_OF_STATIC_ARRAYS,
        _warns_of_static_arrays,
    ),
    "libraries.METHODS_ARE_PYTREES": (libraries.METHODS_ARE_PYTREES, _flattens_methods),
}
"""Table -> its names, and what is asked of each that is of a library."""
