"""Operations that are given zero for certain, where they have no gradient: ``norm(x - x)``.

The distances of all pairs of points have one on the diagonal that is zero, whatever the points
are. No mask that comes later helps: the operation makes NaN of every cotangent, zero too.
"""

from __future__ import annotations

import math

from jaxlint.events import SingularGradient, Site
from jaxlint.knowledge import gradients
from jaxlint.knowledge.gradients import BROKEN, NAN, Cotangent
from jaxlint.knowledge.integers import FILLS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import called_as
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values import arrays
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.backward import behind, differentiated
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.derivations import (
    ITEM,
    LEFT,
    MAPPED,
    NAMED,
    SAME,
    SOME,
    Derivation,
    derivation_of,
)
from jaxlint.tracer.values.numbers import Identities, keeps_numbers
from jaxlint.tracer.values.value import NONE, Const, Value

_SENT: tuple[Cotangent, ...] = ("zero", "one")
"""What may come back to an operation: whichever it is, the gradient must break."""

_PAIRS_OF_VECTORS = 3
"""Axes of the differences of all pairs of vectors."""

_DEEPEST = 12
_WHOLE = arrays.Bounds((None, None, None))
_ALIKE = frozenset({SAME, LEFT, NAMED, SOME})


class Singularities(Analysis):
    """Looks at what is differentiated, from its result back."""

    def on_differentiated(self, level: Level, result: Value) -> None:
        if self.tracer.stack.muted:
            return
        identities = Identities()
        found: dict[int, tuple[Derivation, _Zero]] = {}
        for derived in behind(differentiated(level.transform, result)):
            self._note_empty(derived)
            row = gradients.row_of(derived.operation)
            if row is None or not row.breaks or derived.node is None:
                continue
            for place, operand in enumerate(_operands(derived, row)):
                zero = _Zero(identities)
                numbers = _numbers(derived, operand)[: len(row.back)]
                if zero.is_in(operand, _rows(derived)) and all(
                    _breaks(operand, row.comes_back(sent, place, numbers)) for sent in _SENT
                ):
                    found[id(derived)] = derived, zero
        for derived, zero in found.values():
            # What breaks behind another one that does is mended with it.
            if zero.node is not None and found.keys().isdisjoint(map(id, zero.way)):
                self._tell(derived, zero.node, zero)

    def _note_empty(self, derived: Derivation) -> None:
        """Note a sum of exponentials all of which are zero."""
        if derived.operation not in gradients.SUMS_OF_EXPONENTIALS or derived.node is None:
            return
        source = _filled_with_least(derived.operands[0]) if derived.operands else None
        if source is not None:
            context = self.tracer.context(derived.node, derived.node, by=derived.chain)
            where = Site(source.origin)
            self.tracer.emit(SingularGradient(context, derived.operation, where, empty=True))

    def _tell(self, derived: Derivation, node: n.Node, zero: _Zero) -> None:
        tracer = self.tracer
        assert derived.node is not None
        context = tracer.context(derived.node, derived.node, by=derived.chain)
        where = Site(node.origin)
        event = SingularGradient(context, derived.operation, where, zero.made, zero.masked)
        tracer.emit(event)


def _operands(derived: Derivation, row: gradients.Row) -> tuple[Value, ...]:
    """The operands that a row speaks of: all of them, or the first."""
    if len(row.back) == 1:
        return derived.operands[:1]
    fits = len(row.back) == len(derived.operands) and not derived.options
    return derived.operands if fits else ()


def _rows(derived: Derivation) -> bool | None:
    """Whether an operation mixes the numbers of rows alone; None: it mixes none.

    A row is a line along the last axis; False: it mixes all numbers.
    """
    row = gradients.row_of(derived.operation)
    if row is not None and row.elementwise:
        return None
    axis = derived.argument(1, "axis")
    if derived.operation in gradients.NORMS:
        axis = derived.argument(2, "axis")
    return isinstance(axis, Const) and axis.value == -1


class _Zero:
    """Looks for the difference that makes a value zero somewhere, or what made it of zeros.

    Attributes:
        node: the difference, or the call.
        made: it is the call.
        masked: it is what puts the numbers there of which a softmax makes zeros.
        way: the operations from there on.
    """

    def __init__(self, identities: Identities) -> None:
        self._identities = identities
        self.node: n.Node | None = None
        self.made = False
        self.masked = False
        self.way: list[Derivation] = []

    def is_in(self, value: Value, rows: bool | None, depth: int = _DEEPEST) -> bool:
        """Whether a value has a zero for certain.

        ``rows``: a whole row of zeros along the last axis; False: nothing but zeros.
        """
        if isinstance(value, Array) and value.zero is not None:
            self.node, self.made = value.zero, True
            return True
        derived = derivation_of(value)
        if derived is None or not depth:
            return False
        if derived.name == SAME:
            return self.is_in(derived.operands[0], rows, depth - 1)
        self.way.append(derived)
        name = gradients.plain_name(derived.operation)
        if name == "-" and len(derived.operands) == 2:
            self.node = derived.node
            return self._is_difference(value, derived.operands, rows)
        if name == "**" and not _is_power(derived):
            return False
        if name in gradients.ZERO_OF_ZERO or name == "/":
            return self.is_in(derived.operands[0], rows, depth - 1)
        if derived.operation in gradients.ZERO_OF_LEAST and rows is None:
            self.node = _masked_at(derived.operands[0])
            self.masked = self.node is not None
            return self.masked
        if name in gradients.SUMS and rows is None:
            return self.is_in(derived.operands[0], _rows(derived), depth - 1)
        return False

    def _is_difference(self, value: Value, operands: tuple[Value, ...], rows: bool | None) -> bool:
        """Whether a difference of a value and itself, or of all its pairs, is zero somewhere."""
        of = self._identities.of
        if any(isinstance(operand, Const) for operand in operands):
            return False
        if of(operands[0]) == of(operands[1]) or self._are_of_one_array(operands):
            return True
        one, other = map(_with_axes, operands)
        if rows is False or one is None or other is None or of(one) != of(other):
            return False
        return rows is None or _pairs_of_vectors(value, operands)

    def _are_of_one_array(self, operands: tuple[Value, ...]) -> bool:
        """Whether both are the elements of one array, which ``vmap`` takes apart twice, or alike.

        Each of them then meets itself.
        """
        one, other = map(_behind_names, operands)
        if one is None or other is None or not one.name == other.name == MAPPED:
            return False
        of = self._identities.of
        return tuple(map(of, one.operands)) == tuple(map(of, other.operands))


def _filled_with_least(value: Value, depth: int = _DEEPEST) -> n.Node | None:
    """The call that fills a value with ``-inf``, to which finite numbers may have been added."""
    derived = derivation_of(value)
    if derived is None or not depth:
        return None
    if derived.name in FILLS and len(derived.operands) > 1:
        number = derived.operands[1]
        least = isinstance(number, Const) and number.value == -math.inf
        return derived.node if least else None
    passed = derived.operands[:1] if keeps_numbers(derived) or derived.name in _ALIKE else ()
    if derived.operation == "+":
        passed = derived.operands
    found = (_filled_with_least(operand, depth - 1) for operand in passed)
    return next((each for each in found if each is not None), None)


def _masked_at(value: Value, depth: int = _DEEPEST) -> n.Node | None:
    """What puts numbers far below all others into a value; None where nobody can see."""
    derived = derivation_of(value)
    if derived is None or not depth:
        return None
    if derived.operation in gradients.SELECTS:
        if any(map(_is_far_below, derived.operands[1:])) or _writes_least(derived.node):
            return derived.node
    passed = derived.operands[:1] if keeps_numbers(derived) or derived.name in _ALIKE else ()
    if derived.operation in ("+", "/"):
        passed = derived.operands
    found = (_masked_at(operand, depth - 1) for operand in passed)
    return next((each for each in found if each is not None), None)


def _writes_least(node: n.Node | None) -> bool:
    """Whether an argument of a call is written as the least number of a dtype."""
    given = [each.value for each in node.arguments[1:]] if isinstance(node, n.Call) else []
    return any(
        isinstance(each, n.Attribute)
        and each.attr == "min"
        and isinstance(each.value, n.Call)
        and called_as(each.value) == gradients.LIMITS_OF_DTYPE
        for each in given
    )


def _is_far_below(value: Value) -> bool:
    number = value.value if isinstance(value, Const) else None
    return isinstance(number, (int, float)) and number <= gradients.FAR_BELOW


def _is_power(derived: Derivation) -> bool:
    """Whether it is a value to a power above zero."""
    other = derived.operands[1]
    return isinstance(other, Const) and isinstance(other.value, (int, float)) and other.value > 0


def _with_axes(value: Value) -> Value | None:
    """What a value is with axes of size one: ``x`` of ``x[:, None]``, ``expand_dims(x, 1)``."""
    derived = _behind_names(value)
    if derived is None or not keeps_numbers(derived):
        return None
    adds = derived.operation == ITEM or derived.operation in gradients.ADDS_AXES
    return derived.operands[0] if adds else None


def _behind_names(value: Value) -> Derivation | None:
    """How a value was computed, whatever it is called since."""
    derived = derivation_of(value)
    while derived is not None and derived.name == SAME:
        derived = derivation_of(derived.operands[0])
    return derived


def _pairs_of_vectors(value: Value, operands: tuple[Value, ...]) -> bool:
    """Whether differences of pairs have the vectors' own axis as their last one."""
    rank = value.rank if isinstance(value, Array) else None
    written = [_parts(operand) for operand in operands]
    if rank is None:
        rank = max(map(len, written))  # There may be more axes, after these.
    return rank >= _PAIRS_OF_VECTORS and not any(_ends_with_new(each, rank) for each in written)


def _ends_with_new(parts: list[Value], rank: int) -> bool:
    """Whether an index gives its result, of so many axes, a new one as the last."""
    reaches = len(parts) >= rank or any(
        isinstance(part, Const) and part.value is Ellipsis for part in parts
    )
    return reaches and isinstance(parts[-1], Const) and parts[-1].value is None


def _parts(value: Value) -> list[Value]:
    """The parts of the index that gives a value its axes, or would."""
    derived = _behind_names(value)
    if derived is not None and derived.operation in gradients.ADDS_AXES:
        return _of_new_axis(derived.argument(1, "axis"))
    index = derived.operands[1] if derived is not None and derived.operation == ITEM else None
    if isinstance(index, Sequence):
        return list(index.items or ())
    return [index] if isinstance(index, (Const, arrays.Bounds)) else []


def _of_new_axis(axis: Value | None) -> list[Value]:
    """The index that adds an axis: ``x[:, None]`` for the axis 1, ``x[..., None, :]`` for -2."""
    place = axis.value if isinstance(axis, Const) else None
    if not isinstance(place, int):
        return []
    before: list[Value] = [_WHOLE] * place if place >= 0 else [Const(Ellipsis)]
    return [*before, NONE, *[_WHOLE] * max(-1 - place, 0)]


def _breaks(value: Value, sent: str) -> bool:
    """Whether what comes back from an operation at zero is NaN where it meets itself.

    An infinity goes to both sides of the difference, and their sum is NaN.
    """
    for _ in range(_DEEPEST):
        derived = derivation_of(value)
        if isinstance(value, Array) and value.zero is not None:
            return sent == NAN
        if sent not in BROKEN or derived is None:
            return False
        if gradients.plain_name(derived.operation) == "-":
            return True
        if derived.operation in gradients.ZERO_OF_LEAST:
            return True  # It mixes what comes back to all of them.
        row = gradients.row_of(derived.operation)
        if row is not None and row.elementwise:
            numbers = _numbers(derived, derived.operands[0])
            if len(numbers) != len(row.back):
                return False
            sent = row.comes_back("nan" if sent == NAN else "inf", 0, numbers)
        value = derived.operands[0]
    return False


def _numbers(derived: Derivation, zero: Value) -> tuple[float, ...]:
    """The operands of an operation, of which one is zero for certain."""
    return tuple(_number(operand, zero) for operand in derived.operands)


def _number(operand: Value, zero: Value) -> float:
    """An operand beside one that is zero for certain: nobody divides by zero on purpose."""
    if isinstance(operand, Const) and isinstance(operand.value, (int, float)):
        return operand.value
    return 0.0 if operand is zero else 1.0
