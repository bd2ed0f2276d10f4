"""Buffers that a compiled function was given to keep."""

from __future__ import annotations

from jaxlint.events import DonatedUse, Site
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import donated_by, name_of, parameter_names
from jaxlint.tracer.state.arguments import Arguments, keyword_node, nodes_of
from jaxlint.tracer.values.arrays import Array, Donated
from jaxlint.tracer.values.objects import Class, Function, Instance, Transformed
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
        if isinstance(value, Array) and isinstance(result, Array):
            if value.rank is not None and result.rank is not None and value.rank != result.rank:
                return  # No output can take the buffer over: it is kept.
        gone = Donated(value, name_of(function), node)
        frame, trail = self.tracer.stack.frame, self.tracer.trail
        if isinstance(where, n.Name) and where.id in frame.names:
            trail.set(frame.names, where.id, gone)
        elif isinstance(where, n.Attribute) and isinstance(where.value, n.Name):
            owner = frame.names.get(where.value.id)
            if isinstance(owner, Instance) and where.attr in owner.attributes:
                trail.set(owner.attributes, where.attr, gone)
