"""Functions and methods that use up a PRNG key, in JAX and out of it."""

from __future__ import annotations

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import (
    DRAWS_IN_TRAINING,
    KEY_METHODS,
    NOT_TRAINING,
    KeyUse,
)
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping, Sequence, mapping
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import Const, Unknown, Value, replace


def use_key(tracer: Tracer, name: str, use: KeyUse, arguments: Arguments, node: n.Node) -> None:
    """A function uses up the key that it is given, if it is given one."""
    found = _given(use, arguments, node)
    if found is not None:
        value, where = found
        if isinstance(value, Unknown) and name.startswith(jax_api.RANDOM):
            value = _proved(tracer, value, where)
        for key in dict.fromkeys(keys_in(value)):
            tracer.consume(key, node, where, name, isinstance(value, Array))


def use_by_method(tracer: Tracer, arguments: Arguments, node: n.Node, method: str = "") -> None:
    """A method out of view does, going by its name: ``method``, or what is written."""
    function = node.function if isinstance(node, n.Call) else None
    if not method and isinstance(function, n.Attribute):
        method = function.attr
    use = KEY_METHODS.get(method)
    if use is not None and isinstance(node, n.Call):
        if use.shapes:
            tracer.analyses.on_shapes_alone(arguments.all())
        part = arguments.kwargs.get("method")
        # Another part of the module folds another place into the key.
        named = f"({part.value!r})" if isinstance(part, Const) else ""
        use_key(tracer, f".{method}{named}", use, _drawn_from(use, arguments), node)


def _drawn_from(use: KeyUse, arguments: Arguments) -> Arguments:
    """The arguments without the keys of streams that are idle while nothing is trained.

    Nobody gets what is drawn from them while a module is set up.
    """
    given = arguments.kwargs.items()
    trains = not any(isinstance(v, Const) and v.value is NOT_TRAINING.get(k) for k, v in given)
    if trains and not use.shapes:
        return arguments
    args = [_without_idle(v) if i == use.position else v for i, v in enumerate(arguments.args)]
    kwargs = {k: _without_idle(v) if k in use.keywords else v for k, v in given}
    return replace(arguments, args=tuple(args), kwargs=kwargs)


def _without_idle(value: Value) -> Value:
    if not isinstance(value, Mapping):
        return value
    known = {k: v for k, v in value.entries.known.items() if k not in DRAWS_IN_TRAINING}
    return mapping(known, value.entries.rest)


def _proved(tracer: Tracer, value: Unknown, where: n.Node) -> Value:
    """What a sampler takes is a PRNG key: from here on its variable holds a certain one."""
    names = tracer.stack.frame.names
    if not isinstance(where, n.Name) or names.get(where.id) is not value:
        return value
    aval, symbol = Aval(None, "key"), value.symbol
    key = Array(None, aval, assumed=True, prng=tracer.keys.new(), symbol=symbol)
    tracer.trail.set(names, where.id, key)
    return key


def _given(use: KeyUse, arguments: Arguments, node: n.Node) -> tuple[Value, n.Node] | None:
    for keyword in use.keywords:
        if keyword in arguments.kwargs:
            return arguments.kwargs[keyword], keyword_node(node, keyword)
    if use.position is not None and use.position < len(arguments.args):
        nodes = argument_nodes(node)
        where = nodes[use.position] if use.position < len(nodes) else node
        return arguments.args[use.position], where
    return None


def view_of_keys(
    tracer: Tracer, value: Value, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """What a function gives that may only put keys into another shape: the same keys."""
    first = arguments.args[0] if arguments.args else None
    copied = _copied_key(name, first, node)
    if isinstance(value, Array) and copied is not None:
        return replace(value, aval=_of_keys(value.aval), prng=tracer.keys.copies(copied))
    if isinstance(value, Array) and isinstance(first, Sequence) and name in jax_api.KEY_STACKS:
        keys = _all_keys(first)
        if not keys:
            return value
        same = all(key.constant == keys[0].constant for key in keys)
        prng = tracer.keys.stacked(keys, keys[0].constant if same else None)
        return replace(value, aval=_of_keys(value.aval), prng=prng)
    if isinstance(value, Array) and isinstance(first, Array) and first.prng is not None:
        function, aval = name.rpartition(".")[2], _of_keys(value.aval)
        if function in jax_api.KEY_RESHAPES and aval.shape is None:
            return replace(value, aval=aval, prng=first.prng.reshaped())
        if function in jax_api.KEY_VIEWS | jax_api.KEY_RESHAPES:
            return replace(value, aval=aval, prng=first.prng)
    return value


def _copied_key(name: str, first: Value | None, node: n.Node) -> Key | None:
    """The key of which a call makes an array of copies: ``jnp.stack([key] * n)``."""
    found = list(dict.fromkeys(keys_in(first))) if first is not None else []
    written = next(iter(argument_nodes(node)), None)
    if len(found) != 1 or found[0].count is not None or written is None:
        return None
    if name in jax_api.KEY_STACKS:
        copies = isinstance(written, n.BinaryOperation) and _is_of_one(written.left)
    elif name in jax_api.KEY_REPEATS:
        copies = isinstance(written, n.Subscript) and _adds_axis(written.index)
    else:
        alone = isinstance(first, Array) and not first.aval.shape
        copies = alone and name in jax_api.KEY_BROADCASTS
    return found[0] if copies else None


def _is_of_one(node: n.Node) -> bool:
    """Whether a list or tuple is written out, with one element."""
    return isinstance(node, n.Display) and len(node.elements) == 1


def _adds_axis(index: n.Node) -> bool:
    """Whether the first part of an index is None."""
    first = index.elements[0] if isinstance(index, n.Display) and index.elements else index
    return isinstance(first, n.Constant) and first.value is None


def _all_keys(several: Sequence) -> tuple[Key, ...]:
    """The keys of which a list consists, each of them known; empty for any other list."""
    found = [item.prng if isinstance(item, Array) else None for item in several.items or ()]
    keys = tuple(key for key in found if key is not None)
    return keys if len(keys) == len(found) else ()


def _of_keys(aval: Aval) -> Aval:
    """The shape of an array of keys, unless its last axis may be the two words of raw ones."""
    last = aval.shape[-1:] if aval.shape is not None else ()
    return replace(aval, shape=None) if last in ((2,), (None,)) else aval
