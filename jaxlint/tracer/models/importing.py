"""``importlib.import_module``: the module of the project whose name is given, where it is known."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.program import nodes as n
from jaxlint.tracer.modules import module_named, outside
from jaxlint.tracer.operations.forgetting import forget
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.value import UNKNOWN, Const, Value


def _import_module(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    given = arguments.get(0, "name")
    wanted = given.value if isinstance(given, Const) else None
    if not isinstance(wanted, str) or not wanted.strip("."):
        forget(tracer, arguments.all(), name)
        return UNKNOWN
    if not wanted.startswith("."):
        return module_named(tracer, wanted) or outside(tracer, wanted)
    package = _package(tracer, arguments, node)
    found = module_named(tracer, package + wanted) if package is not None else None
    return found or UNKNOWN


def _package(tracer: Tracer, arguments: Arguments, node: n.Node) -> str | None:
    """What a relative name begins in: the text before it; empty for the package of the file."""
    given = arguments.get(1, "package")
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value
    written = [*argument_nodes(node)[1:], keyword_node(node, "package")][0]
    file = tracer.stack.frame.globals.file
    if not isinstance(written, n.Name) or file is None:
        return None
    in_package = written.id == "__package__" or (
        written.id == "__name__" and file.name == "__init__.py"
    )
    return "" if in_package else None


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "importlib.import_module": _import_module,
}
"""Name -> its model."""
