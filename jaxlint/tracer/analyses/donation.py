"""Buffers that a compiled function was given to keep."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.events import DonatedUse, Site
from jaxlint.program import nodes as n
from jaxlint.program.aliases import aliases_before
from jaxlint.program.walk import alike
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import donated_by, name_of, parameter_names
from jaxlint.tracer.state.arguments import Arguments, keyword_node, nodes_of
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.values.arrays import Array, Donated
from jaxlint.tracer.values.objects import Class, Function, Instance, Transformed
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Const, Host, Value


class Donation(Analysis):
    """Marks the variables whose buffers a call gave away; reading one is an event."""

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        if self.tracer.stack.level is not None or not isinstance(node, n.Call):
            return
        donated = donated_by(function)
        if not donated.positions and not donated.names:
            return
        names = parameter_names(function.function)
        nodes = nodes_of(arguments, node)
        given = [
            (nodes[position], value)
            for position, value in enumerate(arguments.args)
            if donated.has(position, names)
        ]
        given += [
            (keyword_node(node, name), value)
            for name, value in arguments.kwargs.items()
            if donated.has_name(name, names)
        ]
        self._note_twice(given, function, node)
        for where, value in given:
            self._give_away(where, value, result, function, node)

    def _note_twice(
        self, given: list[tuple[n.Node, Value]], function: Transformed, node: n.Node
    ) -> None:
        """The same variable donated twice in one call."""
        seen: set[str] = set()
        for where, value in given:
            if isinstance(where, n.Name) and isinstance(value, Array):
                if where.id in seen:
                    context = self.tracer.context(node, where)
                    called = name_of(function)
                    self.tracer.emit(DonatedUse(context, called, Site(node.origin)))
                seen.add(where.id)

    def _give_away(
        self, where: n.Node, value: Value, result: Value, function: Transformed, node: n.Node
    ) -> None:
        if isinstance(value, (Const, Host, Function, Class, Donated)):
            return
        if not _may_take(result, value):
            return  # No output can take the buffer over: it is kept.
        gone = Donated(value, name_of(function), node)
        frame, trail = self.tracer.stack.frame, self.tracer.trail
        aliases = aliases_before(self._body(), node)
        for name, expression in aliases.items():
            held = _part_of(value, where, expression)
            if held is not None and frame.names.get(name) is held and _may_take(result, held):
                trail.set(frame.names, name, replace(gone, value=held))
        place = _place(frame, where)
        original = _place(frame, aliases.get(where.id)) if isinstance(where, n.Name) else None
        if place is not None:
            trail.set(*place, gone)
        if original is not None and original[0][original[1]] is value:
            trail.set(*original, gone)

    def _body(self) -> list[n.Node]:
        frame = self.tracer.stack.frame
        if frame.function is not None:
            return frame.function.code.body
        return (frame.program or self.tracer.module).body


def _place(frame: Frame, where: n.Node | None) -> tuple[dict[str, Value], str] | None:
    """Where a variable, or an attribute of one, is kept."""
    if isinstance(where, n.Name) and where.id in frame.names:
        return frame.names, where.id
    if isinstance(where, n.Attribute) and isinstance(where.value, n.Name):
        owner = frame.names.get(where.value.id)
        if isinstance(owner, Instance) and where.attr in owner.attributes:
            return owner.attributes, where.attr
    return None


def _part_of(value: Value, where: n.Node, expression: n.Node) -> Value | None:
    """What an expression holds of the value of another: of ``state``, ``state.params``."""
    if alike(expression, where):
        return value
    if not isinstance(expression, n.Attribute):
        return None
    owner = _part_of(value, where, expression.value)
    return owner.attributes.get(expression.attr) if isinstance(owner, Instance) else None


def _may_take(result: Value, given: Value) -> bool:
    """Whether an output may lie in a buffer that was given: it is as large, and of its dtype.

    A pytree that nobody can see into holds arrays with axes, or nobody would donate it.
    """
    outputs = list(leaves(result))
    if not all(isinstance(output, (Array, Const, Host)) for output in outputs):
        return True
    arrays = [output for output in outputs if isinstance(output, Array)]
    if any(array.rank is None for array in arrays):
        return True
    inputs = [item for item in leaves(given) if not isinstance(item, (Const, Host))]
    if not all(isinstance(item, Array) for item in inputs):
        return any(array.rank for array in arrays)
    return any(
        _alike(array, item) for array in arrays for item in inputs if isinstance(item, Array)
    )


def _alike(one: Array, other: Array) -> bool:
    """Whether two arrays may have the same shape and dtype."""
    if one.dtype is not None and other.dtype is not None and one.dtype != other.dtype:
        return False
    shape, twin = one.aval.shape, other.aval.shape
    if shape is None or twin is None:
        return True
    return len(shape) == len(twin) and all(
        size == same or not (isinstance(size, int) and isinstance(same, int))
        for size, same in zip(shape, twin, strict=True)
    )
