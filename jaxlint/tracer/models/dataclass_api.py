"""Decorators of classes, called as functions: ``dataclass(frozen=True)(cls)``."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.language.classes import made_by
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Class, Qualified, partial_of
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, replace


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
