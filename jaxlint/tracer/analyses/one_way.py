"""Gradients that would go back through a loop of which nobody knows how often it has run."""

from __future__ import annotations

from jaxlint.events import BadGradient
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.backward import behind, differentiated
from jaxlint.tracer.values.derivations import ONE_WAY, Derivation
from jaxlint.tracer.values.value import Value

_ASKED = frozenset({"gradient", "value_and_gradient"})
"""What transforms give that send cotangents back; others leave it to the program to send some."""

_CONVERTS = frozenset({"astype", "array", "asarray", "convert_element_type", "view"})
"""What may make integers of floats, to which nothing goes back."""


class OneWay(Analysis):
    """Looks at what is differentiated, from its result back."""

    def on_differentiated(self, level: Level, result: Value) -> None:
        if level.transform.result not in _ASKED or self.tracer.stack.muted:
            return
        loss = differentiated(level.transform, result)
        for derived in behind(loss, certain=True):
            loop = derived.name.removeprefix(ONE_WAY)
            if loop != derived.name and derived.node is not None and _has_floats(derived):
                context = self.tracer.context(derived.node, by=derived.chain)
                self.tracer.emit(BadGradient(context, "loop", loop, level.name, level.function))
                return


def _has_floats(derived: Derivation) -> bool:
    """Whether what a loop gives has a gradient for certain: it is no integer."""
    (value,) = derived.operands
    if isinstance(value, Array) and value.dtype is not None:
        return value.dtype in ("float", "complex")
    names = (each.operation.rpartition(".")[2] for each in behind(value))
    return isinstance(value, Array) and _CONVERTS.isdisjoint(names)
