"""Gradients of one batch that those of the next one overwrite, where all of them were to count."""

from __future__ import annotations

from jaxlint.events import OverwrittenGradient
from jaxlint.program import nodes as n
from jaxlint.program.loops import loops_around
from jaxlint.program.walk import bindings, statements, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import name_of
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import Value


class Overwritten(Analysis):
    """Notes gradients that a loop computes at the same point and does not look at."""

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        if function.transform.result not in ("gradient", "value_and_gradient"):
            return
        stack = self.tracer.stack
        if not isinstance(node, n.Call) or not stack.link(node).looping:
            return
        body = self.body_of(stack.frame)
        loops = loops_around(node, body)
        loop = loops[-1] if loops else None
        if not isinstance(loop, n.For):
            return
        binder = _binder(node, loop.body)
        name = _gradient(binder, function) if binder is not None else ""
        if binder is None or not name:
            return
        if _is_for_the_last(name, node, binder, loop) or not _is_read_after(name, loop, body):
            return
        context = self.tracer.context(node, node)
        self.tracer.emit(OverwrittenGradient(context, name_of(function), name))


def _binder(call: n.Node, body: list[n.Node]) -> n.Assign | None:
    """The statement, run by each pass, that binds what a call gives."""
    for each in body:
        if isinstance(each, n.Assign) and each.value is call and len(each.targets) == 1:
            return each
    return None


def _gradient(binder: n.Assign, function: Transformed) -> str:
    """The variable that gets the gradients; empty where there is none of its own."""
    target = binder.targets[0]
    if isinstance(target, n.Display) and len(target.elements) == 2:
        place = 1 if function.transform.result == "value_and_gradient" else 0
        target = target.elements[place]
    return target.id if isinstance(target, n.Name) else ""


def _is_for_the_last(name: str, call: n.Call, binder: n.Assign, loop: n.For) -> bool:
    """Whether the gradients of the last pass may be what is wanted: of a point that moves."""
    given = {each.id for each in walk(argument_nodes(call)) if isinstance(each, n.Name)}
    here = [bound for node, bound in bindings(loop.body) if node is not binder]
    of_the_pass = {each.id for each in walk([loop.target]) if isinstance(each, n.Name)}
    if not given & of_the_pass or name in here or given & set(here):
        return True
    jumps = any(isinstance(each, (n.Jump, n.Return)) for each in statements(loop.body))
    return jumps or _reads(name, loop.body) > 0


def _is_read_after(name: str, loop: n.For, body: list[n.Node]) -> bool:
    return _reads(name, body) > _reads(name, [loop])


def _reads(name: str, body: list[n.Node]) -> int:
    """How often a variable is read, and not bound."""
    names = sum(isinstance(each, n.Name) and each.id == name for each in walk(body))
    return names - sum(bound == name for _, bound in bindings(body))
