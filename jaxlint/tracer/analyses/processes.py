"""Several processes that run one program: what waits for all of them where only some get to."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events import GatedCollective, Site
from jaxlint.knowledge import meshes
from jaxlint.knowledge.processes import (
    COLLECTIVES,
    NAMES,
    OF_LIBRARIES,
    PLACES,
    PROCESS,
    PROCESSES,
    PUTS,
    REDUCES,
    WITHOUT_WAITING,
)
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import listed
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.gates import EVERY, number_asked, says, tests_of_process, who_passes
from jaxlint.tracer.values.value import NONE, UNKNOWN, Value


@dataclass(frozen=True, slots=True)
class _Wait:
    """Something that returns when all processes have got there.

    Attributes:
        name: what is called; empty for a call of which nobody can say what it does.
        node: where the host calls it.
        traced: it is called while tracing: the host calls what is traced.
    """

    name: str
    node: n.Node
    traced: bool = False


@dataclass(frozen=True, slots=True)
class _Gate:
    """A test that only some processes pass: its place, and the scope that it stands in."""

    node: n.Node
    scope: n.Scope
    others_raise: bool


@dataclass(frozen=True, slots=True)
class _Met:
    """A wait behind a gate, with the processes that get there; no event for an unseen call."""

    event: GatedCollective | None
    who: frozenset[int]
    gates: tuple[_Gate, ...]


class Processes(Analysis):
    """Notes what waits for all processes behind a test that not all of them pass."""

    of_the_file = True

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._gates: dict[object, _Gate] = {}
        self._waits: list[_Wait] = []
        self._met: list[_Met] = []

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return not NAMES.isdisjoint(module.loaded)

    # ------------------------------------------------------------------ what happens

    def on_ask(self, symbol: object, node: n.Node) -> None:
        stack = self.tracer.stack
        raises = stack.asking is not None and _raises(stack.asking)
        for test in tests_of_process(symbol):
            self._gates[test] = _Gate(node, stack.frame.scope, raises)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if (
            name in COLLECTIVES
            or name in OF_LIBRARIES
            or (name == PUTS and _is_spread(arguments.get(*PLACES[PUTS])))
        ):
            if self.tracer.stack.level is None:
                self._note(_Wait(name, node))
        elif name in meshes.AXIS_FUNCTIONS and name not in WITHOUT_WAITING:
            axes = listed(arguments.get(meshes.AXIS_FUNCTIONS[name], "axis_name") or UNKNOWN)
            if any(isinstance(axis, str) and self._is_everywhere(axis) for axis in axes):
                self._note(_Wait(name, node, traced=True))
        elif name in REDUCES and arguments.args and _reads_all(arguments):
            first = arguments.args[0]
            if isinstance(first, Array) and first.reach == "part":
                self._note(_Wait(name, node, self.tracer.stack.level is not None))

    def on_wait(self, value: Value | None, node: n.Node, construct: str) -> None:
        if value is None and self.tracer.stack.level is None:
            self._note(_Wait("", node))

    def _is_everywhere(self, axis: str) -> bool:
        """Whether an axis goes over the devices of all processes."""
        for level in reversed(self.tracer.stack.levels()):
            if level.axes is None or axis in level.axes:
                return level.everywhere
        return False

    def _note(self, wait: _Wait) -> None:
        """Take up something that waits, unless all processes get here."""
        stack = self.tracer.stack
        if stack.muted:
            return
        self._waits.append(wait)
        who, gates = EVERY, []
        for symbol, fact in self.tracer.facts.items():
            root, holds = number_asked(symbol), bool(fact)
            if root == PROCESSES and not any(says(symbol, count) is holds for count in (2, 4)):
                return  # There is one process alone.
            if root == PROCESS:
                who &= who_passes(symbol, holds)
                if symbol in self._gates:
                    gates.append(self._gates[symbol])
        if not gates or who in (frozenset(), EVERY) or any(gate.others_raise for gate in gates):
            return
        node = self._called_by_host() if wait.traced else wait.node
        if node is not None:
            self._met.append(_Met(self._event(wait, node, gates[-1]), who, tuple(gates)))

    def _called_by_host(self) -> n.Node | None:
        """The call of the host that has led into the trace."""
        links = [link for link in self.tracer.stack.chain if link.level is None]
        return links[-1].node if links else None

    def _event(self, wait: _Wait, node: n.Node, gate: _Gate) -> GatedCollective | None:
        if not wait.name:
            return None
        context = self.tracer.context(node)
        return GatedCollective(context, wait.name, Site(gate.node.origin), wait.traced)

    # ------------------------------------------------------------------------ memory

    def before_call(self) -> int:
        return len(self._waits)

    def after_call(self, before: int) -> tuple[_Wait, ...]:
        """What has waited since."""
        return tuple(dict.fromkeys(self._waits[before:]))

    def replay(self, record: tuple[_Wait, ...], level: Level | None = None) -> None:
        for wait in record:
            self._note(wait)

    def on_end(self) -> None:
        for met in self._met:
            if met.event is not None and not any(_meets(met, other) for other in self._met):
                self.tracer.emit(met.event)


# --------------------------------------------------------------------------- tests


def _raises(asked: n.If) -> bool:
    """Whether an arm of a test ends by raising: the other processes do not go on."""
    return any(bool(arm) and isinstance(arm[-1], n.Raise) for arm in (asked.body, asked.orelse))


def _meets(one: _Met, other: _Met) -> bool:
    """Whether the processes that do not get to one wait get to the other, by the same tests."""
    if one.who & other.who or one.who | other.who != EVERY:
        return False
    scopes = {id(gate.scope) for gate in one.gates}
    return any(id(gate.scope) in scopes for gate in other.gates)


# -------------------------------------------------------------------------- values


def _is_spread(value: Value | None) -> bool:
    """Whether a sharding means the devices of all processes."""
    return isinstance(value, External) and bool(value.reach)


def _reads_all(arguments: Arguments) -> bool:
    """Whether a reduction goes over all axes."""
    axis = arguments.kwargs.get("axis", NONE)
    return len(arguments.args) == 1 and axis is NONE and arguments.closed
