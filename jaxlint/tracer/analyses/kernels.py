"""Kernels: whether anything is written to the references that they were given for their results."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import UnwrittenRef
from jaxlint.program import nodes as n
from jaxlint.program.walk import children
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import function_under, name_of, signature
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Transformed

_MORE_REFS = frozenset({"scratch_shapes", "grid_spec"})
"""Options that give a kernel references besides those of its arguments and results."""


class Kernels(Analysis):
    """Notes parameters for a result that a kernel binds anew and never writes."""

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        found = function_under(function)
        if function.transform.traced != "refs" or found is None or not arguments.closed:
            return
        body = found.code.body
        for parameter in self._results(function, arguments):
            uses = list(_uses(body, parameter.name))
            bound = [each for each in uses if isinstance(each, n.Assign)]
            if bound and None not in uses:
                context = self.tracer.context(bound[0], bound[0])
                called = name_of(function)
                self.tracer.emit(UnwrittenRef(context, parameter.name, called, function.name))

    def _results(self, function: Transformed, arguments: Arguments) -> list[n.Parameter]:
        """The parameters that are references for results: those after the arguments."""
        after = (signature(function.function) or [])[len(arguments.args) :]
        shapes = function.options.get("out_shape")
        count: int | None = None
        if isinstance(shapes, Sequence):
            count = len(shapes.items) if shapes.items is not None else 1
        elif not _MORE_REFS.isdisjoint(function.options):
            count = 1
        return [each for each in after if each.kind in ("positional", "positional_only")][:count]


def _uses(body: list[n.Node], name: str) -> Iterator[n.Node | None]:
    """What is done with a name: an assignment to it, a read of an item; None: anything else."""
    waiting: list[n.Node] = list(body)
    while waiting:
        node = waiting.pop()
        inside = children(node)
        if isinstance(node, n.Assign) and any(_is(target, name) for target in node.targets):
            yield node
            inside = [each for each in inside if not _is(each, name)]
        elif isinstance(node, n.Assign):
            yield from (None for target in node.targets if _mentions(target, name))
            inside = [node.value]
        elif isinstance(node, (n.AugmentedAssign, n.AnnotatedAssign, n.Delete)):
            yield from [None] if _mentions(node, name) else []
            inside = []
        elif isinstance(node, n.Subscript) and _is(node.value, name):
            yield node
            inside = [node.index]
        elif _is(node, name):
            yield None
        waiting.extend(inside)


def _is(node: n.Node, name: str) -> bool:
    return isinstance(node, n.Name) and node.id == name


def _mentions(node: n.Node, name: str) -> bool:
    return _is(node, name) or any(_mentions(each, name) for each in children(node))
