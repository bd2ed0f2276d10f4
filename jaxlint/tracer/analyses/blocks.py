"""Index maps of Pallas, which count blocks: whether one counts elements instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxlint.events import ElementIndex, Site
from jaxlint.knowledge.pallas import BLOCK_SPEC, GRID_SPECS, KERNEL_CALL
from jaxlint.program import nodes as n
from jaxlint.program.walk import alike
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Function, Transformed
from jaxlint.tracer.values.value import Const, Value


@dataclass(frozen=True, slots=True)
class _Scaled:
    """An entry of an index map that multiplies a parameter by the size of a block."""

    event: ElementIndex
    place: int


class Blocks(Analysis):
    """Notes index maps that multiply the index of a block by the size of one."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._found: list[_Scaled] = []

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return BLOCK_SPEC.rpartition(".")[2] in module.loaded

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name == BLOCK_SPEC:
            function = function_under(arguments.get(1, "index_map") or Const(None))
            if function is not None and "indexing_mode" not in arguments.kwargs:
                self._found += self._scaled(function, arguments.get(0, "block_shape"), node)
        elif name in GRID_SPECS:
            self._decide(arguments.kwargs.get("grid"))

    def on_transform(self, function: Transformed, node: n.Node) -> None:
        if function.name == KERNEL_CALL:
            self._decide(function.options.get("grid"))

    def _scaled(self, function: Function, block: Value | None, node: n.Node) -> Iterator[_Scaled]:
        """Its entries for which the size of a block is written as the factor, or is the same."""
        written = next(iter(argument_nodes(node)), None) or keyword_node(node, "block_shape")
        sizes = written.elements if isinstance(written, n.Display) else []
        known = block.items if isinstance(block, Sequence) and block.items is not None else ()
        names = [parameter.name for parameter in function.code.parameters]
        for entry, size, value in zip(_entries(function), sizes, known, strict=False):
            for index, factor in _factors(entry, names):
                if _is_size(factor, size, value):
                    context = self.tracer.context(entry, entry)
                    event = ElementIndex(context, Site(index.origin), Site(size.origin))
                    yield _Scaled(event, names.index(index.id))

    def _decide(self, grid: Value | None) -> None:
        """Report those of the specs so far whose index takes more than one value."""
        found, self._found = self._found, []
        steps = list(grid.items or ()) if isinstance(grid, Sequence) else [grid]
        for each in found:
            step = steps[each.place] if each.place < len(steps) else None
            if step is not None and not (isinstance(step, Const) and step.value == 1):
                self.tracer.emit(each.event)


def _entries(function: Function) -> list[n.Node]:
    """What an index map returns for each dimension."""
    last = function.code.body[-1] if function.code.body else None
    value = last.value if isinstance(last, n.Return) else None
    if isinstance(value, n.Display):
        return value.elements
    return [value] if value is not None else []


def _factors(entry: n.Node, names: list[str]) -> Iterator[tuple[n.Name, n.Node]]:
    """A parameter and what it is multiplied by."""
    if isinstance(entry, n.BinaryOperation) and entry.operator == "*":
        for index, factor in ((entry.left, entry.right), (entry.right, entry.left)):
            if isinstance(index, n.Name) and index.id in names:
                yield index, factor


def _is_size(factor: n.Node, size: n.Node, value: Value) -> bool:
    """Whether a factor is the size of a block, and that is not 1 for certain."""
    known = value.value if isinstance(value, Const) else None
    if known == 1:
        return False
    if isinstance(factor, n.Constant):
        return type(known) is int and factor.value == known
    return isinstance(factor, (n.Name, n.Attribute)) and alike(factor, size)
