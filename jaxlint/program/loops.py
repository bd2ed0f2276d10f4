"""Loops in the text of a body: which go around a node, and what a pass gives the next one."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.program import nodes as n
from jaxlint.program.walk import statements, walk


def loops_around(inside: n.Node, body: Iterable[n.Node]) -> list[n.Node]:
    """The loops around a node, the innermost last."""
    return [
        statement
        for statement in statements(body)
        if isinstance(statement, (n.For, n.While))
        and any(each is inside for each in walk(statement.body))
    ]


def goes_around(call: n.Node, loop: n.Node) -> bool:
    """Whether the next pass of a loop gives a call something of what it gives in this one."""
    flows = [
        (_names([node.value]), _names(_targets(node)), any(each is call for each in walk([node])))
        for node in statements([loop])
        if isinstance(node, (n.Assign, n.AnnotatedAssign, n.AugmentedAssign))
    ]
    needed: set[str] = _names([call])
    made: set[str] = set()
    for _ in flows:
        for read, bound, calls in flows:
            made |= bound if calls or read & made else set()
            needed |= read if bound & needed else set()
    return not made.isdisjoint(needed)


def _targets(node: n.Assign | n.AnnotatedAssign | n.AugmentedAssign) -> list[n.Node]:
    return node.targets if isinstance(node, n.Assign) else [node.target]


def _names(nodes: Iterable[n.Node | None]) -> set[str]:
    """The variables that stand in some expressions."""
    found = walk(node for node in nodes if node is not None)
    return {node.id for node in found if isinstance(node, n.Name)}


def tries_again(body: list[n.Node]) -> bool:
    """Whether another pass of a loop does what has failed, and means to do the same once more.

    A ``try`` in it that gets to its end leaves the loop.
    """
    return any(_leaves_unless_caught(each) for each in body if isinstance(each, n.Try))


def _leaves_unless_caught(node: n.Try) -> bool:
    if not node.handlers or not (node.orelse or node.body):
        return False
    last = (node.orelse or node.body)[-1]
    return isinstance(last, n.Return) or (isinstance(last, n.Jump) and last.kind == "break")


def leaves_at_once(loop: n.Node) -> bool:
    """Whether a loop that counts from zero leaves at zero: ``if step == 0: break``."""
    counter = _counts_from_zero(loop) if isinstance(loop, n.For) else None
    if counter is None or not isinstance(loop, n.For):
        return False
    for statement in loop.body:
        if isinstance(statement, n.If) and _is_zero(statement.test, counter):
            last = statement.body[-1]
            if isinstance(last, (n.Return, n.Raise)):
                return True
            if isinstance(last, n.Jump) and last.kind == "break":
                return True
        if any(isinstance(part, n.Jump) for part in walk([statement])):
            return False
    return False


def _counts_from_zero(loop: n.For) -> str | None:
    """The variable that is 0 in the first pass: of ``range(steps)``, of ``enumerate(items)``."""
    called, target = loop.iterable, loop.target
    if not isinstance(called, n.Call) or not isinstance(called.function, n.Name):
        return None
    if len(called.arguments) != 1 or called.arguments[0].star:
        return None
    if called.function.id == "enumerate" and isinstance(target, n.Display) and target.elements:
        target = target.elements[0]
    elif called.function.id != "range":
        return None
    return target.id if isinstance(target, n.Name) else None


def _is_zero(test: n.Node, counter: str) -> bool:
    """Whether a test holds where a counter is 0."""
    if not isinstance(test, n.Comparison) or test.operators not in (["=="], [">="]):
        return False
    number = test.comparators[0]
    named = isinstance(test.left, n.Name) and test.left.id == counter
    return named and isinstance(number, n.Constant) and number.value == 0
