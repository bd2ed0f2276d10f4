"""Functions of ``dataclasses``: ``dataclass`` called as one, ``replace``, ``asdict``, and so on."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.language.classes import made_by, some_instance
from jaxlint.tracer.modules import outside
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import mapping, tuple_of
from jaxlint.tracer.values.objects import Class, Instance, Method, Qualified, partial_of
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, replace

_FIELD = "dataclasses._Field"
"""What stands in for the objects that describe the fields of a dataclass."""


def as_dataclass(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``dataclasses.dataclass(cls, **options)``, or what waits for the class.

    The class that it gives is the one that it gets, where no options say otherwise.
    """
    if not arguments.closed:
        return UNKNOWN
    if not arguments.args:
        return partial_of(Qualified(name), (), arguments.kwargs, tracer.stack.moment())
    cls = arguments.args[0]
    if not isinstance(cls, Class):
        return UNKNOWN
    said = {k: v.value for k, v in arguments.kwargs.items() if isinstance(v, Const)}
    traits = made_by(cls.traits, name, {k: v is True for k, v in said.items()}, {})
    if len(said) < len(arguments.kwargs):
        traits = replace(traits, library=True)  # Nobody sees what is asked for.
    tracer.trail.set(cls.cell, "traits", traits)
    return cls


def replaced(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``dataclasses.replace(instance, **changes)``: a new one is made, of the fields of the old."""
    first = arguments.args[0] if arguments.args else UNKNOWN
    if not isinstance(first, Instance):
        return UNKNOWN
    if first.cls.find("__post_init__") is None:
        return tracer.call(Method(first, "_replace"), replace(arguments, args=()), node)
    kept = {} if first.open or first.heir or not arguments.closed else _fields_to_give(first)
    if not kept:
        return UNKNOWN
    return tracer.call(first.cls, Arguments(kwargs={**kept, **arguments.kwargs}), node)


def _fields_to_give(instance: Instance) -> dict[str, Value]:
    """What the constructor of a dataclass takes, as an object has it; empty: not all in view."""
    names = [name for name, field in (instance.cls.traits.fields or {}).items() if field.init]
    known = {name: instance.attributes[name] for name in names if name in instance.attributes}
    return known if len(known) == len(names) else {}


def as_dict(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``dataclasses.asdict(instance)``: its fields by name, those of the objects in it too."""
    first = arguments.args[0] if arguments.args else UNKNOWN
    fields = first.cls.traits.fields if isinstance(first, Instance) and not first.open else None
    if fields is None or not isinstance(first, Instance) or len(arguments.all()) > 1:
        return UNKNOWN
    known: dict[object, Value] = {}
    for each in fields:
        value = first.attributes.get(each, UNKNOWN)
        nested = isinstance(value, Instance) and value.cls.traits.fields is not None
        known[each] = as_dict(tracer, name, Arguments((value,)), node) if nested else value
    return mapping(known, made=tracer.stack.moment())


def fields(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``dataclasses.fields(cls)``, or of an object: what is said of each, its name above all."""
    owner = arguments.args[0] if arguments.args else UNKNOWN
    cls = owner.cls if isinstance(owner, Instance) else owner
    if not isinstance(cls, Class) or cls.traits.library or not cls.traits.plain_dataclass:
        return UNKNOWN
    described = outside(tracer, _FIELD)
    if cls.traits.fields is None or not isinstance(described, Class):
        return UNKNOWN
    found: list[Value] = []
    for each in cls.traits.fields:
        field = some_instance(tracer, described)
        tracer.trail.set(field.attributes, "name", Const(each))
        found.append(field)
    return tuple_of(found)
