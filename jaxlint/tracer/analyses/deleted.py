"""Arrays that are read after they were donated, whatever holds them.

A list of snapshots, an object that was made of the parameters, two names of one pytree: what they
hold is deleted with the buffer.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.events import DonatedUse, Site
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.language.expressions import look_up
from jaxlint.tracer.operations.truth import agrees
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Donated
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Instance, Transformed
from jaxlint.tracer.values.value import Value


class Deleted(Analysis):
    """Tells the first operation that reads an array which is gone."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return not n.DONATES.isdisjoint(module.loaded)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        self._look(arguments.all(), node)

    def on_wait(self, value: Value | None, node: n.Node, construct: str) -> None:
        self._look([] if value is None else [value], node)

    def on_read_buffers(self, values: Iterable[Value], node: n.Node) -> None:
        self._look(values, node)

    def _look(self, values: Iterable[Value], node: n.Node) -> None:
        tracer = self.tracer
        if not tracer.trail.gone or tracer.stack.level is not None:
            return
        for donated in tracer.buffers.deleted_in(values):
            if agrees(tracer, dict(donated.when)):
                self._tell(donated, node)
                return

    def _tell(self, donated: Donated, node: n.Node) -> None:
        tracer = self.tracer
        subject = read_from(tracer, node, donated.value)
        tracer.emit(
            DonatedUse(
                tracer.context(node, subject or node), donated.function,
                Site(donated.node.origin), Site(donated.made.origin), donated.position,
                donated.parameter, within=subject is None,
            )
        )  # fmt: skip
        tracer.buffers.told(donated)


def read_from(tracer: Tracer, node: n.Node, array: Value) -> n.Node | None:
    """The name, attribute or item in an expression that is a certain array."""
    found = (each for each in walk([node]) if _held(tracer, each) is array)
    return next(found, None)


def _held(tracer: Tracer, expression: n.Node) -> Value | None:
    """What an expression that only looks up gives, if that is in view."""
    if isinstance(expression, n.Name):
        found = look_up(tracer, expression)
        return found.value if isinstance(found, Donated) else found
    if isinstance(expression, n.Attribute):
        owner = _held(tracer, expression.value)
        return owner.attributes.get(expression.attr) if isinstance(owner, Instance) else None
    if not isinstance(expression, n.Subscript) or not isinstance(expression.index, n.Constant):
        return None
    return _item(_held(tracer, expression.value), expression.index.value)


def _item(container: Value | None, index: object) -> Value | None:
    if isinstance(container, Mapping):
        return container.entries.known.get(index)
    items = container.items if isinstance(container, Sequence) else None
    known = items is not None and isinstance(index, int) and -len(items) <= index < len(items)
    return items[index] if known and items is not None and isinstance(index, int) else None
