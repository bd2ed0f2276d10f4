"""Results through which no cotangent goes back: ``grad`` of a count of hits is zero everywhere."""

from __future__ import annotations

from typing import Literal

from jaxlint.events import ZeroGradient
from jaxlint.knowledge import gradients, jax_api
from jaxlint.knowledge.libraries import LAYERS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.backward import differentiated, perturbed
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
        back = _Back()
        if back.of(loss) == "cut" and back.cut is not None and back.cut.node is not None:
            cut = back.cut
            node: n.Node = back.cut.node
            context = self.tracer.context(node, node, by=cut.chain)
            self.tracer.emit(ZeroGradient(context, cut.operation, level.function))


class _Back:
    """The way back from a result.

    Attributes:
        cut: the first operation on it that gives nothing back.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Way] = {}
        self.cut: Derivation | None = None

    def of(self, value: Value, depth: int = _DEEPEST) -> _Way:
        if isinstance(value, (Const, Host, NumpyArray, Qualified)):
            return "no"
        if _is_parameter(value):
            return "no"
        if not isinstance(value, (Array, Tree)):
            parts = list(leaves(value))
            return _together(
                [self.of(each, depth) for each in parts if each is not value] or ["unknown"]
            )
        derived = derivation_of(value)
        if derived is None:
            return "no" if _is_given(value) else "unknown"
        if not depth:
            return "unknown"
        found = self._known.get(id(derived))
        if found is None:
            found = self._known[id(derived)] = self._by(derived, value, depth - 1)
        return found

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


def _is_given(value: Array | Tree) -> bool:
    """Whether a value was there before what is differentiated ran."""
    if isinstance(value, Array) and (value.traced is not True or value.prng is not None):
        return True
    return value.reason is not None and value.reason.role != "result"


def _is_parameter(value: Value) -> bool:
    """Whether it is what nobody in view passes for a parameter, whose symbol begins with that."""
    symbol = value.symbol if isinstance(value, Unknown) else None
    return isinstance(symbol, tuple) and isinstance(symbol[0], int)
