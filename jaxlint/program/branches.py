"""Branches in the body of a loop that each pass takes once one pass has taken them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names, statements, walk

_STILL_GREATER = frozenset({">", ">="})
_STILL_LESS = frozenset({"<", "<="})
_COUNTER = "range"
_PLAIN = (n.Constant, n.Comparison, n.BooleanOperation, n.UnaryOperation, n.BinaryOperation)
_MOST_BOUNDS = 2
"""``range(start, end)``: a third argument is a step, which may lead downwards."""


def branches_for_good(
    inside: n.Node, loop: n.For | n.While, set_elsewhere: frozenset[str]
) -> int | None:
    """How many branches of a loop's body a node stands in; None if a pass may skip one again.

    A test of what the loop leaves alone always says the same. ``step >= start`` holds from some
    pass on. Where the branch leaves the loop, there is no other pass.
    """
    changing = assigned_names([loop]) | set_elsewhere
    counters = set(_counters(loop))
    count = 0
    for branch, taken in _around(inside, loop.body):
        if any(isinstance(each, n.Jump | n.Return | n.Raise) for each in statements(taken)):
            return None
        stays = _is_settled([branch.test], changing)
        if not stays and not _goes_on(branch, taken is branch.body, counters, changing):
            return None
        count += 1
    return count


def set_inside(code: n.Module | n.Function) -> frozenset[str]:
    """The variables outside of them that functions inside of a function or module rebind."""
    inside = (each for each in walk(code.body) if isinstance(each, n.Function))
    return frozenset(name for each in inside for name in each.scope.outer)


def _around(inside: n.Node, body: list[n.Node]) -> Iterator[tuple[n.If, list[n.Node]]]:
    """The tests around a node, each with the branch in which it stands."""
    for branch in statements(body):
        if isinstance(branch, n.If):
            for taken in (branch.body, branch.orelse):
                if any(each is inside for each in walk(taken)):
                    yield branch, taken


def _is_settled(nodes: Iterable[n.Node], changing: frozenset[str]) -> bool:
    """Whether expressions are made of constants, and of variables that the loop leaves alone."""
    return all(
        each.id not in changing if isinstance(each, n.Name) else isinstance(each, _PLAIN)
        for each in walk(nodes)
    )


def _goes_on(branch: n.If, holds: bool, counters: set[str], changing: frozenset[str]) -> bool:
    """Whether a test compares what a loop counts upwards with a number that it has passed."""
    test = branch.test
    if not isinstance(test, n.Comparison) or len(test.operators) != 1:
        return False
    left, right, above = test.left, test.comparators[0], holds
    if not (isinstance(left, n.Name) and left.id in counters):
        left, right, above = right, left, not above
    grows = _STILL_GREATER if above else _STILL_LESS
    counts = isinstance(left, n.Name) and left.id in counters
    return counts and test.operators[0] in grows and _is_settled([right], changing)


def _counters(loop: n.For | n.While) -> Iterator[str]:
    """The variables that a loop counts upwards, and that its body leaves alone."""
    call = loop.iterable if isinstance(loop, n.For) else None
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Name):
        return
    if call.function.id == _COUNTER and len(call.arguments) <= _MOST_BOUNDS:
        assert isinstance(loop, n.For)
        if isinstance(loop.target, n.Name) and loop.target.id not in assigned_names(loop.body):
            yield loop.target.id
