"""Names that some releases of JAX lack, types that they narrow, and names that mislead."""

from __future__ import annotations

from functools import cache

from jaxlint.events import NumpyAlias, RemovedApi, UnknownApi, WideDtype
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.history import (
    ATTRIBUTES,
    Change,
    always_there,
    came_in,
    change_above,
    change_of,
    ever_existed,
    ever_took,
    nearest,
    nearest_parameter,
    parameter_change,
)
from jaxlint.knowledge.measured import signature_of
from jaxlint.program import nodes as n
from jaxlint.program.walk import children, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Qualified, Transformed
from jaxlint.tracer.values.value import UNKNOWN, Const, Value

_ASKS = frozenset({"hasattr", "getattr"})
_ASKS_FOR_MORE = frozenset({"signature", "getfullargspec", "import_module", "__import__"})
_OF_JAX = f"{jax_api.PACKAGE}."
_DTYPE_PARAMETERS = frozenset({"dtype", "new_dtype"})


@cache
def _positions_of_dtypes(name: str) -> tuple[int, ...]:
    """Where a function of JAX takes a dtype, its first argument apart."""
    row = signature_of(name)
    count = len(row.parameters) if row is not None else 0
    return tuple(
        position
        for position in range(1, count)
        if row is not None and row.name_of(position) in _DTYPE_PARAMETERS
    )


class Releases(Analysis):
    """Notes what depends on the release of JAX."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._tests_releases = _tests_releases(tracer.module)
        self._postpones = _postpones_annotations(tracer.module)

    # ------------------------------------------------------------------------- names

    def on_name(self, name: str, node: n.Node) -> None:
        if not name.startswith(jax_api.PACKAGE) or always_there(name):
            return
        change = change_of(name)
        if change is not None:
            self._note(name, change, node)
        else:
            self._note_unknown(name, node)

    def on_annotation(self, annotation: n.Node) -> None:
        if self._postpones:
            return
        waiting = [annotation]
        while waiting:
            node = waiting.pop()
            name = None
            if isinstance(node, n.Attribute):
                name = qualified_name(self.tracer, node, self.tracer.stack.frame)
            if name is not None:
                self.on_name(name, node)
            else:
                waiting.extend(children(node))

    def on_import(self, node: n.Import) -> None:
        if not node.qualified.startswith(jax_api.PACKAGE):
            return
        if node.qualified == jax_api.NUMPY and node.target is not None and node.target.id == "np":
            self.tracer.emit(NumpyAlias(self.tracer.context(node)))
        found = change_above(node.qualified)
        if found is not None:
            self._note(found[0], found[1], node)
        else:
            self._note_unknown(node.qualified, node)

    def on_missing_attribute(self, name: str, node: n.Node) -> None:
        self._note(f".{name}", ATTRIBUTES[name], node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """Keyword arguments that a function no longer takes, and 64 bit types asked for."""
        if not name.startswith(jax_api.PACKAGE):
            return
        for keyword in arguments.kwargs:
            change = parameter_change(name, keyword)
            if not ever_took(name, keyword):
                self._note_unknown_keyword(name, keyword, node)
            elif change is not None:
                self._note(f"{keyword}= of {name}", change, keyword_node(node, keyword))
        if name.rpartition(".")[2] in jax_api.WIDE_TYPES:
            self.on_dtype(Qualified(name), node, node)
        for position in _positions_of_dtypes(name):
            if position < len(arguments.args):
                nodes = argument_nodes(node)
                where = nodes[position] if position < len(nodes) else node
                self.on_dtype(arguments.args[position], where, node)
        for keyword in _DTYPE_PARAMETERS & arguments.kwargs.keys():
            self.on_dtype(arguments.kwargs[keyword], keyword_node(node, keyword), node)

    def on_transform(self, function: Transformed, node: n.Node) -> None:
        """Options that a transform never had."""
        for keyword, value in function.options.items():
            if value is UNKNOWN:
                continue  # It may stand for options that nobody can see.
            if function.name.startswith(_OF_JAX) and not ever_took(function.name, keyword):
                self._note_unknown_keyword(function.name, keyword, node)

    def _note_unknown(self, name: str, node: n.Node) -> None:
        """A name that no release has, or that only later ones have."""
        since = came_in(name)
        if since or not ever_existed(name):
            context = self.tracer.context(node, node, guarded=self._guarded())
            self.tracer.emit(UnknownApi(context, name, "", nearest(name), since))

    def _note_unknown_keyword(self, name: str, keyword: str, node: n.Node) -> None:
        context = self.tracer.context(node, keyword_node(node, keyword), guarded=self._guarded())
        self.tracer.emit(UnknownApi(context, name, keyword, nearest_parameter(name, keyword)))

    def _guarded(self) -> bool:
        frame = self.tracer.stack.frame
        return (frame.conditional > 0 and self._tests_releases) or frame.api_guards > 0

    def _note(self, name: str, change: Change, node: n.Node) -> None:
        context = self.tracer.context(node, node, guarded=self._guarded())
        event = RemovedApi(context, name, change.removed, change.deprecated, change.says)
        self.tracer.emit(event)

    # ------------------------------------------------------------------------- types

    def on_dtype(self, dtype: Value, where: n.Node, node: n.Node) -> None:
        name = ""
        if isinstance(dtype, Qualified):
            module, _, name = dtype.name.rpartition(".")
            name = name if module in jax_api.MODULES_OF_DTYPES else ""
        elif isinstance(dtype, Const) and isinstance(dtype.value, str):
            name = dtype.value
        if name in jax_api.WIDE_TYPES:
            self.tracer.emit(WideDtype(self.tracer.context(node, where), name))


def _postpones_annotations(module: n.Module) -> bool:
    """Whether a file says that its annotations are not evaluated."""
    imports = (node for node in module.body if isinstance(node, n.Import))
    return any(node.qualified == "__future__.annotations" for node in imports)


def _tests_releases(module: n.Module) -> bool:
    """Whether a file asks which release runs: then what hangs on a test was meant so."""
    loaded = module.loaded
    if not _ASKS_FOR_MORE.isdisjoint(loaded) or any("version" in name.lower() for name in loaded):
        return True
    return not _ASKS.isdisjoint(loaded) and _asks_modules(module)


def _asks_modules(module: n.Module) -> bool:
    """Whether ``hasattr`` or ``getattr`` is asked of what was imported, or of nobody knows what."""
    imported: set[str] = set()
    asked: list[n.Node] = []
    for node in walk(module.body):
        if isinstance(node, n.Import) and node.target is not None:
            imported.add(node.target.id)
        elif isinstance(node, n.Call) and isinstance(node.function, n.Name):
            if node.function.id in _ASKS and node.arguments:
                asked.append(node.arguments[0].value)
    return any((root := _root(owner)) is None or root in imported for owner in asked)


def _root(node: n.Node) -> str | None:
    """The name that a dotted name begins with."""
    while isinstance(node, n.Attribute):
        node = node.value
    return node.id if isinstance(node, n.Name) else None
