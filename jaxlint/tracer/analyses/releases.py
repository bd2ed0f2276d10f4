"""Names and ways of calling that some releases of JAX lack, types that they narrow, and names
that mislead.
"""

from __future__ import annotations

from functools import cache

from jaxlint.events import NumpyAlias, RemovedApi, UnknownApi, WideDtype
from jaxlint.knowledge import array_names, dtypes, jax_api
from jaxlint.knowledge.history import (
    ATTRIBUTES,
    Change,
    always_there,
    came_in,
    change_above,
    change_of,
    ever_existed,
    ever_took,
    left_out,
    nearest,
    nearest_parameter,
    parameter_change,
    position_change,
)
from jaxlint.knowledge.library_history import (
    change_above_in_library,
    change_in_library,
    parameter_change_in_library,
)
from jaxlint.knowledge.measured import signature_of
from jaxlint.knowledge.replacements import ENTERED, NO_MODULES, WAYS, Way
from jaxlint.program import nodes as n
from jaxlint.program.walk import children, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, type_name

_ASKS = frozenset({"hasattr", "getattr"})
_OWNER_AND_NAME = 2
_ASKS_FOR_MORE = frozenset({"signature", "getfullargspec", "import_module", "__import__"})
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
    """Notes what depends on the release of JAX: in the text of the file itself alone."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._tests_releases = _tests_releases(tracer.module)
        self._postpones = _postpones_annotations(tracer.module)
        self._is_elsewhere = tracer.is_elsewhere
        self._gone: dict[int, RemovedApi] = {}

    # ------------------------------------------------------------------------- names

    def on_name(self, name: str, node: n.Node) -> None:
        if self._is_elsewhere(node.origin):
            return
        if not name.startswith(jax_api.PACKAGE):
            went = change_in_library(name)
            if went is not None:
                self._note_name(name, went, node)
            return
        if always_there(name):
            return
        change = change_of(name)
        if change is not None:
            self._note_name(name, change, node)
        else:
            self._note_unknown(name, node)

    def on_annotation(self, annotation: n.Node) -> None:
        if self._postpones or self._is_elsewhere(annotation.origin):
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
        if self._is_elsewhere(node.origin):
            return
        name = node.module or node.qualified
        if not name.startswith(jax_api.PACKAGE):
            went = change_above_in_library(name)
            if went is not None:
                self._note(went[0], went[1], node)
            return
        if node.qualified == jax_api.NUMPY and node.target is not None and node.target.id == "np":
            self.tracer.emit(NumpyAlias(self.tracer.context(node)))
        found = change_above(name)
        if node.module in NO_MODULES:
            self._note(name, NO_MODULES[name], node, how="as a module")
        elif found is not None:
            self._note(found[0], found[1], node)
        else:
            self._note_unknown(name, node)

    def on_missing_attribute(self, name: str, node: n.Node) -> None:
        change = ATTRIBUTES.get(name)
        if change is not None:
            self._note(f".{name}", change, node)
        else:
            context = self.tracer.context(node, node, guarded=self._guarded())
            called = f"{jax_api.ARRAY}.{name}"
            self.tracer.emit(UnknownApi(context, called, "", array_names.INSTEAD[name]))

    # ------------------------------------------------------------------------- calls

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """Ways of calling that went, and 64 bit types asked for."""
        if self._is_elsewhere(node.origin):
            return
        if name in WAYS:
            self._note_way(name, WAYS[name], arguments, node)
        if not name.startswith(jax_api.PACKAGE):
            for keyword in arguments.kwargs:
                change = parameter_change_in_library(name, keyword)
                if change is not None:
                    self._note(name, change, keyword_node(node, keyword), keyword=keyword)
            return
        self._note_arguments(name, arguments, node)
        if name.rpartition(".")[2] in jax_api.WIDE_TYPES:
            self.on_dtype(Qualified(name), node, node)
        for position in _positions_of_dtypes(name):
            if position < len(arguments.args):
                nodes = argument_nodes(node)
                where = nodes[position] if position < len(nodes) else node
                self.on_dtype(arguments.args[position], where, node)
        for keyword in _DTYPE_PARAMETERS & arguments.kwargs.keys():
            self.on_dtype(arguments.kwargs[keyword], keyword_node(node, keyword), node)

    def on_enter(self, value: Value, node: n.Node) -> None:
        """``with mesh:``."""
        if isinstance(value, External) and value.type in ENTERED:
            self._note(value.type, ENTERED[value.type], node, how="as a context manager")

    def _note_arguments(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """What a function is given that it takes no longer, or never took."""
        for keyword, value in arguments.kwargs.items():
            where = keyword_node(node, keyword)
            if value is UNKNOWN and where is node:
                continue  # It may stand for options that nobody can see.
            change = parameter_change(name, keyword)
            if not ever_took(name, keyword):
                self._note_unknown_keyword(name, keyword, arguments, node)
            elif change is not None:
                self._note(name, change, where, keyword=keyword)
        count = len(arguments.args)
        moved = position_change(name, count) if arguments.open_args is None else None
        if moved is not None:
            self._note(name, moved, node, how=f"with {count} positional arguments")

    def _note_way(self, name: str, way: Way, arguments: Arguments, node: n.Node) -> None:
        value = arguments.get(way.position, way.keyword)
        if _is_given(way, value):
            where = keyword_node(node, way.keyword) if way.keyword else node
            array = isinstance(value, (Array, NumpyArray))
            self._note(name, way.change, where, how=way.how, of_array=array)

    def _note_name(self, name: str, change: Change, node: n.Node) -> None:
        """A name that goes: of a module that goes as well, later, the name alone is said."""
        around = self._gone.pop(id(node.value), None) if isinstance(node, n.Attribute) else None
        if around is not None and change.removed:
            self.tracer.record.withdraw(around)
        self._gone[id(node)] = self._note(name, change, node)

    def _note_unknown(self, name: str, node: n.Node) -> None:
        """A name that no release has, or that only later ones have."""
        since, module = came_in(name), name.rpartition(".")[0]
        if (since and since == came_in(module)) or not ever_existed(module):
            return  # That its module is not there has been said.
        if since or not ever_existed(name):
            context = self.tracer.context(node, node, guarded=self._guarded())
            self.tracer.emit(UnknownApi(context, name, "", nearest(name), since))

    def _note_unknown_keyword(
        self, name: str, keyword: str, arguments: Arguments, node: n.Node
    ) -> None:
        context = self.tracer.context(node, keyword_node(node, keyword), guarded=self._guarded())
        wanted = left_out(name, len(arguments.args), frozenset(arguments.kwargs))
        instead = nearest_parameter(name, keyword) or (wanted if arguments.closed else "")
        self.tracer.emit(UnknownApi(context, name, keyword, instead))

    def _guarded(self) -> bool:
        frame = self.tracer.stack.frame
        return (frame.conditional > 0 and self._tests_releases) or frame.api_guards > 0

    def _note(
        self,
        name: str,
        change: Change,
        node: n.Node,
        *,
        keyword: str = "",
        how: str = "",
        of_array: bool = False,
    ) -> RemovedApi:
        context = self.tracer.context(node, node, guarded=self._guarded())
        event = RemovedApi(
            context, name, change.removed, change.deprecated, change.says, keyword, how,
            change.package, change.needs, of_array,
        )  # fmt: skip
        self.tracer.emit(event)
        return event

    # ------------------------------------------------------------------------- types

    def on_dtype(self, dtype: Value, where: n.Node, node: n.Node) -> None:
        name = ""
        if isinstance(dtype, Qualified):
            module, _, name = dtype.name.rpartition(".")
            name = name if module in dtypes.MODULES_OF_DTYPES else ""
        elif isinstance(dtype, Const) and isinstance(dtype.value, str):
            name = dtype.value
        if name in jax_api.WIDE_TYPES:
            self.tracer.emit(WideDtype(self.tracer.context(node, where), name))


def _postpones_annotations(module: n.Module) -> bool:
    """Whether a file says that its annotations are not evaluated."""
    imports = (node for node in module.body if isinstance(node, n.Import))
    return any(node.qualified == "__future__.annotations" for node in imports)


def _is_given(way: Way, value: Value | None) -> bool:
    """Whether an argument is for certain what makes a call one that went."""
    if way.given == "nothing" or value is None:
        return way.given == "nothing" and value is None
    if way.given == "anything":
        return True
    if way.given == "function":
        return function_like(value)
    if isinstance(value, (Array, NumpyArray)):
        return value.aval.dtype not in (None, "bool")
    return type_name(value) in ("int", "float", "complex")


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
        elif isinstance(node, n.Call) and _asks(node):
            asked.append(node.arguments[0].value)
    return any((root := _root(owner)) is None or root in imported for owner in asked)


def _asks(call: n.Call) -> bool:
    """Whether a call may ask which names there are; ``getattr(jnp, name)`` only looks one up."""
    if not isinstance(call.function, n.Name) or call.function.id not in _ASKS:
        return False
    looks_up = call.function.id == "getattr" and len(call.arguments) == _OWNER_AND_NAME
    return bool(call.arguments) and not (
        looks_up and not isinstance(call.arguments[1].value, n.Constant)
    )


def _root(node: n.Node) -> str | None:
    """The name that a dotted name begins with."""
    while isinstance(node, n.Attribute):
        node = node.value
    return node.id if isinstance(node, n.Name) else None
