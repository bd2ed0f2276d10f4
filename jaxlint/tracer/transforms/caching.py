"""What tells one call of a compiled function from another: to JAX, and to the tracer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from jaxlint.tracer.callables import parameter_names, statics_of
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key, aval_of_number
from jaxlint.tracer.values.containers import Mapping, Sequence, tuple_of
from jaxlint.tracer.values.objects import BoundMethod, Instance, Transformed
from jaxlint.tracer.values.pytrees import map_leaves, with_keys
from jaxlint.tracer.values.value import NUMBERS, Const, Host, Unknown, Value, replace, type_name

_SOME_KEY = Key(None)


def as_cached(function: Transformed, arguments: Arguments) -> Arguments:
    """The arguments as the cache sees them: traced numbers lose their value."""
    if function.transform.traced != "all" or not function.transform.compiles:
        return arguments
    statics = statics_of(function)
    names = parameter_names(function.function)
    args = tuple(
        value if statics.has(position, names) else _without_value(value)
        for position, value in enumerate(arguments.args)
    )
    kwargs = {
        name: value if statics.has_name(name, names) else _without_value(value)
        for name, value in arguments.kwargs.items()
    }
    return replace(arguments, args=args, kwargs=kwargs)


def _without_value(value: Value) -> Value:
    if isinstance(value, Const) and type_name(value) in NUMBERS:
        return Host(type_name(value))
    return value


def trace_key(tracer: Tracer, function: Transformed, arguments: Arguments) -> object:
    """What is the same for two calls of which the second teaches nothing; None if nothing is."""
    stack = tracer.stack
    if not function.transform.compiles or stack.muted:
        return None
    return (
        function.function.key(),
        function.name,
        id(stack.level),
        bool(stack.frame.guards),
        stack.expected,
        stack.catching > 0,
        frozenset(tracer.facts.items()) if tracer.facts else None,
        tuple(value.key() for value in arguments.args),
        tuple((name, arguments.kwargs[name].key()) for name in sorted(arguments.kwargs)),
        arguments.open_args is not None,
        arguments.open_kwargs is not None,
    )


def compiled_key(tracer: Tracer, function: Transformed, arguments: Arguments) -> object:
    """What is the same for two calls that JAX compiles once: any key, any numbers will do.

    JAX keeps what it has compiled as long as the function lives: a bound method goes with the
    wrapper around it.
    """
    x64 = tracer.settings.x64
    args = tuple(_of_any_data(value, x64) for value in arguments.args)
    kwargs = {name: _of_any_data(value, x64) for name, value in arguments.kwargs.items()}
    key = trace_key(tracer, function, replace(arguments, args=args, kwargs=kwargs))
    return (function, key) if isinstance(function.function, BoundMethod) else key


def _of_any_data(value: Value, x64: bool | None) -> Value:
    if isinstance(value, Instance) and not _is_known(value):
        return value  # All that is known is which one it is.

    def leaf(part: Value) -> Value:
        return _of_any_numbers(part, x64)

    return _as_built(map_leaves(with_keys(value, lambda _: _SOME_KEY), leaf), {})


def _as_built(value: Value, done: dict[int, Value]) -> Value:
    """What JAX asks of pytrees: how they are built, not which ones they are.

    ``done``: what was found of containers and objects, by identity: there may be many ways to one.
    """
    if not isinstance(value, (Mapping, Sequence, Instance)):
        return value
    if id(value) not in done:
        done[id(value)] = value
        done[id(value)] = _built(value, partial(_as_built, done=done))
    return done[id(value)]


def _built(value: Value, inner: Callable[[Value], Value]) -> Value:
    if isinstance(value, Mapping):
        known = {name: inner(each) for name, each in value.entries.known.items()}
        return replace(value.entries, known=known)
    if isinstance(value, Sequence) and value.items is not None and value.kind in ("tuple", "list"):
        return tuple_of([Const(value.kind), *map(inner, value.items)])
    if isinstance(value, Instance) and _is_known(value):
        which, listed = Const(str(id(value.cls.definition))), value.listed()
        return tuple_of([which, *(inner(listed[name]) for name in sorted(listed))])
    return value


def _is_known(value: Instance) -> bool:
    """Whether it is a pytree, and all that it is built of is in view."""
    pytree = value.cls.traits.pytree and not value.open
    return bool(pytree) and not any(isinstance(each, Unknown) for each in value.listed().values())


def _of_any_numbers(leaf: Value, x64: bool | None) -> Value:
    if isinstance(leaf, Host) and leaf.type in NUMBERS:
        # To JAX a Python number is an array of a weak type.
        return Array(False, aval_of_number(leaf.type, x64))
    if not isinstance(leaf, Array):
        return leaf
    known = leaf.extent, leaf.zero, leaf.of_logits, leaf.number
    if known == (None, None, None, None):
        return leaf
    return replace(leaf, extent=None, zero=None, of_logits=None, number=None)
