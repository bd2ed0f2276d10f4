"""Results through which no cotangent goes back: ``grad`` of a count of hits is zero everywhere."""

from __future__ import annotations

from typing import Literal

from jaxlint.events import ZeroGradient
from jaxlint.knowledge import gradients, jax_api
from jaxlint.knowledge.libraries import LAYERS
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.backward import differentiated, is_given, perturbed
from jaxlint.tracer.values.derivations import (
    APPLIED,
    LEFT,
    NAMED,
    SAME,
    Derivation,
    derivation_of,
)
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Const, Host, Unknown, Value

_Way = Literal["no", "cut", "unknown"]
"""How a value depends on what is differentiated: not at all, with a gradient of zero, or who knows.
"""

_SAME = frozenset({SAME, NAMED, LEFT, APPLIED})
_EXACT = ("int", "bool")
_DEEPEST = 64
_OF_JAX = f"{jax_api.PACKAGE}."


class Cuts(Analysis):
    """Looks at what is differentiated, from its result back."""

    def on_differentiated(self, level: Level, result: Value) -> None:
        loss = differentiated(level.transform, result)
        if self.tracer.stack.muted or not isinstance(loss, Array):
            return
        if loss.perturbed or loss.dtype not in ("float", None):
            return
        back = _Back(level)
        way = back.of(loss)
        if way == "cut" and back.cut is not None:
            self._note(level, back.cut, back.cut.operation)
        elif way == "no" and back.data and back.sees_all and self._ignores_what_itis_given(level):
            self._note(level, derivation_of(loss), "")

    def _ignores_what_itis_given(self, level: Level) -> bool:
        """Whether something that the function is given is differentiated, and not used in it."""
        given = (leaf for value in level.received for leaf in leaves(value))
        return any(perturbed(tuple(given))) and not self.tracer.stack.library

    def _note(self, level: Level, derived: Derivation | None, operation: str) -> None:
        node = derived.node if derived is not None else None
        if derived is not None and node is not None:
            context = self.tracer.context(node, node, by=derived.chain)
            self.tracer.emit(ZeroGradient(context, operation, level.function))


class _Back:
    """The way back from a result.

    Attributes:
        cut: the first operation on it that gives nothing back.
        data: it comes of arrays that were there before.
        sees_all: and of nothing of which nobody knows what it is.
    """

    def __init__(self, level: Level) -> None:
        self._received: set[int] = set()
        around: Level | None = level
        while around is not None:
            for value in around.received:
                self._received.update(map(id, leaves(value)))
            around = around.parent
        self._known: dict[int, _Way] = {}
        self.cut: Derivation | None = None
        self.data = False
        self.sees_all = True

    def of(self, value: Value, depth: int = _DEEPEST) -> _Way:
        if isinstance(value, (Const, Host, NumpyArray, Qualified)):
            return "no"
        if _is_parameter(value):
            self.sees_all = False
            return "no"
        if not isinstance(value, (Array, Tree)):
            parts = list(leaves(value))
            self.sees_all = False
            return _together(
                [self.of(each, depth) for each in parts if each is not value] or ["unknown"]
            )
        derived = derivation_of(value)
        if derived is None:
            given = is_given(value)
            self.data = self.data or given
            self.sees_all = self.sees_all and self._is_in_view(value)
            return "no" if given else "unknown"
        if not depth:
            return "unknown"
        found = self._known.get(id(derived))
        if found is None:
            found = self._known[id(derived)] = self._by(derived, value, depth - 1)
        return found

    def _is_in_view(self, value: Array | Tree) -> bool:
        """Whether a value is an array of the host, or what is passed to what is differentiated.

        What code out of view gives has no derivation either.
        """
        on_host = isinstance(value, Array) and value.traced is False and not value.assumed
        return on_host or id(value) in self._received

    def _by(self, derived: Derivation, value: Array | Tree, depth: int) -> _Way:
        if derived.operation in jax_api.ASKS_SHAPE_ALONE:
            return "no"  # It is a constant, and meant to be one.
        if any(perturbed(derived.operands)):
            return self._ends_at(derived, value)
        if derived.name in LAYERS or (derived.name not in _SAME and not derived.operation):
            return "unknown"  # A layer may have parameters that nobody passes here.
        ways = [self.of(operand, depth) for operand in derived.operands]
        cuts = gradients.is_cut(derived.operation) or _cuts(derived, value)
        if "unknown" in ways and cuts:
            # Whether it depends on that or not: the gradient is zero.
            self.cut = self.cut or derived
            return "cut"
        return _together(ways)

    def _ends_at(self, derived: Derivation, value: Array | Tree) -> _Way:
        """Whether it is here that cotangents get lost, and not where somebody stops them."""
        exact = isinstance(value, Array) and value.dtype in _EXACT
        if derived.name in _SAME or not (exact or gradients.is_cut(derived.operation)):
            return "unknown"
        self.cut = self.cut or derived
        return "cut"


def _cuts(derived: Derivation, value: Array | Tree) -> bool:
    """Whether a function gives integers, which have no gradient, whatever it is given."""
    exact = isinstance(value, Array) and value.dtype in _EXACT
    return exact and derived.name.startswith(_OF_JAX)


def _together(ways: list[_Way]) -> _Way:
    for way in ("unknown", "cut"):
        if way in ways:
            return way
    return "no"


def _is_parameter(value: Value) -> bool:
    """Whether it is what nobody in view passes for a parameter, whose symbol begins with that."""
    symbol = value.symbol if isinstance(value, Unknown) else None
    return isinstance(symbol, tuple) and isinstance(symbol[0], int)
