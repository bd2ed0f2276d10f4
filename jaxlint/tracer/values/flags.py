"""Flags that a test decides: ``jitted = mode == "jit"``, written as an ``if``."""

from __future__ import annotations

from collections.abc import Sequence

from jaxlint.tracer.values.objects import Told
from jaxlint.tracer.values.value import Const, Host

_MOST_PARTS = 16
"""Of several tests that decide one flag."""


def as_tested(ends: Sequence[object], told: Sequence[Told]) -> Const | Host | None:
    """A flag that two alternatives leave, by what the test says that parts them.

    Who asks for it later, where the answer of the test is known, knows the flag.

    Args:
        ends: what each of them has left.
        told: what tests had said in each.

    Returns:
        The flag; None where it is none, or nobody can say which test decides.
    """
    if len(ends) != 2:
        return None
    said = [symbol for symbol, holds in told[0] if (symbol, not holds) in told[1]]
    answers = [_answer(value) for value in ends]
    if len(said) != 1 or None in answers:
        return None
    test = said[0] if (said[0], True) in told[0] else ("not", said[0])
    symbol = _either(_both(test, answers[0]), _both(_not(test), answers[1]))
    if isinstance(symbol, bool):
        return Const(symbol)
    return Host("bool", symbol=symbol) if _size(symbol) <= _MOST_PARTS else None


def _answer(value: object) -> object:
    """True, False, or what stands for a flag; None for what is none."""
    if isinstance(value, Const) and isinstance(value.value, bool):
        return value.value
    return value.symbol if isinstance(value, Host) and value.type == "bool" else None


def _not(symbol: object) -> object:
    if isinstance(symbol, bool):
        return not symbol
    double = isinstance(symbol, tuple) and symbol[0] == "not"
    return symbol[1] if double and isinstance(symbol, tuple) else ("not", symbol)


def _both(one: object, other: object) -> object:
    if one is False or other is False or one == _not(other):
        return False
    if one is True or other is True:
        return other if one is True else one
    return one if one == other else ("and", one, other)


def _either(one: object, other: object) -> object:
    return _not(_both(_not(one), _not(other)))


def _size(symbol: object) -> int:
    """How many tests it is made of."""
    composed = isinstance(symbol, tuple) and symbol[0] in ("not", "and")
    return sum(map(_size, symbol[1:])) if composed and isinstance(symbol, tuple) else 1
