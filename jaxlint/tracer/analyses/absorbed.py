"""Bounds such as ``1 - 1e-10`` that are whole numbers in float32, and what is so large there."""

from __future__ import annotations

from jaxlint.events import AbsorbedNumber
from jaxlint.knowledge.floats import BOUNDS, DIGITS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.rounding import becomes_whole
from jaxlint.tracer.values.value import Const

_WIDEST = "float32"


class Absorbed(Analysis):
    """Notes such bounds, where no array of 64 bits can be meant."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.rpartition(".")[2] in module.loaded for name in BOUNDS)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name not in BOUNDS or not arguments.closed:
            return
        places = BOUNDS[name]
        bounds = [
            arguments.kwargs.get(each) if isinstance(each, str) else arguments.get(each)
            for each in places
        ]
        dtype = self._dtype(arguments)
        for bound in bounds if dtype else ():
            number = bound.value if isinstance(bound, Const) else None
            if not isinstance(number, float):
                continue
            kept = becomes_whole(number, DIGITS[dtype])
            if kept is not None:
                context = self.tracer.context(node, node)
                self.tracer.emit(AbsorbedNumber(context, number, kept, dtype, name))
                return

    def _dtype(self, arguments: Arguments) -> str:
        """The widest that the result can have; empty where it may have 64 bits."""
        arrays = [each for each in arguments.all() if isinstance(each, (Array, NumpyArray))]
        known = [each.aval.dtype for each in arrays if isinstance(each, Array)]
        if len(arrays) == len(known) == 1 and known[0] in DIGITS:
            return known[0]
        return _WIDEST if self.tracer.settings.x64 is False else ""
