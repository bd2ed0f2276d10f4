"""What tests say of the process that runs, in a program that runs as several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import TypeAlias, TypeGuard

from jaxlint.knowledge.processes import PROCESS, PROCESSES
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.objects import Told
from jaxlint.tracer.values.value import Differs, Host, Value, replace

MayDiffer: TypeAlias = Array | Host | NumpyArray
"""Values that say why they are others in each process."""

_COMPARES: dict[str, Callable[[int, int], bool]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip

EVERY = frozenset(range(4))
"""Processes of a cluster that is asked what tests say there."""


def number_asked(symbol: object) -> object:
    """Which number a test is about, the process's or that of all; None for other tests."""
    if not isinstance(symbol, tuple):
        return None
    if symbol[0] in (PROCESS, PROCESSES):
        return symbol[0]
    if symbol[0] in _COMPARES and isinstance(symbol[1], tuple):
        key = symbol[2]
        compared = key[2] if isinstance(key, tuple) and key[0] == "const" else None
        if isinstance(compared, int) and symbol[1][0] in (PROCESS, PROCESSES):
            return symbol[1][0]
    return None


def says(symbol: object, number: int) -> bool:
    """What a test says where the process, or the number of them, is this one."""
    if not isinstance(symbol, tuple):
        return False
    if symbol[0] in _COMPARES:
        return _COMPARES[symbol[0]](number, symbol[2][2])
    return bool(number)


def who_passes(symbol: object, holds: bool = True) -> frozenset[int]:
    """The processes of the cluster in which a test holds, or does not."""
    return frozenset(number for number in EVERY if says(symbol, number) is holds)


def tests_of_process(symbol: object) -> Iterator[object]:
    """The tests of the process that runs among those that are asked at once."""
    if isinstance(symbol, tuple) and symbol[0] in ("not", "and"):
        for part in symbol[1:]:
            yield from tests_of_process(part)
    elif number_asked(symbol) == PROCESS:
        yield symbol


def may_differ(value: object) -> TypeGuard[MayDiffer]:
    """Whether a value may be another one in each process: a PRNG key, an array of NumPy, or one
    that is.
    """
    if isinstance(value, Array):
        return value.prng is not None or value.differs is not None
    return isinstance(value, NumpyArray) or (isinstance(value, Host) and value.differs is not None)


def where_they_meet(joined: MayDiffer, ends: Sequence[Value], told: Sequence[Told]) -> Value:
    """A value that alternatives have left, some of which some processes alone have taken.

    A PRNG key that only those have split is another one there, and so is an array of NumPy that
    only those have read. What comes about only where there is one process is the same in all.

    Args:
        joined: what it is after them.
        ends: what each of them has left.
        told: what tests had said in each.
    """
    agreed = frozenset.intersection(*told)
    asked = {number_asked(symbol): symbol for each in told for symbol, _ in each - agreed}
    if PROCESSES in asked:
        return replace(joined, differs=None)
    keys: set[object] = {
        end.prng.serial for end in ends if isinstance(end, Array) and end.prng is not None
    }
    if isinstance(joined, NumpyArray):
        keys = {id(end) for end in ends}
    if PROCESS in asked and len(keys) > 1 and frozenset() < who_passes(asked[PROCESS]) < EVERY:
        return replace(joined, differs=Differs("gate", asked[PROCESS]))
    return joined
