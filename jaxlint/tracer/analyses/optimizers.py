"""What optimizers of optax are given: parameters, and the state that they gave before."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.events import MissingParameters, StaleOptimizer
from jaxlint.knowledge.libraries import NEEDS_PARAMETERS, OPTIMIZER
from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names, is_dotted, statements, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.state.frames import Frame, Link
from jaxlint.tracer.values.objects import External
from jaxlint.tracer.values.value import NONE

_UPDATE = "update"
_STATE, _PARAMETERS = 1, 2
_NOWHERE = -1


class Optimizers(Analysis):
    """Notes updates without parameters, and those that begin from the same state each time."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return _UPDATE in module.loaded

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name != f"{OPTIMIZER}.{_UPDATE}" or not isinstance(node, n.Call):
            return
        method = node.function
        # Only names are looked at again: calls have had their effects.
        if not isinstance(method, n.Attribute) or not is_dotted(method.value):
            return
        optimizer = self.tracer.evaluate(method.value)
        if not isinstance(optimizer, External) or not arguments.closed:
            return
        parameters = arguments.get(_PARAMETERS, "params")
        needy = [part.maker for part in optimizer.parts if part.maker in NEEDS_PARAMETERS]
        if needy and (parameters is None or parameters is NONE):
            context = self.tracer.context(node, method)
            self.tracer.emit(MissingParameters(context, needy[0]))
        keepers = [part.maker for part in optimizer.parts if part.keeps_state]
        given = argument_nodes(node)
        state = given[_STATE] if len(given) > _STATE else keyword_node(node, "state")
        if keepers and isinstance(state, n.Name) and self._begins_again(node, state.id):
            context = self.tracer.context(node, state)
            self.tracer.emit(StaleOptimizer(context, state.id, keepers[0]))

    def _begins_again(self, call: n.Call, state: str) -> bool:
        """Whether nobody reads the new state, and the next pass of a loop brings the same one."""
        stack = self.tracer.stack
        frame = stack.frame
        body = self._body(frame)
        if not self._is_dropped(call, body, frame):
            return False
        if frame.loops and frame.loops[-1].frame is frame:
            return _stays(state, call, body)
        link = stack.chain[-1] if stack.chain else None
        return link is not None and link.looping and self._is_passed_again(link, state, frame)

    def _body(self, frame: Frame) -> list[n.Node]:
        code = frame.function.code if frame.function is not None else None
        return code.body if code is not None else self.tracer.module.body

    def _is_dropped(self, call: n.Call, body: Iterable[n.Node], frame: Frame) -> bool:
        """Whether the second of two names that the call's result is bound to is never read."""
        for statement in statements(body):
            if isinstance(statement, n.Assign) and statement.value is call:
                target = statement.targets[0]
                names = target.elements if isinstance(target, n.Display) else []
                last = names[1] if len(names) == 2 else None
                read = frame.scope.reads | frame.scope.inner_reads
                return isinstance(last, n.Name) and last.id not in read
        return False

    def _is_passed_again(self, link: Link, state: str, frame: Frame) -> bool:
        """Whether the loop that calls this function passes the same variable each time."""
        code = frame.function.code if frame.function is not None else None
        names = [parameter.name for parameter in code.parameters] if code is not None else []
        if code is None or state not in names or state in assigned_names(code.body):
            return False
        given = argument_nodes(link.node)
        position = names.index(state)
        passed = given[position] if position < len(given) else keyword_node(link.node, state)
        if not isinstance(passed, n.Name):
            return False
        body = self._body(link.frame)
        if _stays(passed.id, link.node, body):
            return True
        return _only_from(passed.id, link.node, body) == _returned(state, code)


def _returned(name: str, code: n.Function) -> int | None:
    """Where in the tuple that a function returns it gives a variable back; None when unclear."""
    returns = [each for each in statements(code.body) if isinstance(each, n.Return)]
    result = returns[0].value if len(returns) == 1 else None
    return _place(name, result)


def _only_from(name: str, call: n.Node, body: Iterable[n.Node]) -> int | None:
    """Where in the tuple that a call gives a variable comes from, in its loop from there alone.

    A number that is no place where it comes from elsewhere, too.
    """
    for loop in _loops_around(call, body)[-1:]:
        binding = [each for each in statements([loop]) if name in _bound_by(each)]
        if len(binding) == 1 and isinstance(binding[0], n.Assign) and binding[0].value is call:
            place = _place(name, binding[0].targets[0])
            return place if place is not None else _NOWHERE
    return _NOWHERE


def _bound_by(statement: n.Node) -> frozenset[str]:
    """Names that a statement that holds no others binds."""
    nested = (n.For, n.While, n.If, n.With, n.Try)
    return frozenset() if isinstance(statement, nested) else assigned_names([statement])


def _place(name: str, node: n.Node | None) -> int | None:
    elements = node.elements if isinstance(node, n.Display) else []
    found = [i for i, each in enumerate(elements) if isinstance(each, n.Name) and each.id == name]
    return found[0] if len(found) == 1 else None


def _stays(name: str, inside: n.Node, body: Iterable[n.Node]) -> bool:
    """Whether the innermost loop around a node does not bind a name."""
    loops = _loops_around(inside, body)
    return bool(loops) and name not in assigned_names(loops[-1:])


def _loops_around(inside: n.Node, body: Iterable[n.Node]) -> list[n.Node]:
    """The loops around a node, the innermost last."""
    return [
        statement
        for statement in statements(body)
        if isinstance(statement, (n.For, n.While))
        and any(each is inside for each in walk(statement.body))
    ]
