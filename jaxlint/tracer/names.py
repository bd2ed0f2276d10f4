"""What names stand for, asked without doing anything."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.modules import look_in
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import UNKNOWN, Value


def qualified_name(tracer: Tracer, node: n.Node, frame: Frame | None) -> str | None:
    """The full dotted name that an expression stands for, if it is one."""
    if isinstance(node, n.Attribute):
        base = qualified_name(tracer, node.value, frame)
        return f"{base}.{node.attr}" if base is not None else None
    if not isinstance(node, n.Name):
        return None
    value = held(tracer, node.id, frame)
    return value.name if isinstance(value, Qualified) else None


def meaning(tracer: Tracer, node: n.Node, frame: Frame) -> Value:
    """What a dotted name stands for in a frame, as far as it can be looked up there."""
    if isinstance(node, n.Name):
        return held(tracer, node.id, frame)
    name = qualified_name(tracer, node, frame)
    return Qualified(name) if name is not None else UNKNOWN


def once_more(tracer: Tracer, node: n.Node) -> Value:
    """What an expression gives that has run: what a property in it does is not done again."""
    stack = tracer.stack
    stack.muted += 1
    try:
        with tracer.trail.keeping() as mark:
            value = tracer.evaluate(node)
            tracer.trail.undo(mark)
    finally:
        stack.muted -= 1
    return value


def held(tracer: Tracer, name: str, frame: Frame | None) -> Value:
    """What a name stands for now in a frame, in those around it, or for Python itself."""
    while frame is not None:
        value = look_in(tracer, frame, name)
        if value is not None:
            return value
        frame = frame.parent
    return tracer.builtin(name)
