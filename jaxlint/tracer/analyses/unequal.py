"""Several processes that run one program: what is another value in each, where JAX wants one."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import Site, UnequalValue
from jaxlint.knowledge.processes import LOCAL_DATA, NAMES, PLACES, PROCESS, PROCESSES, PUTS, SET
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import free_variables, function_under
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, differing
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.gates import number_asked, tests_of_process
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.specs import in_force
from jaxlint.tracer.values.value import Differs, Value


class Unequal(Analysis):
    """Notes what differs between processes on its way to the devices of all of them."""

    of_the_file = True

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._gates: dict[object, n.Node] = {}

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return not NAMES.isdisjoint(module.loaded)

    def on_ask(self, symbol: object, node: n.Node) -> None:
        for test in tests_of_process(symbol):
            self._gates[test] = node

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """What is put on the devices of all processes: JAX compares it."""
        if name == PUTS and _is_global(self._in_force(arguments.get(*PLACES[PUTS]))):
            given = arguments.get(0, "x")
            differs = differing(leaves(given)) if given is not None else None
            if differs is not None:
                where = next(iter(argument_nodes(node)), node)
                self._note(differs, where, node, compared=True)

        if name == LOCAL_DATA:
            place, data = arguments.get(*PLACES[name]), arguments.get(1, "local_data")
            differs = differing(leaves(data)) if data is not None else None
            if differs is not None and _is_everywhere_the_same(self._in_force(place)):
                written = argument_nodes(node)
                self._note(differs, written[1] if len(written) > 1 else node, node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        row = function.transform
        if not row.compiles and not row.mesh:
            return
        for value, where in _with_nodes(arguments, node):
            differs = differing(leaves(value))
            if differs is not None and self._enters(function, arguments, value, differs):
                self._note(differs, where, node)
        for name, value in _closed_over(function):
            if value.differs is not None and value.differs.by != "rank":
                if self._enters(function, arguments, value, value.differs):
                    self._note(value.differs, node, node, name=name)

    def _enters(
        self, function: Transformed, arguments: Arguments, value: Value, differs: Differs
    ) -> bool:
        """Whether JAX takes an argument for the same in all processes, as its author means."""
        beside = any(_is_global(leaf) for given in arguments.all() for leaf in leaves(given))
        options = (function.options.get(name) for name in _PLACES)
        written = (leaf for option in options if option is not None for leaf in leaves(option))
        places = list(map(self._in_force, written))
        if differs.by != "rank":
            return beside or any(map(_is_global, places))
        if beside:
            return any(map(_is_batch, leaves(value)))
        return any(map(_is_everywhere_the_same, places))

    def _in_force(self, place: Value | None) -> Value | None:
        return in_force(self.tracer.mesh.get(SET), place)

    def _note(
        self,
        differs: Differs,
        subject: n.Node,
        node: n.Node,
        compared: bool = False,
        name: str = "",
    ) -> None:
        """Report it where all processes come, unless there is one alone."""
        tracer = self.tracer
        cause = differs.cause
        source = self._gates.get(cause) if differs.by == "gate" else cause
        asked = {number_asked(symbol) for symbol in tracer.facts}
        if tracer.stack.level is not None or tracer.stack.muted or not isinstance(source, n.Node):
            return
        if asked.isdisjoint((PROCESS, PROCESSES)):
            context = tracer.context(node, subject)
            site = Site(source.origin)
            tracer.emit(UnequalValue(context, differs.by, site, compared, name))


def _closed_over(function: Transformed) -> Iterator[tuple[str, Array]]:
    """The arrays and keys that a compiled function knows from around it."""
    inner = function_under(function)
    for name, value in free_variables(inner) if inner is not None else ():
        if isinstance(value, Array):
            yield name, value


def _with_nodes(arguments: Arguments, node: n.Node) -> Iterator[tuple[Value, n.Node]]:
    """The arguments of a call, and where each is written."""
    yield from zip(arguments.args, argument_nodes(node), strict=False)
    for name, value in arguments.kwargs.items():
        yield value, keyword_node(node, name)


_PLACES = ("in_shardings", "out_shardings", "mesh")
"""Options that say on which devices a function computes."""


def _is_batch(value: Value) -> bool:
    """Whether it is an array with axes that one process has: no PRNG key is meant to be whole."""
    if isinstance(value, NumpyArray):
        return value.has_axes and value.differs is not None
    is_one = isinstance(value, Array) and value.differs is not None and value.dtype != "key"
    return is_one and isinstance(value, Array) and bool(value.rank)


def _is_global(value: Value | None) -> bool:
    """Whether it is over the devices of all processes: an array, a mesh or a sharding."""
    return isinstance(value, (Array, External)) and bool(value.reach)


def _is_everywhere_the_same(value: Value | None) -> bool:
    """Whether a sharding gives every device the whole."""
    if not isinstance(value, External) or not value.reach or value.sizes is None:
        return False
    return all(count == 1 for count in value.sizes)
