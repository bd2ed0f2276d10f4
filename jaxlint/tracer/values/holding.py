"""What objects and containers hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.value import Value

if TYPE_CHECKING:
    pass
from jaxlint.tracer.values.objects import BoundMethod, Choice, Instance, Partial


def stateful_in(value: Value) -> Iterator[Instance | Stateful]:
    """The objects in a value that may be changed in place, each once."""
    return (found for found in held_in(value) if isinstance(found, (Instance, Stateful)))


def held_in(value: Value) -> Iterator[Value]:
    """The objects and containers in a value, itself among them, each once."""
    todo, seen = [value], set[int]()
    while todo:
        found = todo.pop()
        if not isinstance(found, _HOLDS) or identity(found) in seen:
            continue
        seen.add(identity(found))
        yield found
        todo += _held_by(found)


_HOLDS = (Stateful, Instance, External, BoundMethod, Partial, Choice, Sequence, Mapping)


def identity(value: Value) -> int:
    """The same for two values of one object, whatever is known of it at either time."""
    if isinstance(value, Instance):
        return id(value.attributes)
    cell = value.cell if isinstance(value, (Stateful, Sequence, Mapping)) else None
    return id(value if cell is None else cell)


def _held_by(value: Value) -> Iterable[Value]:
    """What an object or container holds, a bound method of its receiver alone."""
    if isinstance(value, Instance):
        return value.attributes.values()
    if isinstance(value, BoundMethod):
        return (value.receiver,)
    if isinstance(value, Partial):
        return (*value.args, *value.kwargs.values())
    if isinstance(value, Choice):
        return value.options
    if isinstance(value, External):
        return value.calls
    if isinstance(value, Sequence):
        return value.items or (value.contents.element,)
    return value.entries.all() if isinstance(value, Mapping) else ()
