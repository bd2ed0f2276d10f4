"""Two programs of one file, by Python's own syntax and by libcst's: which node is which."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.program.walk import children

_IN_COMMENTS = ("shown", "exhibits")
"""Fields that only libcst's tree can tell: the comments that part a script into cells."""


def counterparts(plain: n.Module, concrete: n.Module) -> dict[int, object] | None:
    """The origins in ``concrete`` of the nodes of ``plain``, by identity of their origins there.

    None where the two are not the same program.
    """
    if len(plain.body) != len(concrete.body):
        return None
    found = {id(plain.origin): concrete.origin}
    waiting = list(zip(plain.body, concrete.body, strict=True))
    while waiting:
        one, other = waiting.pop()
        below, beside = children(one), children(other)
        if type(one) is not type(other) or len(below) != len(beside) or _unlike(one, other):
            return None
        found[id(one.origin)] = other.origin
        waiting += zip(below, beside, strict=True)
    return found


def _unlike(one: n.Node, other: n.Node) -> bool:
    return any(getattr(one, name, None) != getattr(other, name, None) for name in _IN_COMMENTS)
