"""Wrappers that whoever makes them keeps, and looks for before it makes another one."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.program.caches import made_once, made_where_asked
from jaxlint.program.once import once
from jaxlint.tracer.analyses.repeating import made_each_time
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Function, Instance


def is_made_once(tracer: Tracer, frame: Frame, node: n.Node, loop: Loop | None) -> bool:
    """Whether the function that makes it keeps it, or a caller in the loop keeps what that gives.

    They look for it first. An object that each pass of a loop makes has kept nothing.
    """
    code = _code(tracer, frame)
    if code is not None and id(node) in once(made_once, code):
        if _outlasts(frame, once(made_once, code)[id(node)], loop):
            return True
    called = frame
    for link in reversed(frame.chain):
        caller = link.frame
        if loop is not None and loop not in caller.loops:
            return False
        if _keeps(tracer, caller, link.node, called, loop):
            return True
        called = caller
    return False


def _keeps(tracer: Tracer, caller: Frame, call: n.Node, called: Frame, loop: Loop | None) -> bool:
    """Whether a function keeps what a call gives, or calls because it lacks what is set there."""
    code = _code(tracer, caller)
    if code is None:
        return False
    kept = once(made_once, code)
    if id(call) in kept and _outlasts(caller, kept[id(call)], loop):
        return True
    if not isinstance(called.function, Function):
        return False
    place = made_where_asked(code, call, called.function.code)
    return place is not None and _outlasts(caller, place, loop)


def _code(tracer: Tracer, frame: Frame) -> n.Function | n.Module | None:
    if frame.function is not None:
        return frame.function.code
    if frame.parent is not None:
        return None
    return frame.program or (tracer.module if frame is tracer.stack.globals else None)


def _outlasts(frame: Frame, place: n.Node | None, loop: Loop | None) -> bool:
    """Whether a place is still there in the next pass of a loop.

    So it is if it is no attribute of an object that each pass makes, or one of its class.
    """
    function = frame.function
    parameters = function.code.parameters if function is not None else []
    owner = frame.names.get(parameters[0].name) if parameters else None
    if loop is None or not isinstance(owner, Instance) or owner.made is None:
        return True
    if place is not None and not _is_of(place, parameters[0].name, owner):
        return True
    return loop not in owner.made.loops or not made_each_time(owner.made, loop)


def _is_of(place: n.Node, first: str, owner: Instance) -> bool:
    """Whether a place is an attribute of the object whose method runs, or in one."""
    while isinstance(place, (n.Attribute, n.Subscript)):
        root = place.value
        if isinstance(place, n.Attribute) and isinstance(root, n.Name) and root.id == first:
            return place.attr in owner.attributes
        place = root
    return False
