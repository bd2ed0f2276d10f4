"""Masks that keep a bad value out, and its gradient in: ``jnp.where(x > 0, jnp.log(x), 0.0)``.

A cotangent of zero goes back into what a mask leaves out. Where an operation has an infinite
derivative, zero times infinity is NaN. Whether the bad number occurs at all is the author's own
word: their mask leaves out just that number, or those on its far side, of the very value that the
operation is given. So the mask and what is masked are computed for numbers around each number at
which the mask may change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Literal

from jaxlint.events import MaskedGradient, Site
from jaxlint.knowledge import gradients
from jaxlint.knowledge.gradients import BROKEN, NAN
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.backward import behind, differentiated, perturbed
from jaxlint.tracer.values.derivations import EITHER, LEFT, Derivation, derivation_of
from jaxlint.tracer.values.numbers import (
    SMALL,
    Identities,
    Numbers,
    TooMuch,
    bounds,
    generic,
    inside,
    keeps_numbers,
    kept_within,
)
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.selects import Alternative, alternatives
from jaxlint.tracer.values.value import Const, Value

if TYPE_CHECKING:
    from jaxlint.tracer.tracer import Tracer

_MOST_BEHIND = 120
"""Values behind a mask, and behind what it masks, that are looked at."""

_MOST_BASES = 8
"""Values of a mask for which numbers are tried, those nearest to the mask first."""

_MOST_NUMBERS = 6_000
_MOST_NUMBERS_OF_FILE = 60_000
"""Numbers that are computed for one mask, and for all masks of a file."""

_MOST_UNSURE = 3
"""Masks of which nobody can say what they are, of which each may be true or false."""

_SERIES = (0, 1)
"""What is found must not depend on the numbers that unknown values are given."""

_CENTRES = (0.0, 1.0, -1.0)


class Masks(Analysis):
    """Looks at what is differentiated, from its result back."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._left = _MOST_NUMBERS_OF_FILE
        self._told: set[int] = set()

    def on_differentiated(self, level: Level, result: Value) -> None:
        if self.tracer.stack.muted:
            return
        found = list(behind(differentiated(level.transform, result)))
        for derived in found:
            for each in alternatives(derived):
                if isinstance(each.value, (Array, Tree)) and each.value.perturbed:
                    self._look_at(each, derived)
        for derived in found:
            if id(derived.node) not in self._told:
                self._look_at_bounds(derived)

    def _look_at_bounds(self, operation: Derivation) -> None:
        """An operation whose slope is infinite at the very bound that its argument is kept within.

        What lies beyond the bound gets zero times infinity.
        """
        row = gradients.row_of(operation.operation)
        function = gradients.scalar(operation.operation)
        if row is None or function is None or not row.elementwise:
            return
        for operand in perturbed(_operands(operation, row)[:1]):
            for kept in kept_within(operand):
                identities = Identities(_MOST_NUMBERS)
                numbers = Numbers(identities, {identities.of(kept.value): kept.beyond})
                with suppress(TooMuch):
                    at = tuple(map(numbers.of, operation.operands))
                    infinite = at[0] == kept.bound and row.comes_back("one", 0, at) in BROKEN
                    if infinite and math.isfinite(function(*at)):
                        if _is_reached(kept.value, numbers):
                            self._tell(operation, kept.by)

    def _look_at(self, alternative: Alternative, guard: Derivation) -> None:
        allowed = min(self._left, _MOST_NUMBERS)
        masked = _Masked(alternative, guard, allowed)
        with suppress(TooMuch):
            for operation in masked.broken():
                self._tell(operation, guard)
        self._left -= allowed - max(masked.identities.left, 0)

    def _tell(self, operation: Derivation, guard: Derivation) -> None:
        tracer = self.tracer
        if operation.node is None or guard.node is None:
            return
        self._told.add(id(operation.node))
        context = tracer.context(operation.node, operation.node, by=operation.chain)
        site = Site(guard.node.origin)
        tracer.emit(MaskedGradient(context, operation.operation, guard.operation, site))


class _Masked:
    """One of the values that a mask takes numbers from, and when it leaves that out."""

    def __init__(self, alternative: Alternative, guard: Derivation, allowed: int) -> None:
        self.identities = Identities(allowed)
        self._guard = guard
        self._asked = alternative.asked
        self._branch = alternative.value
        self._masks = [value for value, _ in alternative.asked]
        self._at_once = all(isinstance(x, Array) and x.rank == 0 for x in self._masks)
        self.uniform = any(
            gradients.plain_name(derived.operation) in gradients.OF_WHOLE
            for mask in self._masks
            for value in inside(mask, _MOST_BEHIND)
            if (derived := derivation_of(value)) is not None
        )

    def broken(self) -> Iterator[Derivation]:
        """The operations in the branch that make NaN of what the mask sends back to it."""
        candidates = list(self._unsafe())
        if not candidates:
            return
        bases = self._bases()
        for operation in candidates:
            if any(self._breaks(operation, base) for base in bases):
                yield operation

    def _unsafe(self) -> Iterator[Derivation]:
        """Operations of the branch that break somewhere, number by number.

        A mask of one number leaves the branch out as a whole, whatever mixes its numbers.
        """
        waiting: list[Value] = [self._branch]
        seen: set[int] = set()
        while waiting:
            derived = derivation_of(waiting.pop())
            if derived is None or id(derived) in seen or len(seen) == _MOST_BEHIND:
                continue
            seen.add(id(derived))
            row = gradients.row_of(derived.operation)
            each = row is not None and (row.elementwise or (self.uniform and len(row.back) == 1))
            if row is not None and each and row.breaks and _operands(derived, row):
                yield derived
            through = derived.name in (LEFT, EITHER) or keeps_numbers(derived)
            if each or through or self._at_once or alternatives(derived):
                waiting += perturbed(derived.operands)

    def is_taken(self, numbers: Numbers) -> bool:
        """Whether the branch is taken."""
        return numbers.holds(self._asked)

    def leaves_out(self, numbers: Numbers) -> bool:
        """Whether the mask takes something else: not if that is NaN, or the mask is asked of NaN.

        Where an author's word for a number is NaN, its gradient may be NaN, too.
        """
        if self.is_taken(numbers) or numbers.undefined:
            return False
        instead = numbers.chosen(self._guard)
        return instead is None or not math.isnan(numbers.of(instead))

    def together(self, base: int) -> list[int]:
        """The other values that nobody computes in view, in the mask and in the branch."""
        leaves = self._leaves(base)
        found = [self.identities.of(value) for value in self._bases()]
        return [which for which in found if leaves.get(which) is False]

    def _bases(self) -> list[Value]:
        """Values that both the mask and the branch are computed from."""
        of = self.identities.of
        there = {of(value) for value in inside(self._branch, _MOST_BEHIND)}
        found: dict[int, Value] = {}
        for mask in self._masks:
            for value in inside(mask, _MOST_BEHIND):
                if value is not mask and not isinstance(value, Const) and of(value) in there:
                    found.setdefault(of(value), value)
        return list(found.values())[:_MOST_BASES]

    def _breaks(self, operation: Derivation, base: Value) -> bool:
        """Whether the mask leaves out just the numbers of a value at which an operation breaks."""
        leaves = self._leaves(self.identities.of(base))
        unsure = [leaf for leaf, truth in leaves.items() if truth]
        if len(unsure) > _MOST_UNSURE:
            return False
        return any(
            all(
                any(
                    _Around(self, operation, base, centre, series, frozenset(false)).breaks()
                    for centre in self._centres(leaves, series)
                )
                for series in _SERIES
            )
            for false in _subsets(unsure)
        )

    def _leaves(self, base: int) -> dict[int, bool]:
        """What the mask and the branch are computed from besides."""
        numbers = Numbers(self.identities, {base: 0.5}, uniform=self.uniform)
        for value, holds in self._asked:
            holds(numbers.of(value, holds is not math.isfinite))
        numbers.of(self._branch)
        return numbers.leaves

    def _centres(self, leaves: dict[int, bool], series: int) -> Iterator[float]:
        """Numbers at which the mask may change."""
        yield from _CENTRES
        for leaf in [leaf for leaf, truth in leaves.items() if not truth][:_MOST_BASES]:
            yield generic(leaf, series)
        for mask in self._masks:
            for value in inside(mask, _MOST_BEHIND):
                if isinstance(value, Const) and type(value.value) in (int, float):
                    if value.value not in _CENTRES and math.isfinite(value.value):
                        yield value.value
                        yield -value.value


class _Around:
    """What the mask and an operation behind it do around one number of a value."""

    def __init__(
        self,
        masked: _Masked,
        operation: Derivation,
        base: Value,
        centre: float,
        series: int,
        false: frozenset[int],
    ) -> None:
        self._masked = masked
        self._operation = operation
        self._which = masked.identities.of(base)
        self._centre = centre
        self._series = series
        self._false = false
        step = SMALL * max(1.0, abs(centre))
        lowest, highest = bounds(base)
        self._near = [
            number
            for number in (centre - step, centre, centre + step)
            if lowest <= number <= highest
        ]
        self._beside = [centre - 2 * step, *self._near, centre + 2 * step]

    def breaks(self) -> bool:
        """Whether it breaks, left out, at or beside the number, and is taken and whole nearby."""
        others: Mapping[int, float] = {}
        if not any(self._left_out(others, number) for number in self._near):
            # `(x == 0) & (y == 0)` leaves out what is at the number together.
            others = dict.fromkeys(self._masked.together(self._which), self._centre)
            if not others:
                return False
        broken = any(
            self._left_out(others, number) and self._makes_nan(others, number)
            for number in self._near
        )
        return broken and any(
            self._is_taken(others, number) and not self._makes_nan(others, number)
            for number in self._beside
        )

    def _numbers(self, others: Mapping[int, float], number: float) -> Numbers:
        given = {**others, self._which: number}
        masked = self._masked
        return Numbers(masked.identities, given, self._series, self._false, masked.uniform)

    def _is_taken(self, others: Mapping[int, float], number: float) -> bool:
        return self._masked.is_taken(self._numbers(others, number))

    def _left_out(self, others: Mapping[int, float], number: float) -> bool:
        return self._masked.leaves_out(self._numbers(others, number))

    def _makes_nan(self, others: Mapping[int, float], number: float) -> bool:
        return _makes_nan(self._operation, self._numbers(others, number))


def _subsets(values: list[int]) -> Iterator[list[int]]:
    for chosen in product((False, True), repeat=len(values)):
        yield [value for value, is_in in zip(values, chosen, strict=True) if is_in]


def _operands(derived: Derivation, row: gradients.Row) -> tuple[Value, ...]:
    """The operands that a row speaks of; none where the call has others, or other options."""
    arrays = derived.operands[: len(derived.operands) - len(derived.options)]
    fits = len(arrays) == len(row.back) and derived.options <= row.options
    return arrays if fits and derived.node is not None else ()


def _makes_nan(operation: Derivation, numbers: Numbers) -> bool:
    """Whether zero, sent back to an operation, comes to what is differentiated as NaN."""
    row = gradients.row_of(operation.operation)
    assert row is not None
    operands = _operands(operation, row)
    at = tuple(map(numbers.of, operands))
    for place, operand in enumerate(operands):
        if tracers(operand) and row.comes_back("zero", place, at) == NAN:
            if _is_reached(operand, numbers):
                return True
    return False


def _is_reached(value: Value, numbers: Numbers) -> bool:
    """Whether NaN, sent back to a value, comes to what is differentiated, if anything does."""
    return isinstance(value, (Array, Tree)) and value.perturbed and _arrives(value, numbers)


def _arrives(value: Value, numbers: Numbers) -> bool:
    """Whether NaN, sent back to a value, comes to what is differentiated."""
    waiting: list[tuple[Value, _Known]] = [(value, "computed")]
    seen: set[int] = set()
    while waiting:
        found, known = waiting.pop()
        derived = derivation_of(found)
        if derived is None:
            return True
        if id(derived) not in seen:
            seen.add(id(derived))
            if known == "computed" and numbers.is_given(found):
                known = "given"
            waiting += _passed_on(derived, numbers, known)
    return False


_Known = Literal["computed", "given", "free"]
"""What is known of the operands of an operation: their numbers; that they make a number that was
given; or nothing, since an operation in between mixes many of them."""


def _passed_on(
    derived: Derivation, numbers: Numbers, known: _Known
) -> Iterator[tuple[Value, _Known]]:
    """The operands to which an operation passes NaN on, and what is known of theirs."""
    select = alternatives(derived)
    row = gradients.row_of(derived.operation)
    passed: tuple[Value, ...]
    if select and known == "computed":
        chosen = numbers.chosen(derived)
        passed = (chosen,) if chosen is not None else ()
    elif select:
        passed = derived.operands if known == "free" else ()
    elif row is not None and row.elementwise and len(row.back) == len(derived.operands):
        passed = tuple(
            operand
            for place, operand in enumerate(derived.operands)
            if known == "free" or _passes(row, place, derived, numbers, known)
        )
    else:
        passed = derived.operands
        known = known if keeps_numbers(derived) else "free"
    for value in perturbed(passed):
        yield value, known


def _passes(
    row: gradients.Row, place: int, derived: Derivation, numbers: Numbers, known: _Known
) -> bool:
    if known == "given":
        return row.always_passes(place)
    return row.comes_back("nan", place, tuple(map(numbers.of, derived.operands))) == NAN
