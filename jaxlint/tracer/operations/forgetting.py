"""What is no longer known of objects that somebody may have changed."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.knowledge import python_api
from jaxlint.knowledge.libraries import CHANGED_BY_CALLS, keeps_modes
from jaxlint.program import nodes as n
from jaxlint.program.attributes import ANY, CONSTRUCTORS, attributes_of_self, set_later
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Contents, Mapping, Sequence, entries_of
from jaxlint.tracer.values.externals import Stateful
from jaxlint.tracer.values.holding import stateful_in
from jaxlint.tracer.values.objects import (
    UNSEEN,
    BoundMethod,
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Partial,
)
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Unknown, Value


def forget(tracer: Tracer, values: list[Value], name: str = "") -> None:
    """Code out of view, known by ``name`` at most, gets these values.

    What it does to containers is unknown, and whether it has modules train. Of a dictionary that
    no library by its name gets it may fill what holds a place, or count: arrays are left.
    """
    tracer.analyses.on_unseen(values)
    for value in (*values, *_within_reach(values)):
        if not keeps_modes(name):
            set_mode(tracer, value, None)
        if isinstance(value, Sequence) and value.cell is not None:
            tracer.trail.set(value.cell, "contents", Contents(None))
        elif isinstance(value, Mapping):
            known = value.entries.known
            left = known if name else {key: _unless_told(each) for key, each in known.items()}
            tracer.trail.set(value.cell, "contents", entries_of(left, UNKNOWN))


def _within_reach(values: list[Value]) -> Iterator[Value]:
    """The containers of objects whose methods are handed over: who has them may call them."""
    for value in values:
        while isinstance(value, Partial):
            value = value.function
        if isinstance(value, BoundMethod) and isinstance(value.receiver, Instance):
            held = value.receiver.listed().values()
            yield from (each for each in held if isinstance(each, (Mapping, Sequence)))


def _unless_told(value: Value) -> Value:
    return UNKNOWN if isinstance(value, Const) else value


def set_mode(tracer: Tracer, value: Value, changes: bool | None) -> None:
    """Say of all layers in an object whether calls change them from now on."""
    for each in stateful_in(value):
        if isinstance(each, Stateful) and each.type in CHANGED_BY_CALLS and each.changes != changes:
            tracer.trail.set(each.cell, "changes", changes)


def forget_attributes(tracer: Tracer, instance: Instance, changed: frozenset[str]) -> None:
    """Code that is not run gets an object, and those in it: it may set these attributes.

    ``changed``: besides those that the modules of the objects' own classes set. What a container
    holds is unknown.
    """
    waiting, seen = [instance], set()
    while waiting:
        each = waiting.pop()
        if id(each.attributes) not in seen:
            seen.add(id(each.attributes))
            waiting += _forget_own(tracer, each, changed.union(*_set_by_classes(tracer, each.cls)))


def forget_given(tracer: Tracer, function: Function | None, arguments: Arguments) -> None:
    """A function gets these values that is not run, or that nobody sees: it may set attributes."""
    changed = set_by_module(tracer, function.frame) if function is not None else frozenset({ANY})
    constructs = function is not None and function.code.name in CONSTRUCTORS
    for value in arguments.all():
        for each in value.options if isinstance(value, Choice) else (value,):
            if isinstance(each, Instance):
                own = set_by_constructors(each.cls) if constructs else frozenset()
                forget_attributes(tracer, each, changed | own)


def forget_told(tracer: Tracer, instance: Instance) -> None:
    """A method out of view is called on an object: it may fill in what is None.

    It may run the methods of the object's own classes, and what they set.
    """
    later = frozenset().union(*_set_by_classes(tracer, instance.cls))
    for name, value in instance.listed().items():
        if value is NONE or (isinstance(value, Const) and (name in later or ANY in later)):
            tracer.trail.set(instance.attributes, name, UNKNOWN)


def _forget_own(tracer: Tracer, instance: Instance, changed: frozenset[str]) -> Iterator[Instance]:
    """Forget what may be set of one object; the objects in what is left."""
    listed = instance.listed()
    if ANY in changed:
        tracer.trail.set(instance.attributes, UNSEEN, UNKNOWN)
    for name in sorted(changed - listed.keys()):
        if instance.cls.find(name) is not None:
            tracer.trail.set(instance.attributes, name, UNKNOWN)
    for name, value in listed.items():
        held = isinstance(value, Mapping) or (isinstance(value, Sequence) and value.cell)
        if held or ANY in changed or name in changed:
            # Nobody in view shows that it becomes None.
            tracer.trail.set(instance.attributes, name, Unknown(passed=value is not NONE))
        elif isinstance(value, Instance):
            yield value


def _set_by_classes(tracer: Tracer, cls: Class) -> Iterator[frozenset[str]]:
    for each in (cls, *cls.above):
        yield set_by_module(tracer, each.frame)


def set_by_constructors(cls: Class) -> frozenset[str]:
    """The attributes that the constructors of a class, and of those above, set on their object.

    And those that it computes when somebody, as a constructor, asks for them.
    """
    classes = (cls, *cls.above)
    assigned = (
        target.attr
        for each in classes
        for statement in each.definition.body
        if isinstance(statement, n.FunctionDefinition) and statement.target.id in CONSTRUCTORS
        for target, _ in attributes_of_self(statement.function)
    )
    computed = (
        name
        for each in classes
        for name, value in each.attributes.items()
        if isinstance(value, Descriptor) and value.kind == python_api.CACHED_PROPERTY
    )
    return frozenset((*assigned, *computed))


def set_by_module(tracer: Tracer, frame: Frame) -> frozenset[str]:
    """The attributes that the module of a frame sets on objects that were made before."""
    return set_later(frame.globals.program or tracer.module)
