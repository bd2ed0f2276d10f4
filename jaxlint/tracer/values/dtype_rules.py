"""What dtype a function returns: the words of the measured table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from jaxlint.knowledge import measured
from jaxlint.knowledge.promotion import KIND_NAMES
from jaxlint.tracer.values.dtypes import NOTHING as NO_DTYPE
from jaxlint.tracer.values.dtypes import WIDTHS, DType, common, members, promote
from jaxlint.tracer.values.given import Call, Items, canonical

Maps: TypeAlias = Callable[[str, bool], Mapping[str, str]]


def dtype_of(call: Call, words: Sequence[str], maps: Maps = measured.dtype_map) -> DType:
    """The dtype of a rule: ``same``, ``const``, ``given``, ``made`` or ``as`` and parameters.

    With ``?`` before it the rule says nothing of weakness.
    """
    word, *rest = words
    if word == "?":
        return DType(dtype_of(call, rest, maps).name)
    if word == "const":
        return _constant(rest[0], rest[-1], call.x64)
    if word == "given":
        wanted = call.named_dtype(rest[0])
        return NO_DTYPE if wanted is None else canonical(wanted, call.x64)
    if word == "made":
        return _made(call, rest[0])
    if word == "same":
        return promoted(call, tuple(rest))
    return _mapped(rest[0], promoted(call, tuple(rest[1:])), call.x64, maps)


def _made(call: Call, parameter: str) -> DType:
    """The dtype of an argument that is made an array: lists of numbers are not weak."""
    name, weak = promoted(call, (parameter,))
    if name is None:
        return NO_DTYPE
    listed = isinstance(call.get(parameter), Items)
    exact = name if name in KIND_NAMES else canonical(name, call.x64).name
    return DType(exact, weak and not listed)


def promoted(call: Call, parameters: tuple[str, ...]) -> DType:
    """The dtype that arguments have together."""
    found = call.avals(parameters)
    return promote(tuple(aval.typed for aval in found), call.x64) if found else NO_DTYPE


@lru_cache(maxsize=64)
def _constant(narrow: str, wide: str, x64: bool | None) -> DType:
    return common((narrow, wide) if x64 is None else (wide,) if x64 else (narrow,))


@lru_cache(maxsize=4096)
def _mapped(name: str, dtype: DType, x64: bool | None, maps: Maps) -> DType:
    """What a measured map makes of a dtype."""
    if dtype.name is None:
        return _always(name, dtype.weak, x64, maps)
    found: set[str] = set()
    for wide in WIDTHS[x64]:
        table, possible = maps(name, wide), members(dtype, wide)
        inside = possible & table.keys()
        # Of a kind a function refuses some; of an exact dtype that is missing nobody knows.
        enough = inside if dtype.name in KIND_NAMES else inside == possible
        if possible and not enough:
            return NO_DTYPE
        found |= {table[exact] for exact in inside}
    return common(found)


def _always(name: str, weak: bool | None, x64: bool | None, maps: Maps) -> DType:
    """What a map says of a dtype that is not known at all."""
    tables = [maps(name, wide) for wide in WIDTHS[x64]]
    found = {
        made
        for table in tables
        for exact, made in table.items()
        if weak is None or weak is exact.startswith("~")
    }
    return common(found) if all(tables) else NO_DTYPE
