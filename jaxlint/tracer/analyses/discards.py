"""Calls of pure functions whose result is thrown away."""

from __future__ import annotations

from jaxlint.events import DiscardedUpdate
from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted, statements
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.borders import is_of_library
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.objects import Instance, Method, Qualified
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
        if (isinstance(target, Qualified) and _is_pure(target.name)) or (
            isinstance(target, Qualified) and self._loops_for_nothing(call, target.name)
        ):
            self._note(call, target.name, function)
        elif target is not None and isinstance(function, n.Attribute):
            self._on_method(call, function, target)

    def _loops_for_nothing(self, call: n.Call, name: str) -> bool:
        """Whether a loop of JAX updates an array that nobody gets, in a function that returns.

        What is called for its effects, as in a kernel or to compile it, carries no array there.
        """
        row, frame = TRANSFORMS.get(name), self.tracer.stack.frame
        if row is None or row.carry is None or not name.startswith(f"{jax_api.PACKAGE}."):
            return False
        if self.tracer.refs_about or frame.function is None:
            return False
        returns = any(isinstance(each, n.Return) for each in statements(frame.function.code.body))
        given = [each.value for each in call.arguments if each.keyword == row.carry.keyword]
        placed = [each for each in call.arguments if each.keyword is None and not each.star]
        given += [each.value for each in placed[row.carry.position : row.carry.position + 1]]
        return returns and any(self._holds_array(each) for each in given)

    def _holds_array(self, node: n.Node) -> bool:
        """Whether names in an expression hold an array that has axes."""
        if isinstance(node, n.Display):
            return any(map(self._holds_array, node.elements))
        value = self.tracer.evaluate(node) if is_dotted(node) else None
        return isinstance(value, Array) and not value.assumed and bool(value.rank)

    def _on_method(self, call: n.Call, function: n.Attribute, method: Value) -> None:
        name = function.attr
        if name in jax_api.LOOKS_LIKE_UPDATE and _is_array(self.tracer.evaluate(function.value)):
            self._note(call, f".{name}", function.value)
        elif name in jax_api.COPYING_METHODS and all(item.keyword for item in call.arguments):
            if _copies(method, self.tracer.evaluate(function.value)):
                self._note(call, f".{name}", function.value, of_object=True)

    def _note(self, call: n.Call, construct: str, subject: n.Node, of_object: bool = False) -> None:
        context = self.tracer.context(call, subject)
        self.tracer.emit(DiscardedUpdate(context, construct, of_object=of_object))

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
    return name in jax_api.PURE_UPDATES or name in python_api.MAKES_FUNCTIONS


def _copies(method: Value, receiver: Value) -> bool:
    """Whether a method gives a changed copy of a pytree, and leaves the object as it is.

    One that the program defines may do anything.
    """
    if isinstance(receiver, Instance):
        own = function_under(method)
        return isinstance(method, Method) or (own is not None and is_of_library(own))
    return isinstance(receiver, Tree) and not receiver.container


def _is_array(value: Value) -> bool:
    """Whether it is a JAX array for certain; a list of tracers could not be sorted either."""
    if isinstance(value, Tree):
        return not value.container
    return isinstance(value, Array) and (not value.assumed or value.traced is True)
