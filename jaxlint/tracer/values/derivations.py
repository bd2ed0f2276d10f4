"""How a value was computed: the way that a cotangent takes back from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jaxlint.program import nodes as n
from jaxlint.tracer.values.value import Value, immutable, replace

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Link
    from jaxlint.tracer.values.arrays import Array, Tree

SAME = "<the same value>"
"""Its operand by another name: as an argument, or as an array."""

LEFT = "<left a transform>"
"""What its operand is outside of the transform in which it was computed."""

ONE_WAY = "<left a loop> "
"""Begins the name of what left a loop through which no cotangent goes back: that of the loop."""

EITHER = "<one or the other>"
"""One of its operands, as branches of the program decide."""

SOME = "<some of many>"
"""Its operand stands for many values that are alike."""

NAMED = "<one of many>"
"""One of them, that has a name."""

MAPPED = "<element along a mapped axis>"
"""Its first operand is an array that ``vmap`` takes apart along an axis, its second operand."""

ITEM = "<item>"
"""``operand[index]``."""

APPLIED = "<applied to variables>"
"""Its second operand, which a module computed, with the variables of that: the first."""

UNARY = "unary "
"""Begins the name of a unary operator."""

_LONGEST = 200
_DEEPEST = 24
"""Derivations, and one behind the other, that are written anew for a call that is not run again."""


@immutable
class Derivation:
    """One operation behind a value.

    Attributes:
        name: the qualified name of the function; empty where ``node`` says what was done.
        operands: the values that it was given.
        node: where.
        chain: the calls that lead there.
    """

    name: str
    operands: tuple[Value, ...]
    node: n.Node | None = None
    chain: tuple[Link, ...] = ()

    @classmethod
    def same(cls, value: Value) -> Derivation:
        """Of another name for a value."""
        return cls(SAME, (value,))

    @property
    def operation(self) -> str:
        """The name of the function, or the operator; empty where nobody can say."""
        node = self.node
        if self.name:
            return self.name
        if isinstance(node, (n.BinaryOperation, n.AugmentedAssign)):
            return node.operator
        if isinstance(node, n.UnaryOperation):
            return UNARY + node.operator
        if isinstance(node, n.Comparison) and len(node.operators) == 1:
            return node.operators[0]
        return ITEM if isinstance(node, n.Subscript) else ""

    def argument(self, position: int, keyword: str) -> Value | None:
        """One operand of a call by position or keyword; None where it was not given."""
        named = self._keywords()
        if keyword in named:
            return named[keyword]
        positional = len(self.operands) - len(named)
        return self.operands[position] if position < positional else None

    @property
    def options(self) -> frozenset[str]:
        """The keywords that were given."""
        return frozenset(self._keywords())

    def _keywords(self) -> dict[str, Value]:
        """Operands that were given by name: the last ones."""
        if not isinstance(self.node, n.Call):
            return {}
        names = [each.keyword for each in self.node.arguments if each.keyword is not None]
        if not names or len(names) > len(self.operands):
            return {}
        return dict(zip(names, self.operands[-len(names) :], strict=True))


OUT_OF_VIEW = Derivation("", ())
"""Of what code out of view computed: nobody can say of what, or how."""


def derivation_of(value: Value) -> Derivation | None:
    """How a value was computed; None where nobody can see."""
    found: Derivation | None = getattr(value, "derived", None)
    return found


def named(value: Array | Tree) -> Derivation:
    """What the copy of a value under a name says of itself: it is known for the same value.

    One of many that are alike is one of its own as soon as it has a name.
    """
    if value.derived is None:
        return Derivation.same(value)
    return Derivation(NAMED, (value,)) if value.derived.name == SOME else value.derived


def some(value: Value) -> Value:
    """One value that stands for many: read twice it need not be the same."""
    derived = derivation_of(value)
    if derived is None or derived.name == SOME:
        return value
    return replace(value, derived=Derivation(SOME, (value,)))  # type: ignore[type-var]


def rebased(value: Value, replaced: Mapping[int, Value]) -> Value:
    """A result of a call as another call gives it, with other arguments.

    Args:
        value: the result.
        replaced: the arguments of the other call by the identity of those that made it.
    """
    return _Rebasing(replaced).value(value) if replaced else value


class _Rebasing:
    def __init__(self, replaced: Mapping[int, Value]) -> None:
        self._replaced = replaced
        self._done: dict[int, Derivation] = {}
        self._left = _LONGEST
        self._depth = 0

    def value(self, value: Value) -> Value:
        found = self._replaced.get(id(value))
        if found is not None:
            return found
        derived = derivation_of(value)
        if derived is None:
            return value
        if self._depth == _DEEPEST:
            return value
        self._depth += 1
        new = self._derivation(derived)
        self._depth -= 1
        return value if new is derived else replace(value, derived=new)  # type: ignore[type-var]

    def _derivation(self, derived: Derivation) -> Derivation:
        found = self._done.get(id(derived))
        if found is None:
            self._left -= 1
            found = derived
            if self._left > 0:
                operands = tuple(map(self.value, derived.operands))
                pairs = zip(operands, derived.operands, strict=True)
                if any(one is not other for one, other in pairs):
                    found = replace(derived, operands=operands)
            self._done[id(derived)] = found
        return found
