"""Optimizers whose updates climb, applied to the gradient of what its author calls a loss."""

from __future__ import annotations

import re

from jaxlint.events import ClimbingOptimizer
from jaxlint.knowledge.optax_api import APPLIES_UPDATES, OPTIMIZER
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.program.walk import bindings_in, is_dotted, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import name_of
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Transformed

_UPDATE = "update"
_LOSS = re.compile(r"(?:^|_)(?:loss|losses|cost|costs|mse|nll)(?:_|$)", re.IGNORECASE)
"""What the name of a function says that is to become small."""

_WHOLE = -1
"""The place of all that a call gives."""

_GRADIENTS = {"gradient": (_WHOLE, 0), "value_and_gradient": (1,)}
"""Where the gradients are in what transforms give, by what comes back of them."""


class Climbing(Analysis):
    """Notes updates with the sign of a loss's gradient that are added to the parameters."""

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in APPLIES_UPDATES and isinstance(node, n.Call):
            self._on_applied(node)
        if name != f"{OPTIMIZER}.{_UPDATE}" or not isinstance(node, n.Call):
            return
        method = node.function
        # Only names are looked at again: calls have had their effects.
        if not isinstance(method, n.Attribute) or not is_dotted(method.value):
            return
        optimizer, given = self.tracer.evaluate(method.value), argument_nodes(node)
        if not isinstance(optimizer, External) or not optimizer.parts or not given:
            return
        if not _climbs(optimizer):
            return
        loss = self._loss_behind(given[0])
        if loss is not None and self._are_added(node):
            masked = any(part.masked for part in optimizer.parts)
            context = self.tracer.context(node, method.value)
            self.tracer.emit(ClimbingOptimizer(context, loss, masked=masked))

    def _on_applied(self, node: n.Call) -> None:
        """The gradients themselves are no updates: those have the other sign."""
        given = argument_nodes(node)
        loss = self._loss_behind(given[1]) if len(given) == 2 else None
        if loss is not None:
            context = self.tracer.context(node, given[1])
            self.tracer.emit(ClimbingOptimizer(context, loss, as_they_are=True))

    def _loss_behind(self, gradients: n.Node) -> str | None:
        """The loss whose gradient a variable, or a call, is; None where it is not in view."""
        binder: n.Node | None = gradients
        place = _WHOLE
        if isinstance(gradients, n.Name):
            binder, place = self._bound(gradients)
        made = binder.function if isinstance(binder, n.Call) else None
        if isinstance(made, n.Call):
            name = qualified_name(self.tracer, made.function, self.tracer.stack.frame) or ""
            of, transform = argument_nodes(made), TRANSFORMS.get(name)
            differentiates = transform is not None and bool(transform.transposes)
            named = differentiates and bool(of) and is_dotted(of[0])
            called = name_of(self.tracer.evaluate(of[0])) if named else ""
            result = transform.result if transform is not None else ""
        else:
            function = self.tracer.evaluate(made) if made is not None and is_dotted(made) else None
            known = isinstance(function, Transformed) and function.transform.transposes
            called = name_of(function) if function is not None and known else ""
            result = function.transform.result if isinstance(function, Transformed) else ""
        is_gradient = place in _GRADIENTS.get(result, (place,))
        return called if is_gradient and _LOSS.search(called) else None

    def _are_added(self, call: n.Call) -> bool:
        """Whether what the call gives goes into the parameters as it is, and nowhere else."""
        code = self.code_of(self.tracer.stack.frame)
        body, bound = code.body, bindings_in(code)
        named = [name for node, name in bound if _value(node) is call]
        updates = next(iter(named), None)
        if updates is None or sum(name == updates for _, name in bound) != 1:
            return False
        calls = [each for each in walk(body) if isinstance(each, n.Call)]
        takers = [
            each for each in calls if any(_is(item, updates) for item in argument_nodes(each))
        ]
        reads = sum(_is(each, updates) for each in walk(body))
        frame = self.tracer.stack.frame
        names = {qualified_name(self.tracer, each.function, frame) for each in takers}
        return bool(takers) and names <= APPLIES_UPDATES and reads == len(takers) + 1

    def _bound(self, name: n.Name) -> tuple[n.Node | None, int]:
        """What a variable is bound to, by one statement alone, and to which part of it."""
        found = [
            node
            for node, bound in bindings_in(self.code_of(self.tracer.stack.frame))
            if bound == name.id
        ]
        return (_value(found[0]), _place(found[0], name.id)) if len(found) == 1 else (None, _WHOLE)


def _place(binder: n.Node, name: str) -> int:
    """The part of a value, by its position, that a statement binds a name to."""
    targets = binder.targets if isinstance(binder, n.Assign) else []
    for target in targets:
        for position, each in enumerate(target.elements if isinstance(target, n.Display) else ()):
            if any(_is(part, name) for part in walk([each])):
                return position
    return _WHOLE


def _climbs(optimizer: External) -> bool:
    """Whether some leaves get updates with the sign of their gradients, through all links."""
    turns = [part for part in optimizer.parts if not part.keeps_sign]
    if not turns:
        return not any(part.masked for part in optimizer.parts)
    passed_on = [part.passed_on or frozenset() for part in turns]
    return bool(frozenset.intersection(*passed_on))


def _is(node: n.Node, name: str) -> bool:
    return isinstance(node, n.Name) and node.id == name


def _value(binder: n.Node) -> n.Node | None:
    """What a statement binds; None where that is not in its text."""
    return binder.value if isinstance(binder, n.Assign) else None
