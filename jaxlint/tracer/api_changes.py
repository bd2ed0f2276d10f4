"""Names that some releases of JAX lack, types that they narrow, and names that mislead."""

from __future__ import annotations

from jaxlint.events import NumpyAlias, RemovedApi, WideDtype
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.history import ATTRIBUTES, PARAMETERS, Change, change_above, change_of
from jaxlint.knowledge.measured import signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.refusals import argument_nodes, keyword_node
from jaxlint.tracer.values import Const, Qualified, Value

_VERSION_NAMES = frozenset({"__version__", "__version_info__", "hasattr", "getattr"})
_DTYPE_PARAMETERS = frozenset({"dtype", "new_dtype"})


class ApiChanges(Machine):
    """Notes what depends on the release of JAX."""

    # --------------------------------------------------------------------- names

    def note_name(self, name: str, node: n.Node) -> None:
        """A dotted name of JAX was looked up."""
        change = change_of(name)
        if change is not None:
            self._note(name, change, node)

    def note_import(self, node: n.Import) -> None:
        """``from jax.experimental import maps`` and its like."""
        if node.qualified == "jax.numpy" and node.target is not None and node.target.id == "np":
            self.emit(NumpyAlias(self.context(node)))
        found = change_above(node.qualified)
        if found is not None:
            self._note(found[0], found[1], node)

    def note_missing_attribute(self, name: str, node: n.Node) -> None:
        """``x.device_buffer`` of an array."""
        self._note(f".{name}", ATTRIBUTES[name], node)

    def note_parameters(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """Keyword arguments that a function no longer takes, and 64 bit types asked for."""
        for keyword in arguments.kwargs:
            change = PARAMETERS.get((name, keyword))
            if change is not None:
                self._note(f"{keyword}= of {name}", change, keyword_node(node, keyword))
        row = signature_of(name)
        nodes = argument_nodes(node)
        for position, value in enumerate(arguments.args[1:], start=1):
            if row is not None and row.name_of(position) in _DTYPE_PARAMETERS:
                self.note_wide(value, nodes[position] if position < len(nodes) else node, node)
        for keyword in _DTYPE_PARAMETERS & arguments.kwargs.keys():
            self.note_wide(arguments.kwargs[keyword], keyword_node(node, keyword), node)

    def _note(self, name: str, change: Change, node: n.Node) -> None:
        # A version or hasattr test around it means that the author knows.
        tested = self.frame.conditional > 0 and not _VERSION_NAMES.isdisjoint(self.module.loaded)
        context = self.context(node, node, guarded=bool(tested or self.frame.api_guards))
        self.emit(RemovedApi(context, name, change.removed, change.deprecated, change.says))

    # --------------------------------------------------------------------- types

    def note_wide(self, dtype: Value, where: n.Node, node: n.Node) -> None:
        """A 64 bit type was asked for."""
        name = ""
        if isinstance(dtype, Qualified):
            module, _, name = dtype.name.rpartition(".")
            name = name if module in ("jax.numpy", "numpy") else ""
        elif isinstance(dtype, Const) and isinstance(dtype.value, str):
            name = dtype.value
        if name in jax_api.WIDE_TYPES:
            self.emit(WideDtype(self.context(node, where), name))
