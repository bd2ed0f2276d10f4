"""Leaves that ``stop_gradient`` keeps as they are, and weight decay does not."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import DecayedConstant
from jaxlint.knowledge.libraries import LAYERS
from jaxlint.knowledge.optax_api import OPTIMIZER
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Bounds, NumpyArray, Tree
from jaxlint.tracer.values.backward import differentiated, is_given, perturbed
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.derivations import APPLIED, LEFT, NAMED, SAME, derivation_of
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Class, Instance, Qualified
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import UNKNOWN, Const, Host, Value

_UPDATE = f"{OPTIMIZER}.update"
_PARAMETERS = 2
_DEEPEST = 4
_SAME = frozenset({SAME, NAMED, LEFT, APPLIED})
_Leaf = tuple[Class, str]
"""The class of an object, and the attribute of it that holds an array."""


class Decayed(Analysis):
    """Notes updates of such leaves, once it is known that no loss gives them a gradient."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._stopped: set[tuple[int, str]] = set()
        self._live: set[tuple[int, str]] = set()
        self._updates: list[tuple[tuple[int, str], DecayedConstant]] = []

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return "stop_gradient" in module.loaded

    def on_differentiated(self, level: Level, result: Value) -> None:
        fields = [each for value in level.received for each in _fields(value, _DEEPEST)]
        if not fields:
            return
        back = _Back(level)
        back.follow(differentiated(level.transform, result))
        for (cls, name), leaf in fields:
            where = id(cls.definition), name
            if not back.sees_all or id(leaf) in back.live:
                self._live.add(where)
            elif id(leaf) in back.stopped:
                self._stopped.add(where)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        method = node.function if isinstance(node, n.Call) else None
        if name != _UPDATE or not isinstance(method, n.Attribute) or self.tracer.stack.in_branch():
            return
        if not isinstance(method.value, (n.Name, n.Attribute)):
            return  # Only names are looked at again: calls have had their effects.
        optimizer = self.tracer.evaluate(method.value)
        parts = optimizer.parts if isinstance(optimizer, External) else ()
        makers = [part.maker for part in parts if part.decays and not part.masked]
        if not makers:
            return
        parameters = arguments.get(_PARAMETERS, "params") or UNKNOWN
        for (cls, leaf), _ in _fields(parameters, _DEEPEST):
            owner = cls.definition.name
            event = DecayedConstant(self.tracer.context(node, node), leaf, owner, makers[0])
            self._updates.append(((id(cls.definition), leaf), event))

    def on_end(self) -> None:
        for where, event in self._updates:
            if where in self._stopped - self._live:
                self.tracer.emit(event)


def _fields(value: Value, depth: int) -> Iterator[tuple[_Leaf, Array]]:
    """The arrays in the attributes of objects of the program, with where they are."""
    if not depth:
        return
    if isinstance(value, Sequence):
        for part in value.items or ():
            yield from _fields(part, depth - 1)
    if isinstance(value, Instance) and value.cls.definition is not None:
        for name, part in value.listed().items():
            if isinstance(part, Array) and part.dtype == "float":
                yield (value.cls, name), part
            yield from _fields(part, depth - 1)


class _Back:
    """The ways back from a loss.

    Attributes:
        live: the arrays to which a cotangent may go back, by their ids.
        stopped: those that are used behind a ``stop_gradient``.
        sees_all: there is nothing on the way of which nobody knows what it is made of.
    """

    def __init__(self, level: Level) -> None:
        received = (each for value in level.received for each in _fields(value, _DEEPEST))
        self._fields = {id(leaf) for _, leaf in received}
        self.live: set[int] = set()
        self.stopped: set[int] = set()
        self.sees_all = True

    def follow(self, loss: Value) -> None:
        """Go all the ways."""
        waiting: list[tuple[Value, bool]] = [(loss, False)]
        seen: set[tuple[int, bool]] = set()
        while waiting and self.sees_all:
            value, stopped = waiting.pop()
            if (id(value), stopped) in seen:
                continue
            seen.add((id(value), stopped))
            if id(value) in self._fields:
                (self.stopped if stopped else self.live).add(id(value))
                continue
            operands = self._operands(value)
            stopped = stopped or _stops(value)
            waiting += [(each, stopped) for each in operands]

    def _operands(self, value: Value) -> list[Value]:
        if isinstance(value, (Const, Host, NumpyArray, Qualified)):
            return []
        if isinstance(value, (Sequence, Mapping)):
            return list(leaves(value))
        if isinstance(value, Bounds):
            return list(value.given)
        derived = derivation_of(value)
        if derived is not None:
            known = derived.operation or derived.name in _SAME or derived.name in LAYERS
            self.sees_all = self.sees_all and bool(known)
            return list(derived.operands)
        self.sees_all = self.sees_all and isinstance(value, (Array, Tree)) and is_given(value)
        return []


def _stops(value: Value) -> bool:
    """Whether a value is another one as it is, to which no cotangent goes back."""
    derived = derivation_of(value)
    if derived is None or derived.name != SAME or not isinstance(value, (Array, Tree)):
        return False
    return not value.perturbed and any(perturbed(derived.operands))
