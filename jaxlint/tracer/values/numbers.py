"""What values are when another one is a certain number, for elementwise operations in view.

Values are told apart by how they were computed: ``jnp.sum(x)`` is the same value wherever it is
written, since everything that JAX computes is a function of its operands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from jaxlint.knowledge import gradients
from jaxlint.knowledge.measured import usual_kind
from jaxlint.tracer.values import arrays
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.derivations import ITEM, MAPPED, SAME, SOME, Derivation, derivation_of
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.selects import Asked, alternatives
from jaxlint.tracer.values.value import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    immutable,
)

_DEEPEST = 24
"""Operations behind a value by which it is told from others; then by where it was computed."""

_ORDERS = frozenset({"<", "<=", ">", ">="})
_OF_TRUTH = frozenset({"&", "|", "unary ~", "logical_and", "logical_or", "logical_not"})


class TooMuch(Exception):
    """More was asked than is worth it; what has not been computed stays unknown."""


class Identities:
    """Numbers values: two have the same number when they are the same for certain.

    Attributes:
        left: how many more numbers may be computed.
    """

    def __init__(self, left: int = 0) -> None:
        self.left = left
        self._numbers: dict[object, int] = {}
        self._known: dict[int, int] = {}
        self._alive: list[object] = []

    def of(self, value: Value, depth: int = _DEEPEST) -> int:
        """The number of a value; a new one each time where nobody can say which value it is."""
        derived = derivation_of(value)
        if derived is None:
            return self._atom(value, depth)
        if derived.name == SAME:
            return self.of(derived.operands[0], depth)
        if derived.name == SOME:
            return self._number(object())
        found = self._known.get(id(derived))
        if found is None:
            self._alive.append(derived)
            found = self._number(self._by_operation(derived, depth))
            self._known[id(derived)] = found
        return found

    def _by_operation(self, derived: Derivation, depth: int) -> object:
        operation = derived.operation
        if not depth or not _is_one_result(operation):
            return id(derived)
        operands = tuple(self.of(operand, depth - 1) for operand in derived.operands)
        return (operation, derived.options, operands)

    def _atom(self, value: Value, depth: int) -> int:
        if isinstance(value, Const):
            return self._number(value.key())
        if isinstance(value, (Unknown, Host, Array, Tree)) and value.symbol is not None:
            return self._number(("symbol", value.symbol))
        if value is UNKNOWN or value is SOMETHING or isinstance(value, Host):
            return self._number(object())
        parts: tuple[Value | None, ...] | None = None
        if isinstance(value, Sequence) and depth:
            parts = value.items
        elif isinstance(value, arrays.Bounds):
            parts = value.parts
        if parts is not None and depth:
            found = (NONE if part is None else part for part in parts)
            return self._number((type(value), tuple(self.of(part, depth - 1) for part in found)))
        self._alive.append(value)
        return self._number(id(value))

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def _is_one_result(operation: str) -> bool:
    """Whether an operation gives one array, the same for the same operands."""
    if operation in ("", MAPPED):
        return False
    return operation == ITEM or "." not in operation or usual_kind(operation) == "array"


def keeps_numbers(derived: Derivation) -> bool:
    """Whether an operation keeps the numbers of its first operand, and their order."""
    if derived.name == SAME or derived.operation in gradients.SAME_NUMBERS:
        return True
    return derived.operation == ITEM and _only_adds_axes(derived.operands[1])


def _only_adds_axes(index: Value) -> bool:
    """Whether ``x[index]`` has all of ``x``: ``x[:, None]``, ``x[...]``."""
    if isinstance(index, Sequence):
        return index.items is not None and all(map(_only_adds_axes, index.items))
    if isinstance(index, arrays.Bounds):
        return all(part is None or part is NONE for part in index.parts)
    return isinstance(index, Const) and (index.value is None or index.value is Ellipsis)


class Numbers:
    """What values are under an assignment of numbers to some of them.

    Args:
        identities: which values are the same.
        given: the numbers of some values.
        generic: makes the numbers of those that are not computed in view, and not given.
        false: of those that are true or false, which are false.
        uniform: all numbers of an array are equal: a mask speaks of them together.

    Attributes:
        leaves: the values that were not computed in view; True for those that are true or false.
        undefined: NaN was compared with something: the answer is no, whatever was meant.
    """

    def __init__(
        self,
        identities: Identities,
        given: Mapping[int, float],
        generic: int = 0,
        false: frozenset[int] = frozenset(),
        uniform: bool = False,
    ) -> None:
        self._identities = identities
        self._given = given
        self._found = dict(given)
        self._generic = generic
        self._false = false
        self._uniform = uniform
        self._depth = 0
        self.leaves: dict[int, bool] = {}
        self.undefined = False

    def of(self, value: Value, truth: bool = False) -> float:
        """The number that a value is; ``truth``: it is true or false."""
        which = self._identities.of(value)
        found = self._found.get(which)
        if found is None:
            found = self._found[which] = self._computed(value, which, truth)
        return found

    def is_given(self, value: Value) -> bool:
        """Whether the number of a value was given, whatever its operands."""
        return self._identities.of(value) in self._given

    def _computed(self, value: Value, which: int, truth: bool) -> float:
        if isinstance(value, Const) and isinstance(value.value, (bool, int, float)):
            return value.value
        self._identities.left -= 1
        if self._identities.left < 0:
            raise TooMuch
        derived = derivation_of(value)
        found = None
        if derived is not None and self._depth < _DEEPEST:
            self._depth += 1
            found = self._derived(derived)
            self._depth -= 1
        return self._leaf(value, which, truth) if found is None else found

    def _derived(self, derived: Derivation) -> float | None:
        if keeps_numbers(derived):
            return self.of(derived.operands[0])
        operation = derived.operation
        if alternatives(derived):
            chosen = self.chosen(derived)
            return None if chosen is None else self.of(chosen)
        if self._uniform and gradients.plain_name(operation) in gradients.OF_UNIFORM:
            return self._of_uniform(derived)
        function = gradients.scalar(operation)
        operands = _parameters(derived)
        if function is None or operands is None:
            return None
        name = gradients.plain_name(operation)
        numbers = [self.of(operand, name in _OF_TRUTH) for operand in operands]
        if name in _ORDERS and any(number != number for number in numbers):
            self.undefined = True
        return function(*numbers)

    def _of_uniform(self, derived: Derivation) -> float:
        """What a function makes of an array all of whose numbers are equal."""
        name = gradients.plain_name(derived.operation)
        count = 2 if name == "allclose" else 1
        given = derived.operands[:count]
        return gradients.OF_UNIFORM[name](*[self.of(operand) for operand in given])

    def chosen(self, derived: Derivation) -> Value | None:
        """What a mask takes here; None where that is not in view."""
        for each in alternatives(derived):
            if self.holds(each.asked):
                return each.value
        return None

    def holds(self, asked: tuple[Asked, ...]) -> bool:
        """Whether all that is asked holds here."""
        return all(holds(self.of(value, holds is not math.isfinite)) for value, holds in asked)

    def _leaf(self, value: Value, which: int, truth: bool) -> float:
        truth = truth or (isinstance(value, Array) and value.dtype == "bool")
        self.leaves[which] = truth
        if truth:
            return which not in self._false
        return generic(which, self._generic)


def generic(which: int, series: int) -> float:
    """A number like any other, above zero, another one for each value and series."""
    return (0.37 + 0.0531 * (which % 97)) * (1.0 if series == 0 else 2.61)


def _parameters(derived: Derivation) -> tuple[Value, ...] | None:
    """The operands of an elementwise function in the order of its parameters."""
    names = gradients.PARAMETERS.get(gradients.plain_name(derived.operation))
    if names is None:
        return None if derived.options else derived.operands
    found: list[Value] = []
    for position, (keywords, default) in enumerate(names):
        given = [derived.argument(position, keyword) for keyword in keywords]
        known = [value for value in given if value is not None and value is not NONE]
        found.append(known[0] if known else Const(default))
    return tuple(found)


@immutable
class Kept:
    """A value, and a number beyond a bound that ``by`` brings to that bound."""

    value: Value
    bound: float
    beyond: float
    by: Derivation


def kept_within(value: Value) -> Iterator[Kept]:
    """The bounds within which ``jnp.clip`` and its like keep a value, where it may be beyond."""
    by = derivation_of(value)
    while by is not None and keeps_numbers(by):
        by = derivation_of(by.operands[0])
    name = gradients.plain_name(by.operation) if by is not None else ""
    operands = (_parameters(by) or ()) if by is not None else ()
    sides = gradients.BOUNDS.get(name, ())
    if by is None or not sides or len(operands) != len(sides) + 1:
        return
    if isinstance(operands[0], Const):
        operands = operands[::-1]
    lowest, highest = bounds(operands[0])
    for side, given in zip(sides, operands[1:], strict=True):
        if isinstance(given, Const) and type(given.value) in (int, float):
            beyond = given.value + SMALL * side
            if lowest <= beyond <= highest:
                yield Kept(operands[0], float(given.value), beyond, by)


def inside(value: Value, most: int) -> Iterator[Value]:
    """The values behind a value, itself among them, up to ``most``."""
    waiting, seen = [value], set()
    while waiting and most:
        found = waiting.pop(0)
        most -= 1
        yield found
        derived = derivation_of(found)
        if derived is not None and id(derived) not in seen:
            seen.add(id(derived))
            for operand in derived.operands:
                waiting += leaves(operand) if isinstance(operand, Sequence) else [operand]


Bounds = tuple[float, float]
"""Two numbers between which a value always is."""

ANYWHERE: Bounds = (-math.inf, math.inf)
_POSITIVE: Bounds = (0.0, math.inf)


def bounds(value: Value, depth: int = _DEEPEST) -> Bounds:
    """Where a value is for certain."""
    if isinstance(value, Const) and isinstance(value.value, (bool, int, float)):
        return value.value, value.value
    if isinstance(value, Array) and value.dtype == "bool":
        return 0.0, 1.0
    derived = derivation_of(value)
    if derived is None or not depth:
        return ANYWHERE
    if keeps_numbers(derived):
        return bounds(derived.operands[0], depth - 1)
    operands = _parameters(derived) or derived.operands
    return _bounds_of(derived, operands, [bounds(each, depth - 1) for each in operands])


def _bounds_of(derived: Derivation, operands: tuple[Value, ...], given: list[Bounds]) -> Bounds:
    name = gradients.plain_name(derived.operation)
    lowest, highest = [low for low, _ in given], [high for _, high in given]
    if name == "+":
        return _least_sum(operands, lowest), sum(highest)
    if name == "unary -":
        return -highest[0], -lowest[0]
    if name == "-":
        return lowest[0] - highest[1], highest[0] - lowest[1]
    if name == "clip":
        return max(lowest[0], lowest[1]), min(highest[0], highest[2])
    if name in ("maximum", "minimum") and len(given) == 2:
        choose = max if name == "maximum" else min
        return choose(lowest), choose(highest)
    if name == "*" and min(lowest) > 0:
        return math.prod(lowest), math.inf
    if name in ("*", "/", "**") and _is_positive(name, operands, lowest):
        return _POSITIVE
    if name in gradients.KEEP_SIGN and lowest and lowest[0] >= 0:
        return _POSITIVE
    if name in gradients.INCREASING and lowest[0] >= 0:
        function = gradients.scalar(name)
        return (function(lowest[0]) if function is not None else 0.0), math.inf
    row = gradients.row_of(derived.operation)
    return ANYWHERE if row is None or row.least is None else (row.least, math.inf)


def _is_positive(name: str, operands: tuple[Value, ...], lowest: list[float]) -> bool:
    """Whether a product, quotient or power is never below zero."""
    one, other = operands
    if name == "**":
        exponent = other.value if isinstance(other, Const) else None
        return lowest[0] >= 0 or (isinstance(exponent, int) and exponent % 2 == 0)
    return min(lowest) >= 0 or (name == "*" and one is other)


def _least_sum(operands: tuple[Value, ...], lowest: list[float]) -> float:
    """A small number that is added keeps a sum away from zero, on purpose."""
    small = [
        each.value
        for each in operands
        if isinstance(each, Const) and isinstance(each.value, float) and 0 < each.value <= SMALL
    ]
    return small[0] if small else sum(lowest)


SMALL = 0.01
"""What is no further from a number than this is meant to be close to it."""
