"""Seconds since 1970 in float32, which tells apart what is two minutes apart and no less."""

from __future__ import annotations

from jaxlint.events import CoarseClock
from jaxlint.knowledge import dtypes, jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.operations.ranges import name_of_dtype
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import Clock, Value

_SINCE_1970 = frozenset({"time.time"})
_NARROW = frozenset({"float32", "float16", "bfloat16"})


class Coarse(Analysis):
    """Notes readings of such a clock where they become arrays of JAX."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return "time" in module.loaded

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        scalar = name.rpartition(".")[2] if name in dtypes.SCALAR_TYPES else None
        if scalar is None and name not in jax_api.MAKES_ARRAYS:
            return
        dtype = arguments.get(1, "dtype")
        written = name_of_dtype(dtype) if dtype is not None else scalar
        if written in _NARROW or (written is None and self._is_narrow(dtype)):
            self._note(name, arguments.args[:1], node)

    def _is_narrow(self, dtype: Value | None) -> bool:
        """Whether a float that nobody makes another one has 32 bits."""
        return dtype is None and self.tracer.settings.x64 is False

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.transform.compiles and function.transform.traced == "all":
            if self._is_narrow(None):
                self._note(function.name, arguments.args, node)

    def _note(self, name: str, given: tuple[Value, ...], node: n.Node) -> None:
        for value, where in zip(given, argument_nodes(node), strict=False):
            # A variable may hold what has passed since another reading.
            if isinstance(value, Clock) and value.name in _SINCE_1970 and value.node is where:
                self.tracer.emit(CoarseClock(self.tracer.context(where, where), name))
                return
