"""Functions that choose by the type of an argument what runs: ``functools.singledispatch``."""

from __future__ import annotations

from jaxlint.knowledge import jax_api, python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like, function_under
from jaxlint.tracer.language.classes import annotated
from jaxlint.tracer.operations.types import is_instance, type_names
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence, tuple_of
from jaxlint.tracer.values.objects import (
    Class,
    Descriptor,
    Function,
    Instance,
    Method,
    partial_of,
)
from jaxlint.tracer.values.value import UNKNOWN, Value


def dispatching(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@functools.singledispatch`` around a function."""
    function = arguments.get(0, "func")
    if function is None or not function_like(function):
        return UNKNOWN
    return Descriptor(python_api.DISPATCHES[name], function, {})


def register(tracer: Tracer, receiver: Descriptor, arguments: Arguments, node: n.Node) -> Value:
    """``register(cls)``, a decorator; ``register(cls, function)``; ``register(function)``."""
    types, function = arguments.get(0, "cls"), arguments.get(1, "func")
    if types is None or receiver.cell is None:
        return UNKNOWN
    if function is None and not isinstance(types, Function):
        decorator = Method(receiver, python_api.REGISTERS)
        return partial_of(decorator, (types,), {}, tracer.stack.moment())
    if function is None:
        types, function = _annotation(tracer, receiver, types), types
    tracer.trail.set(receiver.cell, _identity(types), tuple_of([types, function]))
    return function


def _annotation(tracer: Tracer, receiver: Descriptor, function: Value) -> Value:
    """The type that a function declares for the argument by which it is chosen."""
    assert isinstance(function, Function)
    parameters = function.code.parameters[_position(receiver) :]
    annotation = parameters[0].annotation if parameters else None
    if annotation is None:
        return UNKNOWN
    return annotated(tracer, annotation, function.frame) or tracer.evaluate(annotation)


def _identity(types: Value) -> object:
    return id(types.definition) if isinstance(types, Class) else types.key()


def _position(function: Descriptor) -> int:
    """Of the argument by whose type is chosen."""
    return 1 if function.kind == python_api.DISPATCHES_METHODS else 0


def chosen(tracer: Tracer, function: Descriptor, arguments: Arguments) -> Value | None:
    """What runs for these arguments; None when nobody can see."""
    given = arguments.get(_position(function))
    found: list[tuple[Value, Value]] = []
    for registered in (function.cell or {}).values():
        if given is None or not isinstance(registered, Sequence) or registered.items is None:
            return None
        types, implementation = registered.items
        fits = _fits(given, types)
        if fits is None:
            return None
        if fits:
            found.append((types, implementation))
    nearest = [each for types, each in found if all(_is_below(types, other) for other, _ in found)]
    if not found:
        return None if _refuses(function.function) else function.function
    return nearest[0] if len(nearest) == 1 else None


def _refuses(function: Value) -> bool:
    """Whether all that a function does is to raise: what is meant is registered out of view."""
    found = function_under(function)
    return found is not None and any(isinstance(each, n.Raise) for each in found.code.body)


def _fits(given: Value, types: Value) -> bool | None:
    """Whether an argument is of a registered type: no tracer is a ``jax.Array`` by its class."""
    if isinstance(given, Instance) and given.heir and isinstance(types, Class):
        return True if given.cls.is_subclass(types) else None
    if isinstance(given, Array) and type_names(types) & jax_api.ARRAY_TYPES:
        return None if given.assumed or given.traced is None else not given.traced
    return is_instance(given, types)


def _is_below(cls: Value, other: Value) -> bool:
    if isinstance(cls, Class) and isinstance(other, Class):
        return cls.is_subclass(other)
    return cls is other
