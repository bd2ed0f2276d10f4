"""What layers make of shapes, against the rows of ``jaxlint/knowledge/layers.py``."""

from __future__ import annotations

import inspect
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge import layers
from jaxlint.tracer.models.layers import given_by, make_layer, refuses, slid_over
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.avals import Aval, Shape
from jaxlint.tracer.values.containers import tuple_of
from jaxlint.tracer.values.value import Const, Value

KEY = jax.random.key(0)

GIVEN: dict[str, Any] = {
    **dict.fromkeys(("features", "out_features", "out_size", "embedding_size", "hidden_size"), 7),
    **dict.fromkeys(("out_channels", "output_size", "embed_dim", "output_channels"), 7),
    **dict.fromkeys(("in_features", "in_size", "in_channels", "input_size", "num_features"), 4),
    **dict.fromkeys(("query_size", "shape", "channels"), 4),
    **dict.fromkeys(("num_heads", "depth"), 1), **dict.fromkeys(("groups", "num_groups"), 2),
    **dict.fromkeys(("num_embeddings", "vocab_size"), 5), "width_size": 3, "kernel_shape": 3,
    **dict.fromkeys(("create_scale", "create_offset"), True), "decay_rate": 0.9,
    "output_sizes": (3, 7), "kernel_size": (3, 3), "param_axis": -1, "axis": -1,
}  # fmt: skip
"""What layers are made of: 7 features of 4."""

_OFF = {"use_running_average": True, "deterministic": True, "inference": True, "decode": False}
_MADE_OF: dict[str, dict[str, Any]] = {
    "flax.linen.GroupNorm": {"num_groups": 2}, "flax.nnx.GroupNorm": {"num_groups": 2},
    "equinox.nn.GroupNorm": {"channels": 4}, "flax.linen.Dropout": {"rate": 0.5},
    "flax.nnx.Dropout": {"rate": 0.5}, "haiku.Embed": {"vocab_size": 5, "embed_dim": 7},
    "equinox.nn.Embedding": {"num_embeddings": 5, "embedding_size": 7},
    **{f"equinox.nn.Conv{axes}d": {"kernel_size": 3} for axes in (1, 2, 3)},
}  # fmt: skip
_SHAPES: dict[str, list[tuple[int, ...]]] = {
    "kept": [(3, 4), (2, 3, 4)], "last": [(4,), (3, 4), (2, 3, 4)], "added": [(), (3,), (2, 3)],
    "only": [(4,)], "window": [(6, 6, 4), (2, 6, 6, 4)], "first": [(4, 6, 6)],
    "pooled": [(6, 6, 4), (2, 6, 6, 4)], "flat": [(3,), (3, 4), (2, 3, 4)],
}  # fmt: skip
"""What a layer is called with, by what becomes of it."""


def shapes(name: str) -> str:
    """What it is called with gives the shape that the row says."""
    row, parameters = layers.SHAPINGS[name], _parameters(name)
    for place, option in (row.features, row.window, row.takes):
        if place >= 0 and list(parameters)[place] != option:
            return f"has {list(parameters)[place]} at {place}"
    # The same key for each: only shapes are compared.
    differs = [_differs(name, shape, made) for made in _options(name) for shape in _tried(name)]
    if row.takes[1]:
        differs += [_takes(name, shape) for shape in _tried(name)]
    return ", ".join(filter(None, differs))


def _parameters(name: str) -> dict[str, inspect.Parameter]:
    layer = resolve_name(name)
    asked = layer.__init__ if name.startswith("flax.nnx.") else layer
    found = dict(inspect.signature(asked).parameters)
    found.pop("self", None)
    return found


def _options(name: str) -> list[dict[str, Any]]:
    """What a layer is made of, without features where it does without them."""
    row, parameters = layers.SHAPINGS[name], _parameters(name)
    asked = [each for each, what in parameters.items() if what.default is what.empty]
    given = {each: GIVEN[each] for each in asked if each in GIVEN} | _MADE_OF.get(name, {})
    given |= {each: value for each, value in _OFF.items() if each in parameters}
    if not row.optional:
        return [given]
    return [given, {**given, row.features[1]: 7}]


def _tried(name: str) -> list[tuple[int, ...]]:
    row = layers.SHAPINGS[name]
    if name in ("equinox.nn.Embedding", "equinox.nn.LayerNorm", "equinox.nn.RMSNorm"):
        return [() if "Embedding" in name else (4,)]
    if name.endswith(("Attention", "InstanceNorm")) or name == "equinox.nn.GroupNorm":
        own = {"equinox.nn.MultiheadAttention": (3, 4), "equinox.nn.GroupNorm": (4, 3)}
        return [own.get(name, (2, 3, 4))]
    if row.axes is not None:
        window = (6,) * row.axes
        last: list[tuple[int, ...]] = [(*window, 4), (2, *window, 4)]
        return [(4, *window)] if row.word == "first" else last
    return _SHAPES[row.word]


def _differs(name: str, shape: tuple[int, ...], made: dict[str, Any]) -> str:
    arguments = Arguments((), {each: _value(value) for each, value in made.items()})
    expected = given_by(make_layer(name, arguments).shaped, _called_with(shape)).shape
    x = jnp.ones(shape, int if "Embed" in name else float)
    return _compared(expected, _called(name, made, x), shape)


def _takes(name: str, shape: tuple[int, ...]) -> str:
    """It raises for other features, and for those alone, as the tracer says."""
    made = _options(name)[0]
    shaped = make_layer(name, Arguments((), {each: _value(it) for each, it in made.items()})).shaped
    assert shaped is not None
    other = tuple(5 if size == 4 else size for size in shape)
    if refuses(shaped, shape) or not refuses(shaped, other):
        return f"{shape} and {other} are not told apart"
    try:
        _called(name, made, jnp.ones(other))
    except (TypeError, ValueError):
        return ""
    return f"takes {other}"


def _compared(expected: Shape, found: tuple[int, ...], shape: tuple[int, ...]) -> str:
    pairs = zip(expected or (), found, strict=False)
    same = expected is not None and len(expected) == len(found)
    if same and all(one in (None, other) for one, other in pairs):
        return ""
    return f"{shape} gives {found}, not {expected}"


def _value(value: Any) -> Value:
    return tuple_of(map(_value, value)) if isinstance(value, tuple) else Const(value)


def _called_with(shape: tuple[int, ...]) -> Arguments:
    return Arguments((Array(False, Aval(shape)),))


def _called(name: str, made: dict[str, Any], x: Any) -> tuple[int, ...]:
    """The shape of what a layer of the library gives."""
    layer: Any = resolve_name(name)
    result: Any
    if name.startswith("flax.linen."):
        result = layer(**made).init_with_output(KEY, x)[0]
    elif name.startswith("flax.nnx."):
        from flax import nnx

        draws = {"rngs": nnx.Rngs(0)} if "rngs" in _parameters(name) else {}
        result = layer(**made, **draws)(x)
    elif name.startswith("equinox."):
        draws = {"key": KEY} if "key" in _parameters(name) else {}
        more = {"MultiheadAttention": (x, x), "GRUCell": (jnp.ones(7),)}
        result = layer(**made, **draws)(x, *more.get(name.rpartition(".")[2], ()))
    else:
        result = _in_haiku(layer, made, x)
    return tuple(result.shape)


def _in_haiku(layer: Any, made: dict[str, Any], x: Any) -> Any:
    import haiku

    trains = {"is_training": True} if layer is haiku.BatchNorm else {}
    pure = haiku.transform_with_state(lambda: layer(**made)(x, **trains))
    return pure.apply(*pure.init(KEY), KEY)[0]


def pools(name: str) -> str:
    """It gives the shape that the row says."""
    function, window = resolve_name(name), (2, 2)
    place, option = layers.POOLS[name].window
    if list(inspect.signature(function).parameters)[place] != option:
        return f"has no {option} at {place}"
    given = [_called_with(shape) for shape in _SHAPES["pooled"]]
    whole = [Arguments((*each.args, _value(window))) for each in given]
    pairs = zip(whole, _SHAPES["pooled"], strict=True)
    differs = [
        _compared(slid_over(name, each).shape, function(jnp.ones(shape), window).shape, shape)
        for each, shape in pairs
    ]
    return ", ".join(filter(None, differs))


def calls_each(name: str) -> str:
    """It calls one function after the other with what the last one gave."""
    cls: Any = resolve_name(name)

    def called(*more: Any, key: Any = None) -> Any:
        functions = [lambda x, **_: 2 * x, lambda x, **_: x + 1]
        if layers.CALLS_EACH[name] == "one":
            return cls(functions[0])(jnp.ones(2)) + 1
        made = cls(*functions) if layers.CALLS_EACH[name] == "all" else cls(functions)
        return made.apply({}, jnp.ones(2)) if "linen" in name else made(jnp.ones(2))

    if not name.startswith("haiku."):
        return "" if (called() == 3).all() else f"gives {called()}"
    pure = resolve_name("haiku.transform")(called)
    # The same key for all: nothing is drawn.
    return "" if (pure.apply(pure.init(KEY), KEY) == 3).all() else "gives something else"


def calls_between(name: str) -> str:
    """It calls the function that it is given, with each number where the row says so."""
    row, cls = layers.CALLS[name], resolve_name(name)
    place, keyword = row.given
    if list(inspect.signature(cls).parameters)[place] != keyword:
        return f"takes no {keyword} there"
    seen: list[int] = []

    def function(x: Any) -> Any:
        seen.append(jnp.ndim(x))
        return x

    if name.startswith("haiku."):
        pure = resolve_name("haiku.transform")(lambda x: cls((4, 3), activation=function)(x))
        pure.init(KEY, jnp.ones((5, 2)))
    else:
        cls(2, 3, 4, 1, function, key=KEY)(jnp.ones(2))
    return "" if seen and all((axes == 0) is bool(row.mapped) for axes in seen) else f"gives {seen}"


def same_function(name: str) -> str:
    """It is that function of JAX."""
    other = layers.SAME_FUNCTIONS[name]
    return "" if resolve_name(name) is resolve_name(other) else f"is not {other}"


def holds_parameters(name: str) -> str:
    """It raises where the collection of parameters is not given."""
    from flax.errors import ScopeCollectionNotFound

    layer = _made_plainly(name)
    x = jnp.ones((2, 4, 4), int if name.endswith("Embed") else float)
    own = set(layer.init(KEY, x))
    try:
        layer.apply({}, x)
    except ScopeCollectionNotFound:
        return "" if own == {layers.PARAMETERS_IN} else f"has {own}"
    return "runs"


def raises_unbound(name: str) -> str:
    """It is not called where nothing has bound it."""
    from flax.errors import CallCompactUnboundModuleError

    made = resolve_name(name)([]) if name.endswith("Sequential") else _made_plainly(name)
    try:
        made(jnp.ones((2, 4, 4)))
    except CallCompactUnboundModuleError:
        return ""
    return "runs"


def _made_plainly(name: str) -> Any:
    asked = {each for each, what in _parameters(name).items() if what.default is what.empty}
    given = {each: GIVEN[each] for each in asked if each in GIVEN} | _MADE_OF.get(name, {})
    return resolve_name(name)(**given)
