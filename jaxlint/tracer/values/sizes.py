"""Sizes of which some are unknown, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast


class Size:
    """An unknown size; two sizes are the same when they are one object.

    Attributes:
        name: how it is shown, or empty.
    """

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Size({self.name!r})"


class SizeOfPass(Size):
    """An unknown size that is another one at each pass of a loop over sizes written out."""

    __slots__ = ("loop",)

    def __init__(self, loop: object) -> None:
        super().__init__()
        self.loop = loop


Dim: TypeAlias = "int | Size | None"
Shape: TypeAlias = "tuple[Dim, ...] | None"


def differ(first: Dim, second: Dim) -> bool:
    """Whether two sizes are certain to differ."""
    return isinstance(first, int) and isinstance(second, int) and first != second


def unequal(first: Shape, second: Shape) -> bool:
    """Whether two arrays have different shapes for certain."""
    if first is None or second is None:
        return False
    return len(first) != len(second) or any(map(differ, first, second))


def agreed(first: Dim, second: Dim) -> Dim:
    """The one size of two that must be equal: what is known best of it."""
    if isinstance(first, int) or second is None:
        return first
    return second


def together(first: Dim, second: Dim) -> Dim:
    """The size of two broadcast against each other, given that they can be."""
    if first == 1 or first is second:
        return second
    if second == 1:
        return first
    # One that is unknown is 1 or like the other, which is not 1.
    for size in (first, second):
        if isinstance(size, int):
            return size
    return None


def product(sizes: Iterable[Dim]) -> tuple[int, Counter[Size]] | None:
    """A literal factor and the unknown ones; None when a size has no name at all."""
    factor, symbols = 1, Counter[Size]()
    for size in sizes:
        if size is None:
            return None
        if isinstance(size, int):
            factor *= size
        else:
            symbols[size] += 1
    return factor, symbols


def multiplied(sizes: Iterable[Dim]) -> Dim:
    """The product of sizes as one size."""
    found = product(sizes)
    if found is None:
        return None
    factor, symbols = found
    if not symbols or not factor:
        return factor
    if factor == 1 and symbols.total() == 1:
        return next(iter(symbols))
    return None


def divided(whole: Iterable[Dim], part: Iterable[Dim]) -> Dim:
    """The size by which the product of ``part`` must be multiplied to give that of ``whole``."""
    above, below = product(whole), product(part)
    if above is None or below is None or not above[0] or not below[0]:
        return None
    if above[0] % below[0] or below[1] - above[1]:
        return None
    rest = above[1] - below[1]
    return multiplied([above[0] // below[0], *rest.elements()])


def added(sizes: Sequence[Dim]) -> Dim:
    """The sum of sizes."""
    if len(sizes) == 1:
        return sizes[0]
    return sum(cast("Sequence[int]", sizes)) if all(isinstance(s, int) for s in sizes) else None


def elements(shape: Shape) -> Dim:
    """How many elements an array has."""
    return None if shape is None else multiplied(shape)
