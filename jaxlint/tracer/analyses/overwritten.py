"""Gradients that others overwrite before anything reads them, where all of them were to count."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import OverwrittenGradient, Site
from jaxlint.program import nodes as n
from jaxlint.program.loops import loops_around
from jaxlint.program.walk import alike, bindings, statements, walk
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
        if not isinstance(node, n.Call):
            return
        body = self.body_of(stack.frame)
        self._on_next_statement(function, node, body)
        if not stack.link(node).looping:
            return
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

    def _on_next_statement(self, function: Transformed, node: n.Call, body: list[n.Node]) -> None:
        """The gradients of something else are bound to the same name before anything reads it."""
        block = next((each for each in _blocks(body) if _binder(node, each) is not None), [])
        binder = _binder(node, block)
        name = _gradient(binder, function) if binder is not None else ""
        if binder is None or not name or name.startswith("_"):
            return
        for each in block[block.index(binder) + 1 :]:
            if _reads(name, [each]) or isinstance(each, (n.Return, n.Raise, n.Jump)):
                return
            if any(bound == name for _, bound in bindings([each])):
                if _is_of_something_else(each, name, function, node):
                    context, by = self.tracer.context(node, node), Site(each.origin)
                    event = OverwrittenGradient(context, name_of(function), name, by)
                    self.tracer.emit(event)
                return


def _blocks(body: list[n.Node]) -> Iterator[list[n.Node]]:
    """Each list of statements of a body that run one after the other."""
    yield body
    for each in statements(body):
        for inner in ("body", "orelse"):
            found = getattr(each, inner, None)
            if isinstance(found, list):
                yield found


def _is_of_something_else(binder: n.Node, name: str, function: Transformed, call: n.Call) -> bool:
    """Whether a statement binds a variable to other gradients; the same call only warms up."""
    if not isinstance(binder, n.Assign) or not isinstance(binder.value, n.Call):
        return False
    return _gradient(binder, function) == name and not alike(binder.value, call)


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
