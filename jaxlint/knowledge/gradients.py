"""What becomes of a cotangent on its way back, as real JAX gave it, and what masks do to values.

``gradients.json`` is written by ``tools/measure/gradients.py``: for each function of floats, for
each class of numbers (below -1, at -1, between, at 0, ...) that its operands may be of, what comes
back to each operand when zero, one, infinity or NaN is sent: zeros (``0``), finite numbers
(``f``), infinities (``i``), NaN (``n``), or different things inside of the class (``?``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal

from jaxlint.knowledge.tables import table

Cotangent = Literal["zero", "one", "inf", "nan"]
"""What is sent back to a function."""

NAN = "n"
NOTHING = "0"
FINITE = "f"
BROKEN = frozenset({"n", "i"})
"""What comes back that is no number."""

_ARRAY = "jax.Array."
_NAMES = {"abs": "builtins.abs"}
_BOUNDS = (-1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One function.

    Attributes:
        back: for each operand, what comes back to it by what was sent, one letter for each
            class of operands, that of the last one running fastest.
        options: keywords that change nothing of it.
        least: no result is below it; None where there is no such number.
        elementwise: each number of the result comes of the operands in its place.
    """

    back: tuple[dict[str, str], ...]
    options: frozenset[str]
    least: float | None
    elementwise: bool

    def comes_back(self, sent: Cotangent, place: int, numbers: tuple[float, ...]) -> str:
        """What comes back to the operand at ``place``, a letter."""
        cell = 0
        for number in numbers:
            if math.isnan(number):
                return "?"
            cell = cell * _COUNT + class_of(number)
        return self.back[place][sent][cell]

    def always_passes(self, place: int) -> bool:
        """Whether NaN comes back to an operand as NaN, whatever the operands are."""
        return set(self.back[place]["nan"]) == {NAN}

    def harmless(self, place: int, known: Sequence[float | None]) -> float | None:
        """A number for an operand at which the function and its derivatives are finite.

        None where there is no such number, whatever the others are.

        Args:
            place: which operand.
            known: the operands' numbers, where they are written; the one at ``place`` is not read.
        """
        others = [_OF_EACH_CLASS if number is None else (number,) for number in known]
        for number in _LIKELY_HARMLESS:
            given = [*product(*others[:place], (number,), *others[place + 1 :])]
            # A function that is infinite or undefined there may send zero back all the same.
            slopes = any(self.comes_back("one", place, numbers) == FINITE for numbers in given)
            if slopes and all(map(self._is_calm_at, given)):
                return number
        return None

    def _is_calm_at(self, numbers: tuple[float, ...]) -> bool:
        """Whether zero comes back as zero, and one as a number, to all operands."""
        return all(
            self.comes_back("zero", place, numbers) == NOTHING
            and self.comes_back("one", place, numbers) not in BROKEN
            for place in range(len(self.back))
        )

    @property
    def breaks(self) -> bool:
        """Whether there are operands at which zero comes back as NaN."""
        return any(NAN in each["zero"] for each in self.back)

    @property
    def cuts(self) -> bool:
        """Whether nothing ever comes back."""
        return all(set(each["nan"]) == {NOTHING} for each in self.back)


_COUNT = 2 * len(_BOUNDS) + 1
_OF_EACH_CLASS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
_LIKELY_HARMLESS = (1.0, 0.0, 0.5, 2.0)


def class_of(number: float) -> int:
    """The class of a number: below the first bound, at it, up to the second, ..."""
    for place, bound in enumerate(_BOUNDS):
        if number <= bound:
            return 2 * place + (number == bound)
    return _COUNT - 1


def measured_on() -> str:
    """The release of JAX that was asked."""
    return str(table("gradients")["jax"])


def names() -> frozenset[str]:
    """The functions that were asked."""
    return frozenset(table("gradients")["functions"])


OF_COMPLEX = frozenset({"jax.numpy.imag", "jax.numpy.angle"})
"""Functions of complex numbers: the rows, measured with real ones, say nothing of those."""


@cache
def row_of(operation: str) -> Row | None:
    """The row of a function, operator or method; None for one that was not measured."""
    name = _NAMES.get(operation, operation)
    if name.startswith(_ARRAY):
        name = f"jax.numpy.{name.removeprefix(_ARRAY)}"
    row = table("gradients")["functions"].get(name)
    if row is None or name in OF_COMPLEX:
        return None
    options = frozenset(row["options"])
    elementwise = bool(row.get("elementwise"))
    return Row(tuple(row["back"]), options, row.get("least"), elementwise)


@cache
def is_cut(operation: str) -> bool:
    """Whether a function gives nothing back, whatever is sent: ``floor``, ``sign``."""
    row = row_of(operation)
    return row is not None and row.cuts


@dataclass(frozen=True, slots=True)
class Select:
    """A function that takes each number of its result from one operand or another.

    Positions and names of its mask, of what it takes where that holds, and where it does not.
    """

    mask: tuple[int, str]
    where_true: tuple[int, str]
    where_false: tuple[int, str]


SELECTS = {
    "jax.numpy.where": Select((0, "condition"), (1, "x"), (2, "y")),
    "jax.lax.select": Select((0, "pred"), (1, "on_true"), (2, "on_false")),
    "jax.lax.select_n": Select((0, "which"), (2, ""), (1, "")),
}

FIRST_THAT_HOLDS = frozenset({"jax.numpy.select"})
"""Functions of a list of masks, a list of what each takes, and a default."""

ONLY_FINITE = frozenset({"jax.numpy.nan_to_num"})
"""Functions that keep numbers, and put others in the place of NaN and infinities."""

SAME_NUMBERS = frozenset(
    {"jax.numpy.asarray", "jax.numpy.array", "jax.numpy.broadcast_to", "jax.numpy.expand_dims",
     "jax.numpy.squeeze", "jax.numpy.reshape", "jax.numpy.ravel", "jax.numpy.atleast_1d",
     "jax.numpy.atleast_2d", "jax.numpy.copy", "jax.numpy.float32", "jax.numpy.float64",
     "jax.lax.stop_gradient", "jax.lax.expand_dims", "jax.lax.reshape", "jax.lax.squeeze",
     "jax.lax.convert_element_type", "jax.Array.astype", "jax.Array.reshape", "jax.Array.ravel",
     "jax.Array.squeeze", "jax.Array.flatten", "jax.Array.copy"}
)  # fmt: skip
"""Functions that keep the numbers of their first operand, and their order."""

ADDS_AXES = frozenset({"jax.numpy.expand_dims"})
"""Those of them that give it an axis of size one, as ``x[:, None]`` does."""


def _quiet(function: Callable[..., float]) -> Callable[..., float]:
    """A function of Python's that gives what floats give where Python raises."""

    def call(*args: float) -> float:
        try:
            found = function(*args)
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return math.inf
        return math.nan if isinstance(found, complex) else found

    return call


def _divided(one: float, other: float) -> float:
    if other == 0:
        return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one)
    return one / other


def _log(number: float) -> float:
    return -math.inf if number == 0 else math.log(number)


def _log1p(number: float) -> float:
    return -math.inf if number == -1 else math.log1p(number)


def _power(one: float, other: float) -> float:
    return math.inf if one == 0 and other < 0 else one**other


def _close(one: float, other: float) -> float:
    return abs(one - other) <= 1e-8 + 1e-5 * abs(other)


def _sign(number: float) -> float:
    return (number > 0) - (number < 0)


def _clip(number: float, least: float, greatest: float) -> float:
    return min(max(number, least), greatest)


_SCALARS: dict[str, Callable[..., float]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": _divided,
    "**": _power,
    "%": lambda one, other: one % other,
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "unary -": lambda number: -number,
    "unary ~": lambda number: not number,
    "&": lambda one, other: one and other,
    "|": lambda one, other: one or other,
    "abs": abs,
    "sqrt": math.sqrt,
    "cbrt": lambda number: math.copysign(abs(number) ** (1 / 3), number),
    "square": lambda number: number * number,
    "reciprocal": lambda number: _divided(1.0, number),
    "log": _log,
    "log2": lambda number: _log(number) / math.log(2),
    "log10": lambda number: _log(number) / math.log(10),
    "log1p": _log1p,
    "exp": math.exp,
    "expm1": math.expm1,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "sign": _sign,
    "relu": lambda number: max(number, 0.0),
    "maximum": max,
    "minimum": min,
    "clip": _clip,
    "isclose": _close,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "isfinite": math.isfinite,
    "logical_and": lambda one, other: bool(one and other),
    "logical_or": lambda one, other: bool(one or other),
    "logical_not": lambda number: not number,
}
"""What functions do to numbers, by their own name."""

PARAMETERS = {
    "clip": ((("x", "a", "arr"), 0.0), (("min", "a_min"), -math.inf), (("max", "a_max"), math.inf)),
}
"""Of functions whose operands have defaults: the names of each, and its default."""

BOUNDS = {"clip": (-1, 1), "maximum": (-1,), "minimum": (1,)}
"""Functions that keep a number within bounds, and on which side of it each of these is."""

NORMS = frozenset({"jax.numpy.linalg.norm"})
"""Functions with another parameter between the array and the axis."""

SUMS = frozenset({"sum", "mean", "max", "min", "median"})
"""Functions that give zero of zeros alone."""

ZERO_OF_ZERO = frozenset({"abs", "square", "sqrt", "unary -", "*", "**", "sin", "tan", "sinh",
                          "tanh", "arctan", "expm1", "log1p", "cbrt", "sign"})  # fmt: skip
"""Functions that give zero of zero."""

ZERO_OF_LEAST = frozenset({"jax.nn.softmax"})
"""Functions that give zero for a number that is far below the others."""

LIMITS_OF_DTYPE = "finfo"
"""The function, of JAX or NumPy, of which ``min`` is far below all numbers."""

SUMS_OF_EXPONENTIALS = frozenset(
    {"jax.nn.logsumexp", "jax.nn.softmax", "jax.nn.log_softmax", "jax.scipy.special.logsumexp"}
)
"""Functions that have no gradient where all numbers are ``-inf``: what they divide by is zero."""

FAR_BELOW = -1e4
"""A number that is, beside those that a program computes with."""

INCREASING = frozenset({"sqrt", "cbrt", "exp", "expm1", "log1p", "arctan", "sinh", "cosh"})
"""Functions that give more of more, from zero on, and nothing below zero there."""

KEEP_SIGN = frozenset({"sum", "mean", "max", "min", "amax", "amin", "median", "cumsum", "average"})
"""Functions that give nothing below zero of what is not below zero."""

_ALIASES = {
    "add": "+", "subtract": "-", "sub": "-", "multiply": "*", "mul": "*", "divide": "/",
    "true_divide": "/", "div": "/", "power": "**", "pow": "**", "float_power": "**",
    "equal": "==", "eq": "==", "not_equal": "!=", "ne": "!=", "less": "<",
    "lt": "<", "less_equal": "<=", "le": "<=", "greater": ">", "gt": ">", "greater_equal": ">=",
    "ge": ">=", "negative": "unary -", "neg": "unary -", "absolute": "abs", "fabs": "abs",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "bitwise_and": "&", "bitwise_or": "|", "bitwise_not": "unary ~", "invert": "unary ~",
}  # fmt: skip
_MODULES = frozenset({"jax.numpy", "jax.lax", "jax.nn", "jax.Array", "builtins", ""})
_OF_TWO = {"jax.lax.max": "maximum", "jax.lax.min": "minimum"}


OF_UNIFORM: dict[str, Callable[..., float]] = {
    "all": bool,
    "any": bool,
    "allclose": _close,
    "sum": lambda number: 3 * number,
    "mean": lambda number: number,
    "max": lambda number: number,
    "min": lambda number: number,
    "norm": lambda number: abs(number) * math.sqrt(3),
}
"""What functions make of an array of three equal numbers."""

OF_WHOLE = frozenset({"all", "any", "allclose"})
"""Masks that speak of all numbers of an array together."""


@cache
def plain_name(operation: str) -> str:
    """The operator or function of Python's that an operation is like: ``+`` of ``jnp.add``.

    The last part of its name where there is none.
    """
    module, _, short = operation.rpartition(".")
    short = _OF_TWO.get(operation, short)
    return short if module not in _MODULES else _ALIASES.get(short, short)


@cache
def scalar(operation: str) -> Callable[..., float] | None:
    """What a function does to numbers; None where nobody says."""
    if operation.rpartition(".")[0] not in _MODULES:
        return None
    found = _SCALARS.get(plain_name(operation))
    return None if found is None else _quiet(found)


def scalar_names() -> list[str]:
    """The functions of ``jax.numpy``, ``jax.lax`` and ``jax.nn`` that :func:`scalar` may know."""
    shorts = [name for name in (*_SCALARS, *_ALIASES) if name.isidentifier()]
    return [f"{module}.{short}" for module, short in product(sorted(_MODULES - {""}), shorts)]
