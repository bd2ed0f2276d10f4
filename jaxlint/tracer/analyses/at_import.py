"""Modules that use a device when they are imported: arrays among their constants and defaults."""

from __future__ import annotations

from jaxlint.events import WorkAtImport
from jaxlint.knowledge import settings
from jaxlint.program import nodes as n
from jaxlint.program.walk import last_name
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import name_of
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import Value

_RUNS = ("abstract", "differentiated")
_DECLARES = (
    n.Assign, n.AnnotatedAssign, n.ClassDefinition, n.FunctionDefinition, n.If, n.Import, n.Try,
)  # fmt: skip
"""Statements of modules that are there to be imported."""


class AtImport(Analysis):
    """Notes the statements of such a module that compute with JAX."""

    of_the_file = True

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._importing = not tracer.settings.in_cells and _is_imported(tracer.module)
        self._noted: set[int] = set()

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return _is_imported(module)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if self._importing and settings.starts_backend(name):
            self._note(name, node)

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        transform = function.transform
        if self._importing and transform.computes and transform.concreteness in _RUNS:
            self._note(name_of(function), node)

    def _note(self, name: str, node: n.Node) -> None:
        stack = self.tracer.stack
        if stack.level is not None or stack.muted or stack.demo or stack.path:
            return  # A branch may be there for type checkers alone.
        if stack.chain:
            node = stack.chain[0].node
        elif stack.module is not stack.globals:
            return
        if id(node) not in self._noted:
            self._noted.add(id(node))
            self.tracer.emit(WorkAtImport(self.tracer.context(node, node, by=()), name))

    def on_settle(self) -> None:
        self._importing = False  # What follows are calls of functions.


def _is_imported(module: n.Module) -> bool:
    """Whether a file is there to be imported: it declares things, and does nothing else."""
    return all(isinstance(each, _DECLARES) or _is_harmless(each) for each in module.body)


def _is_harmless(statement: n.Node) -> bool:
    """Whether a statement is a text, or sets an option of JAX."""
    value = statement.value if isinstance(statement, n.ExpressionStatement) else None
    if isinstance(value, n.Call) and isinstance(value.function, n.Attribute):
        return last_name(value.function.value) == "config"
    return isinstance(value, n.Constant)
