"""Which arrays functions of JAX take in no call: of a rank, a kind of dtype, of sizes, on an axis.

``unfit.json`` is written by ``python -m tools.measure.unfit``; nothing in it is typed by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from jaxlint.knowledge.tables import table

KINDS = ("bool", "int", "float", "complex")
"""The kinds of dtypes that are told apart."""


OF_TWO = {
    operator: f"jax.numpy.{name}"
    for operator, name in {
        "-": "subtract", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor",
        "%": "remainder", "//": "floor_divide", "<<": "left_shift", ">>": "right_shift",
        "**": "power",
    }.items()
}  # fmt: skip
OF_ONE = {"-": "jax.numpy.negative", "~": "jax.numpy.invert"}
"""The functions that the operators of an array call, for two operands and for one."""

IN_LISTS = "[]"
"""Ends the name of a parameter that takes several arrays, where each of them is meant."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """What one function refuses, by parameter.

    Attributes:
        needs: the parameters that every call was given; one more of the others at a time.
        ranks: the numbers of axes.
        dtypes: the kinds of dtypes, of :data:`KINDS`.
        alike: the kinds of dtypes that no two arrays may both have.
        square: the parameters whose last two axes have one size.
        sizes: pairs of parameters whose arrays have a size in common.
        axes: of a parameter that names an axis, each array whose axes these may be: by how many
            they may go beyond those that it has, and as how many those of a number count, or none.
    """

    needs: frozenset[str]
    ranks: Mapping[str, frozenset[int]]
    dtypes: Mapping[str, frozenset[str]]
    alike: frozenset[str]
    square: frozenset[str]
    sizes: tuple[tuple[str, str], ...]
    axes: Mapping[str, Mapping[str, Sequence[int]]]


@cache
def refused_by(name: str) -> Unfit | None:
    """What a function refuses, by its qualified name; None where nothing is known of it."""
    row = table("unfit")["functions"].get(name)
    if row is None:
        return None
    return Unfit(
        frozenset(row["needs"]),
        {each: frozenset(ranks) for each, ranks in row.get("ranks", {}).items()},
        {each: frozenset(kinds) for each, kinds in row.get("dtypes", {}).items()},
        frozenset(row.get("alike", ())),
        frozenset(row.get("square", ())),
        tuple((one, other) for one, other in row.get("sizes", ())),
        row.get("axes", {}),
    )


def measured_on() -> str:
    """The version of JAX that was asked."""
    return str(table("unfit")["jax"])
