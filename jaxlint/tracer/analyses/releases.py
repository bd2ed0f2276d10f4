"""Names that some releases of JAX lack, types that they narrow, and names that mislead."""

from __future__ import annotations

from jaxlint.events import NumpyAlias, RemovedApi, WideDtype
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.history import (
    ATTRIBUTES,
    Change,
    change_above,
    change_of,
    parameter_change,
)
from jaxlint.knowledge.measured import signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import Const, Value

_ASKS_FOR_NAMES = frozenset({"hasattr", "getattr"})
_DTYPE_PARAMETERS = frozenset({"dtype", "new_dtype"})


class Releases(Analysis):
    """Notes what depends on the release of JAX."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        loaded = tracer.module.loaded
        # A version or hasattr test around a name means that the author knows.
        self._tests_releases = not _ASKS_FOR_NAMES.isdisjoint(loaded) or any(
            "version" in name.lower() for name in loaded
        )

    # ------------------------------------------------------------------------- names

    def on_name(self, name: str, node: n.Node) -> None:
        change = change_of(name) if name.startswith(jax_api.PACKAGE) else None
        if change is not None:
            self._note(name, change, node)

    def on_import(self, node: n.Import) -> None:
        if not node.qualified.startswith(jax_api.PACKAGE):
            return
        if node.qualified == jax_api.NUMPY and node.target is not None and node.target.id == "np":
            self.tracer.emit(NumpyAlias(self.tracer.context(node)))
        found = change_above(node.qualified)
        if found is not None:
            self._note(found[0], found[1], node)

    def on_missing_attribute(self, name: str, node: n.Node) -> None:
        self._note(f".{name}", ATTRIBUTES[name], node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """Keyword arguments that a function no longer takes, and 64 bit types asked for."""
        if not name.startswith(jax_api.PACKAGE):
            return
        for keyword in arguments.kwargs:
            change = parameter_change(name, keyword)
            if change is not None:
                self._note(f"{keyword}= of {name}", change, keyword_node(node, keyword))
        if name.rpartition(".")[2] in jax_api.WIDE_TYPES:
            self.on_dtype(Qualified(name), node, node)
        row = signature_of(name)
        nodes = argument_nodes(node)
        for position, value in enumerate(arguments.args[1:], start=1):
            if row is not None and row.name_of(position) in _DTYPE_PARAMETERS:
                self.on_dtype(value, nodes[position] if position < len(nodes) else node, node)
        for keyword in _DTYPE_PARAMETERS & arguments.kwargs.keys():
            self.on_dtype(arguments.kwargs[keyword], keyword_node(node, keyword), node)

    def _note(self, name: str, change: Change, node: n.Node) -> None:
        frame = self.tracer.stack.frame
        guarded = (frame.conditional > 0 and self._tests_releases) or frame.api_guards > 0
        context = self.tracer.context(node, node, guarded=guarded)
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
