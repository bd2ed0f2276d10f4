"""Kernels: whether they write to the references for their results, and what they capture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.events import KernelConstant, Site, UnwrittenRef
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.pallas import READS_NO_DATA
from jaxlint.program import nodes as n
from jaxlint.program.walk import children, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import function_under, name_of
from jaxlint.tracer.language.expressions import look_up
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.kernels import parameters_of_results
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import Const, Value

_ALIASES = "input_output_aliases"
"""The option that gives results the memory of arguments, and what is in there."""


class Kernels(Analysis):
    """Notes parameters for a result that a kernel binds anew, and arrays that it captures."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._captured: list[tuple[n.Node, bool]] = []
        self._since = 0

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        found = function_under(function)
        if function.transform.traced != "refs":
            return
        # What a kernel has captured that nobody called is nothing of this one.
        self._captured.clear()
        self._since = len(self.tracer.stack.path)
        if found is None or not arguments.closed:
            return
        body = found.code.body
        for parameter in parameters_of_results(function, arguments):
            uses = list(_uses(body, parameter.name))
            bound = [each for each in uses if isinstance(each, n.Assign)]
            if bound and None not in uses:
                context = self.tracer.context(bound[0], bound[0])
                called = name_of(function)
                self.tracer.emit(UnwrittenRef(context, parameter.name, called, function.name))
            added = _added_to(body, parameter.name)
            if added is not None and _ALIASES not in function.options:
                context = self.tracer.context(added, added)
                event = UnwrittenRef(
                    context, parameter.name, name_of(function), function.name, True
                )
                self.tracer.emit(event)

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        if function.transform.traced != "refs" or not self._captured:
            return
        used, made = self._captured[0]
        self._captured.clear()
        context = self.tracer.context(node, node)
        called = name_of(function)
        self.tracer.emit(KernelConstant(context, called, function.name, Site(used.origin), made))

    def on_operands(
        self, name: str, operands: Iterable[Value], node: n.Node, kernel: Level
    ) -> None:
        if name in READS_NO_DATA or self._is_undecided():
            return
        outside = {level.site for level in _around(kernel)}
        for position, value in enumerate(operands):
            if _is_captured(value, outside):
                self._captured.append((self._named(value, position, node), False))

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        level = self.tracer.stack.level
        if level is None or level.kernel is None or name not in jax_api.MAKES_ARRAYS:
            return
        if self._is_undecided():
            return
        given = arguments.args[0] if arguments.args else None
        if isinstance(given, Sequence) and given.items:
            if all(isinstance(item, Const) for item in given.items):
                self._captured.append((node, True))

    def _is_undecided(self) -> bool:
        """Whether a test in the kernel leads here of which nobody knows the outcome."""
        return self.tracer.stack.in_branch(self._since)

    def _named(self, value: Value, position: int, node: n.Node) -> n.Node:
        """The name in an operation that stands for its operand, or the operand, or all of it."""
        for each in walk([node]):
            if isinstance(each, n.Name) and look_up(self.tracer, each) is value:
                return each
        both = (node.left, node.right) if isinstance(node, n.BinaryOperation) else (node,)
        return both[min(position, len(both) - 1)]


def _around(kernel: Level) -> Iterator[Level]:
    """The levels in which a kernel is called."""
    level = kernel.parent
    while level is not None:
        yield level
        level = level.parent


def _is_captured(value: Value, outside: set[Site]) -> bool:
    """Whether a value is an array that was there before the kernel, or one of NumPy's.

    A scalar of NumPy is a number, wherever it comes from.
    """
    if isinstance(value, NumpyArray):
        return bool(value.aval.shape)
    if not isinstance(value, Array) or value.assumed:
        return False
    if value.reason is None:
        return value.traced is not True
    return value.reason.root.transform_site in outside


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


def _added_to(body: list[n.Node], name: str) -> n.Node | None:
    """The statement that adds to a reference, where all that is done with it is to add to it."""
    found: n.Node | None = None
    for each in walk(body):
        if isinstance(each, n.AugmentedAssign) and _is_item(each.target, name):
            if _mentions(each.value, name):
                return None
            found = found or each
    reads = sum(_is(each, name) for each in walk(body))
    added = sum(
        isinstance(each, n.AugmentedAssign) and _is_item(each.target, name) for each in walk(body)
    )
    return found if reads == added else None


def _is_item(node: n.Node, name: str) -> bool:
    return isinstance(node, n.Subscript) and _is(node.value, name)


def _is(node: n.Node, name: str) -> bool:
    return isinstance(node, n.Name) and node.id == name


def _mentions(node: n.Node, name: str) -> bool:
    return _is(node, name) or any(_mentions(each, name) for each in children(node))
