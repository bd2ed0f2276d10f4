"""Objects that are made alike: what a constructor did for one it does for the next.

A test makes the same model in each of its functions. Of objects that nobody changes once they are
made, the second gets what the first got, and the constructor is not run again. Of others each call
gives one of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.tracer.callables import free_variables
from jaxlint.tracer.operations.frozen import is_being_made, is_frozen
from jaxlint.tracer.state.frames import Frame, Moment
from jaxlint.tracer.state.trail import Facts, Writes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Bounds, Tree
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Class,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.pytrees import children
from jaxlint.tracer.values.value import Const, Host, Unknown, Value

_UNCHANGING = (Const, Host, Unknown, Array, Tree, Bounds, Qualified, Class)


def blank(tracer: Tracer, function: Function, names: dict[str, Value]) -> Instance | None:
    """The object that a constructor is about to fill, if nobody changes it afterwards."""
    if function.code.name != "__init__":
        return None
    receiver, *given = names.values() if names else (None,)
    if not isinstance(receiver, Instance) or receiver.listed():
        return None
    if any(isinstance(each, Instance) and is_being_made(tracer, each) for each in given):
        return None
    return receiver if is_frozen(tracer, receiver.cls) else None


def can_be_shared(tracer: Tracer, made: Instance, given: Iterable[Value], writes: Writes) -> bool:
    """Whether the constructor did nothing but fill an object, with what nobody changes.

    Args:
        tracer: that runs it.
        made: the object.
        given: what it was made of.
        writes: all that the constructor wrote.
    """
    known = {id(value) for value in given if value is not made}
    filled, waiting = {id(made.attributes)}, list(made.listed().values())
    while waiting:
        value = waiting.pop()
        if id(value) in known or isinstance(value, _UNCHANGING):
            continue
        if isinstance(value, Instance) and is_frozen(tracer, value.cls):
            if id(value.attributes) not in filled:
                filled.add(id(value.attributes))
                waiting += value.listed().values()
        elif isinstance(value, Sequence) and value.kind == "tuple":
            waiting += children(value)
        elif not isinstance(value, Function) or value.frame.parent is not None:
            return False
    return all(id(slots) in filled or isinstance(slots, Facts) for slots, *_ in writes.values())


def is_own(tracer: Tracer, result: Value, frame: Frame) -> bool:
    """Whether what a call gives holds what that call has made and somebody may change.

    Args:
        tracer: that ran it.
        result: what it gave; of a container that is all of it there is a copy for each call.
        frame: in which it ran.
    """
    waiting, seen = [result], {id(result)}
    while waiting:
        value = waiting.pop()
        if value is not result and _is_changed(tracer, value, frame):
            return True
        further = [each for each in _held(value, frame) if id(each) not in seen]
        seen.update(map(id, further))
        waiting += further
    return isinstance(result, (Instance, Function)) and _is_changed(tracer, result, frame)


def _is_changed(tracer: Tracer, value: Value, frame: Frame) -> bool:
    """Whether a call has made a value, and somebody may change that."""
    if isinstance(value, Function):
        return value.frame is frame and "nonlocal" in value.code.scope.outer.values()
    if isinstance(value, Instance):
        return _was_made_in(frame, value.made) and not is_frozen(tracer, value.cls)
    mutable = isinstance(value, Mapping) or (isinstance(value, Sequence) and value.kind != "tuple")
    return mutable and _was_made_in(frame, getattr(value, "made", None))


def _held(value: Value, frame: Frame) -> Iterable[Value]:
    """What a value brings along: its items, what it wraps, what a function of the call reads."""
    if isinstance(value, (Sequence, Mapping)):
        return children(value)
    if isinstance(value, Function):
        own = value.frame is frame
        return [held for _, held in free_variables(value)] if own else []
    if isinstance(value, BoundMethod):
        return [value.receiver]
    if isinstance(value, Transformed):
        return [value.function]
    return [value.function, *children(value)] if isinstance(value, Partial) else []


def _was_made_in(frame: Frame, made: Moment | None) -> bool:
    """Whether something was made by a call, or by what that called."""
    if made is None:
        return False
    return made.frame is frame or any(link.frame is frame for link in made.frame.chain)


def moved(writes: Writes, old: Instance, new: Instance) -> Writes:
    """What was written into one object, as it is written into another."""
    return {
        (id(new.attributes), name) if slots is old.attributes else where: (
            (new.attributes, name, value, refined)
            if slots is old.attributes
            else (slots, name, value, refined)
        )
        for where, (slots, name, value, refined) in writes.items()
    }
