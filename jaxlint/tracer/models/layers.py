"""Layers of libraries: what they give, and what they ask of the ``apply`` around them."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import RefusedArgument, StaticArgument
from jaxlint.knowledge.layers import (
    CALLS,
    CALLS_EACH,
    HOLD_PARAMETERS,
    KEPT,
    PARAMETERS_IN,
    POOLS,
    SHAPINGS,
    Shaping,
)
from jaxlint.knowledge.libraries import ASKS, LEAVES, Asks, KeyUse
from jaxlint.knowledge.masking import KEYED, OTHER_SWITCHES
from jaxlint.knowledge.probabilities import is_distribution
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.models.keys import use_key
from jaxlint.tracer.models.shapes import dimension
from jaxlint.tracer.operations.conversions import refuses_value
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.forgetting import forget
from jaxlint.tracer.state.arguments import Arguments, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import wrap
from jaxlint.tracer.transforms.kept_parameters import kept_in
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.avals import Aval, Dim, Shape
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import Asking, External, Scope, Shaped
from jaxlint.tracer.values.sizes import differ, multiplied
from jaxlint.tracer.values.value import FALSE, NONE, UNKNOWN, Const, Unknown, Value, replace


def make_layer(name: str, arguments: Arguments) -> External:
    """A layer of a library, made of these arguments."""
    asks, shaped = _asking(name, arguments), _shaped(name, arguments)
    given = tuple(parameters_in(arguments.all())) if is_distribution(name) else ()
    function = arguments.get(*CALLS[name].given) if name in CALLS else None
    own = (function,) if function is not None and function_like(function) else ()
    leaves = _leaves(name, arguments)
    return External(name, asks=asks, shaped=shaped, leaves=leaves, given=given, functions=own)


def parameters_in(values: list[Value]) -> list[Value]:
    """Values, and in place of each distribution among them what it is made of."""
    found: list[Value] = []
    for value in values:
        found += value.given or [value] if isinstance(value, External) else [value]
    return found


def _leaves(name: str, arguments: Arguments) -> tuple[str, ...]:
    row = LEAVES.get(name)
    if row is None or not arguments.closed or arguments.get(*row.unless) is not None:
        return ()
    return row.types


def make_chain(name: str, arguments: Arguments) -> External:
    """What calls functions one after the other."""
    return External(name, each=_in_turn(name, arguments) if arguments.closed else None)


def _in_turn(name: str, arguments: Arguments) -> tuple[Value, ...] | None:
    """What an object calls, one after the other; None when that is not in view."""
    if CALLS_EACH[name] == "all":
        return arguments.args
    if CALLS_EACH[name] == "one":
        return arguments.args[:1]
    layers = arguments.get(0, "layers")
    return layers.items if isinstance(layers, Sequence) else None


def _asking(name: str, arguments: Arguments) -> Asking | None:
    row = ASKS.get(name) or KEYED.get(name)
    if row is None or not arguments.closed:
        return None
    stream = arguments.kwargs.get(row.renames, Const(row.stream)) if row.renames else None
    named = stream if stream is not None else Const(row.stream)
    draws = isinstance(named, Const) and _draws(row, arguments)
    return Asking(
        row,
        str(named.value) if isinstance(named, Const) and draws else "",
        _told(arguments.get(*row.off)),
    )


def _shaped(name: str, arguments: Arguments) -> Shaped | None:
    row = SHAPINGS.get(name)
    if row is None or not arguments.closed or row.unless & arguments.kwargs.keys():
        return None
    features = _told(arguments.get(*row.features))
    if features is None:
        return Shaped(replace(row, word="kept") if row.optional else row, (None,))
    if isinstance(features, Sequence) and features.items:
        features = features.items[-1]
    none = isinstance(features, Const) and features.value == _SCALAR
    window, taken = _window(row, arguments), arguments.get(*row.takes)
    takes = dimension(taken) if taken is not None else None
    return Shaped(row, () if none else (dimension(features),), window, takes)


_SCALAR = "scalar"


def _window(row: Shaping, arguments: Arguments) -> int | None:
    """How many axes the window of a layer has."""
    window = arguments.get(*row.window)
    items = window.items if isinstance(window, Sequence) else None
    return row.axes if items is None else len(items)


KEEPS = Shaped(KEPT)
"""Of a layer that keeps the shape."""


def given_by(shaped: Shaped | None, arguments: Arguments) -> Aval:
    """What is known of the array that a layer gives for these arguments."""
    first = arguments.get(0)
    if shaped is None or not arguments.closed:
        return Aval()
    return Aval(_shape(shaped, first.aval.shape if isinstance(first, _ARRAYS) else None))


def _shape(shaped: Shaped, given: Shape) -> Shape:
    word, features = shaped.row.word, shaped.features
    if word == "only":
        return features
    if given is None or not (given or word == "added"):
        return None
    if word == "added":
        return given + features
    return _SHAPES[word](given, features, shaped.window)


_SHAPES: dict[str, Callable[[tuple[Dim, ...], tuple[Dim, ...], int | None], Shape]] = {
    "kept": lambda given, features, window: given,
    "last": lambda given, features, window: given[:-1] + features,
    "window": lambda given, features, window: _slid(given[:-1], window) + features,
    "first": lambda given, features, window: features + _slid(given[1:], window),
    "pooled": lambda given, features, window: _slid(given[:-1], window) + given[-1:],
    "flat": lambda given, features, window: (*given[:1], multiplied(given[1:]))[: len(given)],
}


def _slid(sizes: tuple[Dim, ...], window: int | None) -> tuple[Dim, ...]:
    """Sizes over the last of which a window slides: it leaves others."""
    moved = len(sizes) if window is None else min(window, len(sizes))
    return sizes[: len(sizes) - moved] + (None,) * moved


_ARRAYS = (Array, NumpyArray)


def _told(off: Value | None) -> Value | None:
    return None if off is NONE else off


def _draws(row: Asks, arguments: Arguments) -> bool:
    """Whether a layer draws for certain, where it is not switched off."""
    if not row.stream:
        return False
    rate = arguments.get(*row.rate) or Const(row.least)
    value = rate.value if isinstance(rate, Const) else None
    return isinstance(value, (int, float)) and 0.0 < value < 1.0


def call_layer(tracer: Tracer, layer: External, arguments: Arguments, node: n.Node) -> Value:
    """Call a layer, which asks for what it needs: it gives an array."""
    _ask(tracer, layer, arguments, node)
    first = arguments.get(0)
    if layer.shaped is not None and isinstance(first, _ARRAYS):
        if refuses(layer.shaped, first.aval.shape):
            note_mismatch(tracer, (first,), node)
    for function in layer.functions:
        _call_between(tracer, layer, function, arguments, node)
    operands = [*arguments.all(), *kept_in(tracer, layer)]
    return tracer.array(operands, node, layer.type, given_by(layer.shaped, arguments))


def taken_out(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The arrays in a module: tracers, where a function is given the module to trace."""
    forget(tracer, arguments.all(), name)
    one_kind = arguments.closed and len(arguments.args) <= 2
    module = arguments.args[0] if arguments.args and one_kind else UNKNOWN
    found = next(kept_in(tracer, module), None)
    if found is None:
        return tracer.unseen(*arguments.all())
    return Tree(found.reason, found.concreteness, container=True, perturbed=found.perturbed)


def _call_between(
    tracer: Tracer, layer: External, function: Value, arguments: Arguments, node: n.Node
) -> None:
    """A layer calls a function of the program with what is between others."""
    mapped = CALLS[layer.type].mapped
    if mapped:
        function = wrap(tracer, mapped, TRANSFORMS[mapped], Arguments((function,)), node)
    hidden = tracer.array(arguments.all(), node, layer.type, Aval((None,) if mapped else None))
    tracer.call(function, Arguments((hidden,)), node)


def refuses(shaped: Shaped, given: Shape) -> bool:
    """Whether a layer raises for an array of this shape, which has other features."""
    if shaped.takes is None or not given:
        return False
    word, axes = shaped.row.word, shaped.row.axes
    if word == "first":
        return axes is not None and (len(given) != axes + 1 or differ(given[0], shaped.takes))
    # A matrix multiplies what an array of equinox has before its last axis, if it has more.
    place = -2 if word == "only" and len(given) > 1 else -1
    return differ(given[place], shaped.takes)


def call_pool(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Call a function that slides a window over an array."""
    return tracer.array(arguments.all(), node, name, slid_over(name, arguments))


def slid_over(name: str, arguments: Arguments) -> Aval:
    """What is known of the array that such a function gives for these arguments."""
    row = POOLS[name]
    return given_by(Shaped(row, window=_window(row, arguments)), arguments)


def call_chain(tracer: Tracer, chain: External, arguments: Arguments, node: n.Node) -> Value:
    """Call functions one after the other, each but the first with the array that the last gave.

    Some libraries take apart what is no array, others pass it on.
    """
    assert chain.each
    *others, last = chain.each
    for function in others:
        found = _call_link(tracer, function, arguments, node)
        if isinstance(found, (Sequence, Mapping)):
            return UNKNOWN
        arguments = Arguments((found,))
    return _call_link(tracer, last, arguments, node)


def _call_link(tracer: Tracer, function: Value, arguments: Arguments, node: n.Node) -> Value:
    """Call one of several; what each is given of the key of the whole is out of view."""
    if not isinstance(function, External) or function.type not in KEYED:
        return tracer.call(function, arguments, node)
    return tracer.array(arguments.all(), node, function.type, given_by(KEEPS, arguments))


def _ask(tracer: Tracer, layer: External, arguments: Arguments, node: n.Node) -> None:
    if layer.type in HOLD_PARAMETERS:
        tracer.analyses.on_layer(layer, node)
        tracer.analyses.on_ask_scope("variables", PARAMETERS_IN, layer.type, node)
    asks = layer.asks
    if asks is None:
        return
    row = asks.row
    given = _told(arguments.get(row.called_off, row.off[1]))
    off = given if given is not None else asks.off
    if off is None and layer.type in KEYED:
        off = FALSE
    if off is not None and refuses_value(off) and (asks.stream or row.collection):
        where = _written(row.off[1], node)
        context = tracer.context(node, where, off)
        tracer.emit(StaticArgument(context, layer.type, row.off[1]))
    if row.collection:
        tracer.analyses.on_ask_scope("variables", row.collection, layer.type, node)
    if not isinstance(off, Const) or off.value:
        return
    if row.collection:
        tracer.analyses.on_ask_scope("mutable", row.collection, layer.type, node)
    if layer.type in KEYED:
        _ask_key(tracer, layer, asks, arguments, node)
    elif asks.stream and arguments.get(-1, row.own_key) is None:
        tracer.analyses.on_ask_scope("rngs", asks.stream, layer.type, node)


def _ask_key(
    tracer: Tracer, layer: External, asks: Asking, arguments: Arguments, node: n.Node
) -> None:
    """A layer that draws from the key that its call passes uses it up; it raises without."""
    if not asks.stream or not arguments.closed or arguments.kwargs.keys() & OTHER_SWITCHES:
        return
    if _told(arguments.kwargs.get(asks.row.own_key)) is None:
        tracer.emit(RefusedArgument(tracer.context(node), layer.type, asks.row.own_key))
    else:
        use_key(tracer, layer.type, KeyUse(None, (asks.row.own_key,)), arguments, node)


def _written(keyword: str, node: n.Node) -> n.Node:
    """Where an argument of a layer stands: in the call, or in that of its class."""
    found = keyword_node(node, keyword)
    if found is node and isinstance(node, n.Call):
        made = keyword_node(node.function, keyword)
        return made if made is not node.function else node
    return found


def scope_of(arguments: Arguments) -> Scope:
    """What ``apply`` runs a module with."""
    if arguments.open_kwargs is not None:
        return Scope()
    return Scope(
        _streams(arguments.kwargs.get("rngs", NONE)),
        _collections(arguments.kwargs.get("mutable", FALSE)),
        _keys(arguments.get(0, "variables")),
    )


def _streams(rngs: Value) -> frozenset[str] | None:
    return frozenset() if rngs is NONE else _keys(rngs)


VARIABLES = "variables"
"""Begins the symbol of all variables of a module, which its ``init`` gives."""


def _keys(value: Value | None) -> frozenset[str] | None:
    """The keys of a dictionary in view; None when there may be others.

    One collection of variables holds layers, and no collections.
    """
    if isinstance(value, (Unknown, Tree)) and _is_collection(value.symbol):
        return frozenset()
    if not isinstance(value, Mapping) or value.entries.rest is not None:
        return None
    return frozenset(str(key) for key in value.entries.known)


def _is_collection(symbol: object) -> bool:
    """Whether a value is ``variables["params"]``."""
    match symbol:
        case ("item", (name, _), _):
            return bool(name == VARIABLES)
    return False


def _collections(mutable: Value) -> frozenset[str] | None:
    if isinstance(mutable, Const):
        if isinstance(mutable.value, str):
            return frozenset({mutable.value})
        return frozenset() if not mutable.value else None
    items = mutable.items if isinstance(mutable, Sequence) else None
    if items is None or not all(isinstance(item, Const) for item in items):
        return None
    return frozenset(str(item.value) for item in items if isinstance(item, Const))
