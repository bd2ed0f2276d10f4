"""Layers of linen, and what they ask of the ``apply`` around them."""

from __future__ import annotations

from jaxlint.events import StaticArgument
from jaxlint.knowledge.libraries import ASKS, Asks
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.conversions import refuses_value
from jaxlint.tracer.state.arguments import Arguments, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Asking, External, Scope
from jaxlint.tracer.values.value import FALSE, NONE, Const, Value


def make_layer(name: str, arguments: Arguments) -> External:
    """A layer of a library, made of these arguments."""
    row = ASKS.get(name)
    if row is None or not arguments.closed:
        return External(name)
    stream = arguments.kwargs.get(row.renames, Const(row.stream)) if row.renames else None
    named = stream if stream is not None else Const(row.stream)
    draws = isinstance(named, Const) and _draws(row, arguments)
    asks = Asking(
        row,
        str(named.value) if isinstance(named, Const) and draws else "",
        _told(arguments.get(*row.off)),
    )
    return External(name, asks=asks)


def _told(off: Value | None) -> Value | None:
    return None if off is NONE else off


def _draws(row: Asks, arguments: Arguments) -> bool:
    """Whether a layer draws for certain, where it is not switched off."""
    if not row.stream:
        return False
    rate = arguments.get(*row.rate) or Const(row.least)
    value = rate.value if isinstance(rate, Const) else None
    return isinstance(value, (int, float)) and 0.0 < value < 1.0


def call_layer(tracer: Tracer, layer: External, arguments: Arguments, node: n.Node) -> None:
    """Ask for what a layer needs when it is called."""
    asks = layer.asks
    if asks is None:
        return
    row = asks.row
    given = _told(arguments.get(row.called_off, row.off[1]))
    off = given if given is not None else asks.off
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
    if asks.stream and arguments.get(-1, row.own_key) is None:
        tracer.analyses.on_ask_scope("rngs", asks.stream, layer.type, node)


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


def _keys(value: Value | None) -> frozenset[str] | None:
    """The keys of a dictionary in view; None when there may be others."""
    if not isinstance(value, Mapping) or value.entries.rest is not None:
        return None
    return frozenset(str(key) for key in value.entries.known)


def _collections(mutable: Value) -> frozenset[str] | None:
    if isinstance(mutable, Const):
        if isinstance(mutable.value, str):
            return frozenset({mutable.value})
        return frozenset() if not mutable.value else None
    items = mutable.items if isinstance(mutable, Sequence) else None
    if items is None or not all(isinstance(item, Const) for item in items):
        return None
    return frozenset(str(item.value) for item in items if isinstance(item, Const))
