"""Dtypes of which the width or the weakness may be unknown, and what promotion makes of them.

What is known of a dtype is the set of exact ones that it may be. Promotion takes all
combinations and says what they have in common: a dtype, its kind, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from jaxlint.knowledge.promotion import KIND_NAMES, available, joined, kinds

WIDTHS = {True: (True,), False: (False,), None: (False, True)}
"""The settings of x64 that are possible, by what is known of it."""


class DType(NamedTuple):
    """What is known of a dtype.

    Attributes:
        name: ``float32``, a kind alone (``float``, ``int``, ``complex``), or None.
        weak: whether it is weak; None when that is not known.
    """

    name: str | None
    weak: bool | None = None


NOTHING = DType(None)


@lru_cache(maxsize=4096)
def promote(dtypes: tuple[DType, ...], x64: bool | None = None) -> DType:
    """The dtype of arrays combined by type promotion."""
    if len(dtypes) == 1:
        return dtypes[0]
    found: set[str] = set()
    for wide in WIDTHS[x64]:
        found |= _promoted(dtypes, wide)
    return common(found)


def _promoted(dtypes: tuple[DType, ...], x64: bool) -> set[str]:
    table = joined(x64)
    found = set(members(dtypes[0], x64))
    for dtype in dtypes[1:]:
        others = members(dtype, x64)
        found = {table[one, two] for one in found for two in others if (one, two) in table}
    return found


@lru_cache(maxsize=1024)
def members(dtype: DType, x64: bool) -> frozenset[str]:
    """The exact dtypes that one may be, weak ones with their ``~``."""
    possible = available(x64)
    return frozenset(
        name
        for name in possible
        if _fits(name.lstrip("~"), dtype.name)
        and (dtype.weak is None or dtype.weak is name.startswith("~"))
    )


def _fits(exact: str, name: str | None) -> bool:
    return name is None or exact == name or (name in KIND_NAMES and kinds().get(exact) == name)


def common(names: Iterable[str]) -> DType:
    """What exact dtypes have in common.

    ``?`` before one says that it may be weak, and alone that it may be any.
    """
    found = set(names)
    if not found or "?" in found:
        return NOTHING
    plain = {name.lstrip("~?") for name in found}
    weak = {None if name.startswith("?") else name.startswith("~") for name in found}
    shared = plain if len(plain) == 1 else {kinds().get(name) for name in plain}
    return DType(
        shared.pop() if len(shared) == 1 else None,
        weak.pop() if len(weak) == 1 else None,
    )


def same(first: DType, second: DType) -> bool:
    """Whether two dtypes may be one: nothing that is known of them differs."""
    weak = first.weak is None or second.weak is None or first.weak is second.weak
    if first.name is None or second.name is None or first.name == second.name:
        return weak
    return weak and (_fits(first.name, second.name) or _fits(second.name, first.name))
