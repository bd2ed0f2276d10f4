"""What names stand for, asked without running anything."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.modules import look_in
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Qualified


def qualified_name(tracer: Tracer, node: n.Node, frame: Frame | None) -> str | None:
    """The full dotted name that an expression stands for, if it is one."""
    if isinstance(node, n.Attribute):
        base = qualified_name(tracer, node.value, frame)
        return f"{base}.{node.attr}" if base is not None else None
    if not isinstance(node, n.Name):
        return None
    while frame is not None:
        value = look_in(tracer, frame, node.id)
        if value is not None:
            return value.name if isinstance(value, Qualified) else None
        frame = frame.parent
    builtin = tracer.builtin(node.id)
    return builtin.name if isinstance(builtin, Qualified) else None
