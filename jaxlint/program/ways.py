"""How often one run through code comes by some of its nodes, at most: branches exclude others."""

from __future__ import annotations

from collections.abc import Iterable, Set

from jaxlint.program import nodes as n
from jaxlint.program.walk import bodies_of, walk


def most_on_one_way(body: Iterable[n.Node], wanted: Set[int]) -> int:
    """How many of some nodes a single run comes by, by their identity; loops run once.

    Functions inside are run, each once.
    """
    rest = 0
    for statement in reversed(list(body)):
        if isinstance(statement, n.If):
            ways = [statement.body, statement.orelse]
            rest = _count([statement.test], wanted) + _longest(ways, rest, wanted)
        elif isinstance(statement, n.Match):
            ways = [case.body for case in statement.cases]
            rest = _count([statement.subject], wanted) + _longest(ways, rest, wanted)
        else:
            inside = bodies_of(statement)
            apart = sum(_count(each, wanted) for each in inside)
            rest += _count([statement], wanted) - apart
            rest += sum(most_on_one_way(each, wanted) for each in inside)
    return rest


def _longest(ways: list[list[n.Node]], rest: int, wanted: Set[int]) -> int:
    """The most that any of several ways comes by, with what follows unless it leaves."""
    found = [
        most_on_one_way(way, wanted) + (0 if way and _leaves(way[-1]) else rest) for way in ways
    ]
    return max(found, default=rest)


def _leaves(statement: n.Node) -> bool:
    return isinstance(statement, (n.Return, n.Raise, n.Jump))


def _count(nodes: Iterable[n.Node], wanted: Set[int]) -> int:
    return sum(id(each) in wanted for each in walk(nodes))
