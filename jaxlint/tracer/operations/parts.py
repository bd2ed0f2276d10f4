"""What is changed that nobody knows, but which is a part of something known."""

from __future__ import annotations

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.program.attributes import ANY
from jaxlint.program.lookups import looked_up
from jaxlint.program.walk import last_name
from jaxlint.tracer.names import held, once_more
from jaxlint.tracer.operations.forgetting import forget_attributes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Contents, Mapping, Sequence, entries_of
from jaxlint.tracer.values.objects import BoundMethod, Choice, Function, Instance
from jaxlint.tracer.values.value import UNKNOWN, Value


def forget_parts(tracer: Tracer, changed: Value, node: n.Node) -> None:
    """What an expression gives is changed, and nobody knows which object it is.

    It is a part of what it may be looked up in. A parameter may hold something else by now than
    what the caller still has.
    """
    owner = _has_as_attributes(node)
    if owner is not None:
        _forget(tracer, once_more(tracer, owner))
    frame = tracer.stack.frame

    def called(call: n.Call) -> n.Function | None:
        function = once_more(tracer, call.function)
        function = function.function if isinstance(function, BoundMethod) else function
        return function.code if isinstance(function, Function) else None

    names = looked_up(frame.code(tracer.module), node, called)
    parameters = frame.function.code.parameters if names and frame.function is not None else []
    before = {each.name: value for each, value in zip(parameters, frame.given, strict=False)}
    for name in sorted(names):
        for value in (held(tracer, name, frame), before.get(name, UNKNOWN)):
            parts = _parts(value)
            if not any(_is_object(changed, each) for each in parts):
                for each in parts:
                    _forget(tracer, each)


def _has_as_attributes(node: n.Node) -> n.Node | None:
    """The object whose attributes a dict holds: ``config.__dict__``, ``vars(config)``."""
    if isinstance(node, n.Attribute) and node.attr in python_api.DICT_OF_ATTRIBUTES:
        return node.value
    if isinstance(node, n.Call) and last_name(node.function) in python_api.DICT_OF_ATTRIBUTES:
        return node.arguments[0].value if node.arguments else None
    return None


def _is_object(value: Value, other: Value) -> bool:
    """Whether a value is this very object: no join of several."""
    if not isinstance(value, Instance) or not isinstance(other, Instance):
        return False
    return value.attributes is other.attributes


def _parts(value: Value) -> list[Value]:
    """A container or object, and those in it."""
    found: list[Value] = []
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            found.append(each)
            waiting += _inside(each)
    return found


def _forget(tracer: Tracer, value: Value) -> None:
    if isinstance(value, Instance):
        forget_attributes(tracer, value, frozenset({ANY}))
    elif isinstance(value, Mapping):
        tracer.trail.set(value.cell, "contents", entries_of({}, UNKNOWN))
    elif isinstance(value, Sequence) and value.cell is not None:
        tracer.trail.set(value.cell, "contents", Contents(None))


def _inside(value: Value) -> list[Value]:
    if isinstance(value, Instance):
        return list(value.listed().values())
    if isinstance(value, Mapping):
        return list(value.entries.all())
    if isinstance(value, Sequence):
        return list(value.items or ())
    return list(value.options) if isinstance(value, Choice) else []
