"""Floats as narrow dtypes hold them."""

from __future__ import annotations

import math

_NOISE = 16
"""Steps of Python's own floats by which arithmetic misses a whole number."""


def rounded(number: float, digits: int) -> float:
    """The nearest number of so many binary digits."""
    if not number or not math.isfinite(number):
        return number
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(mantissa, digits)), exponent - digits)


def becomes_whole(number: float, digits: int) -> float | None:
    """The whole number, other than 0, that a float with a fraction is in so many digits."""
    if not math.isfinite(number) or number.is_integer():
        return None
    kept = rounded(number, digits)
    if not kept or not kept.is_integer():
        return None
    return kept if abs(number - kept) > _NOISE * math.ulp(kept) else None


def absorbs(large: float, small: float, digits: int) -> bool:
    """Whether a number without a digit left for fractions is not changed by one added to it."""
    large, small = rounded(large, digits), rounded(small, digits)
    return bool(small) and abs(large) >= 2**digits and rounded(large + small, digits) == large
