"""Calls of pure functions whose result is thrown away."""

from __future__ import annotations

from jaxlint.events import DiscardedUpdate
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import Unknown, Value


class Discards(Analysis):
    """Notes updates that change nothing."""

    def on_discard(self, call: n.Call) -> None:
        function = call.function
        if isinstance(function, n.Attribute) and self._updates_at(function):
            assert isinstance(function.value, n.Subscript)
            assert isinstance(function.value.value, n.Attribute)
            self._note(call, f".at[...].{function.attr}", function.value.value.value)
            return
        # Only names are looked at again: calls have had their effects.
        target = self.tracer.evaluate(function) if is_dotted(function) else None
        if isinstance(target, Qualified) and _is_pure(target.name):
            self._note(call, target.name, function)
        elif isinstance(function, n.Attribute) and function.attr in jax_api.LOOKS_LIKE_UPDATE:
            if is_dotted(function.value):
                if _is_array(self.tracer.evaluate(function.value)):
                    self._note(call, f".{function.attr}", function.value)

    def _note(self, call: n.Call, construct: str, subject: n.Node) -> None:
        self.tracer.emit(DiscardedUpdate(self.tracer.context(call, subject), construct))

    def _updates_at(self, function: n.Attribute) -> bool:
        """Whether it is ``x.at[i].set`` of what may be an array."""
        at = function.value
        if function.attr not in jax_api.AT_UPDATES or not isinstance(at, n.Subscript):
            return False
        if not isinstance(at.value, n.Attribute) or at.value.attr != "at":
            return False
        value = self.tracer.evaluate(at.value.value)
        if isinstance(value, (Array, Tree)):
            return True
        # Where Pallas is in use, an unknown object with `.at` may be a Ref.
        return isinstance(value, Unknown) and not self.tracer.refs_about


def _is_pure(name: str) -> bool:
    """Whether a function is called for nothing but its result."""
    transform = TRANSFORMS.get(name)
    if transform is not None:
        return (
            name.startswith(f"{jax_api.PACKAGE}.")
            and not transform.callees
            and transform.traced != "refs"
        )
    return name in jax_api.PURE_UPDATES


def _is_array(value: Value) -> bool:
    """Whether it is a JAX array for certain; a list of tracers could not be sorted either."""
    if isinstance(value, Tree):
        return not value.container
    return isinstance(value, Array) and (not value.assumed or value.traced is True)
