"""The numbers in arrays of integers, where literal values and sizes decide them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import accumulate

from jaxlint.tracer.values.value import comparable

_MOST_KEPT = 64
"""So many numbers are known one by one; of more only the ends and the total."""

_LONGEST = 4096
"""Bits of a number beyond which it is not worth computing."""


@comparable
class Extent:
    """Integers as Python computes them, which never wrap around.

    Attributes:
        shape: of the array that holds them.
        least: of them.
        most: of them.
        total: their sum; None where it is not known.
        numbers: all of them in their order, where they are few.
    """

    shape: tuple[int, ...]
    least: int
    most: int
    total: int | None = None
    numbers: tuple[int, ...] | None = None

    @property
    def in_turn(self) -> bool:
        """Whether it is one number, which is each of several in turn."""
        return not self.shape and not self.uniform

    @property
    def uniform(self) -> bool:
        """Whether all numbers are equal."""
        return self.least == self.most


@comparable
class Wrapped:
    """Of integers that have wrapped around: by which operations, by the ids of their nodes."""

    by: frozenset[int]


def of_numbers(shape: tuple[int, ...], numbers: tuple[int, ...]) -> Extent | None:
    """Of numbers that are known one by one; None where there are none, or they are too long."""
    if not numbers or math.prod(shape) != len(numbers):
        return None
    least, most = min(numbers), max(numbers)
    if max(abs(least), abs(most)).bit_length() > _LONGEST:
        return None
    kept = numbers if len(numbers) <= _MOST_KEPT else None
    return Extent(shape, least, most, sum(numbers), kept)


def one_of(extent: Extent) -> Extent | None:
    """Of one of the numbers along an axis: a scalar that is each of them in turn."""
    return Extent((), extent.least, extent.most) if len(extent.shape) == 1 else None


def filled(shape: tuple[int, ...], number: int) -> Extent | None:
    """Of an array with the same number everywhere."""
    count = math.prod(shape)
    if not count:
        return None
    kept = (number,) * count if count <= _MOST_KEPT else None
    return Extent(shape, number, number, number * count, kept)


def counted(numbers: range) -> Extent | None:
    """Of ``jnp.arange``."""
    if len(numbers) <= _MOST_KEPT:
        return of_numbers((len(numbers),), tuple(numbers))
    ends = numbers[0], numbers[-1]
    total = (ends[0] + ends[1]) * len(numbers) // 2
    return Extent((len(numbers),), min(ends), max(ends), total)


def reshaped(extent: Extent, shape: tuple[int, ...]) -> Extent | None:
    """The same numbers in another shape."""
    if math.prod(shape) != math.prod(extent.shape):
        return None
    return Extent(shape, extent.least, extent.most, extent.total, extent.numbers)


def combined(operator: str, one: Extent, other: Extent, shape: tuple[int, ...]) -> Extent | None:
    """``one operator other``, number by number, in an array of a shape."""
    if operator == "**" and not 0 <= other.least <= other.most <= _LONGEST:
        return None
    apply = _APPLY[operator]
    if one.numbers is not None and other.numbers is not None and one.shape == other.shape:
        pairs = zip(one.numbers, other.numbers, strict=True)
        return of_numbers(shape, tuple(apply(a, b) for a, b in pairs))
    if other.uniform and one.shape == shape:
        return _each(operator, one, lambda number: apply(number, other.least), other.least)
    if one.uniform and other.shape == shape:
        return _each(operator, other, lambda number: apply(one.least, number), one.least)
    return None


def _each(operator: str, extent: Extent, apply: Callable[[int], int], number: int) -> Extent | None:
    """What becomes of each number, by an operation that keeps or reverses their order."""
    if extent.numbers is not None:
        return of_numbers(extent.shape, tuple(map(apply, extent.numbers)))
    if operator == "**" and min(extent.least, number) < 0:
        return None
    ends = apply(extent.least), apply(extent.most)
    total = None
    if extent.total is not None and operator != "**":
        # Of an affine function.
        slope = apply(1) - apply(0)
        total = slope * extent.total + apply(0) * math.prod(extent.shape)
    return Extent(extent.shape, min(ends), max(ends), total)


def reduced(name: str, extent: Extent, shape: tuple[int, ...]) -> Extent | None:
    """``sum``, ``prod``, ``cumsum`` or ``cumprod`` of all numbers."""
    if name == "sum":
        return None if extent.total is None else of_numbers(shape, (extent.total,))
    if name == "cumsum" and extent.total is not None and extent.least >= 0:
        return Extent(shape, extent.least, extent.total)
    if extent.numbers is None:
        return None
    if name == "prod":
        return of_numbers(shape, (math.prod(extent.numbers),))
    apply = _APPLY["*" if name == "cumprod" else "+"]
    return of_numbers(shape, tuple(accumulate(extent.numbers, apply)))


def _power(base: int, exponent: int) -> int:
    return int(base**exponent) if base.bit_length() * exponent <= _LONGEST else 2**_LONGEST


_APPLY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "**": _power,
}
OPERATORS = frozenset(_APPLY)
"""Those of which the numbers of the result are known."""
