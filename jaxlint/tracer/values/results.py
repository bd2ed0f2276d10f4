"""What a call of a measured function returns, from what is known of its arguments.

The table is ``knowledge/measured.json``. What :func:`evaluate` says is certain: what is
not stays None or ``unknown``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from jaxlint.knowledge import measured, overrides
from jaxlint.knowledge.measured import Item, Result, Returns, result_of
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.dtype_rules import Maps
from jaxlint.tracer.values.given import (
    Abstract,
    Call,
    Constant,
    Dimension,
    Items,
    OfDType,
    described,
)
from jaxlint.tracer.values.rules import alternatives, dtype_by, holds, shape_by
from jaxlint.tracer.values.shapes import UNKNOWN
from jaxlint.tracer.values.value import comparable, replace

_INEXACT = (float, complex)

MANY = 64
"""A longer tuple of results is described by one element."""


@comparable
class Outcome:
    """What a call returns.

    Attributes:
        kind: ``array``, ``tuple``, ``list``, ``namedtuple``, ``host`` (a Python value),
            ``none``, ``like`` (a pytree of the structure of an argument) or ``unknown``.
        avals: the arrays, None in place of one that is no array; of a tuple whose ``count``
            is None, one element for all.
        count: how many elements a tuple or list has; None when that is not known.
        type: of a named tuple or a Python value; the parameter for ``like``.
        fields: names of a named tuple's elements.
        contradiction: whether the call fails for all values that are possible.
    """

    kind: str
    avals: tuple[Aval | None, ...] = ()
    count: int | None = None
    type: str = ""
    fields: tuple[str, ...] = ()
    contradiction: bool = False

    @property
    def aval(self) -> Aval:
        """The one array; nothing is known of it when the result is none."""
        first = self.avals[0] if self.kind == "array" and self.avals else None
        return Aval() if first is None else first


UNKNOWN_OUTCOME = Outcome("unknown")


def evaluate(name: str, given: Mapping[str, Abstract], x64: bool | None = None) -> Outcome:
    """What a function returns.

    Args:
        name: its qualified name; of an array's method ``jax.Array.sum``, with ``self``.
        given: the arguments by parameter, those of ``*args`` as one :class:`Items`.
        x64: whether 64 bits are enabled; None when that is not known.
    """
    return _evaluated(name, tuple((key, given[key], _type(given[key])) for key in given), x64)


def _type(value: Abstract) -> object:
    """What tells values apart that are equal, as 1, 1.0 and True are."""
    if isinstance(value, Items):
        return tuple(map(_type, value.items))
    return type(value.value) if isinstance(value, Constant) else None


@lru_cache(maxsize=4096)
def _evaluated(
    name: str, arguments: tuple[tuple[str, Abstract, object], ...], x64: bool | None
) -> Outcome:
    """Programs ask the same again and again: most know little of their arrays."""
    row = result_of(name)
    given = {parameter: value for parameter, value, _ in arguments}
    return UNKNOWN_OUTCOME if row is None else outcome_of(row, Call(given, _defaults(name), x64))


def outcome_of(row: Returns, call: Call, maps: Maps = measured.dtype_map) -> Outcome:
    """What a row of the table, with its dtype maps, says of a call."""
    given = call.given
    if row.numbers and all(_is_python(value) for value in given.values()):
        return Outcome("host", type=row.numbers)
    if row.pytree and not _is_leaf(given.get(row.pytree, UNKNOWN)):
        return Outcome("like", type=row.pytree)
    if given.keys() - row.tested - overrides.NEUTRAL:
        return UNKNOWN_OUTCOME
    found = [_outcome(case, call, maps) for case in possible(row.cases, call)]
    if not found:
        return UNKNOWN_OUTCOME
    outcome = found[0] if all(one == found[0] for one in found[1:]) else _alike(found)
    if _unlike(row, given):
        return _without_details(outcome)
    return _without_dtypes(outcome) if _has_new_floats(row, given) else outcome


def _unlike(row: Returns, given: Mapping[str, Abstract]) -> bool:
    """Whether an argument is an array where none was given in the experiments."""
    return any(
        isinstance(value, Aval)
        and (name in row.no_tracers or (name in row.no_arrays and value.shape != ()))
        for name, value in given.items()
    )


def _has_new_floats(row: Returns, given: Mapping[str, Abstract]) -> bool:
    """Whether an argument is a float where integers alone were given in the experiments.

    A parameter that a rule for a dtype names was given both.
    """
    floats = {
        name
        for name, value in given.items()
        if isinstance(value, Constant) and type(value.value) in _INEXACT and name in row.no_arrays
    }
    items = (item for case in row.cases for item in case.items) if floats else ()
    return bool(floats.difference(word for item in items for word in item.dtype.split()))


def _without_dtypes(outcome: Outcome) -> Outcome:
    known = (None if aval is None else Aval(aval.shape) for aval in outcome.avals)
    return replace(outcome, avals=tuple(known))


def _is_python(value: Abstract) -> bool:
    """Whether an argument is a Python value for certain."""
    return isinstance(value, (Constant, Dimension, OfDType))


def _is_leaf(value: Abstract) -> bool:
    return isinstance(value, (Aval, Constant, Dimension)) and value != Constant(None)


@cache
def _defaults(name: str) -> Mapping[str, Abstract]:
    row = result_of(name)
    return {} if row is None else {key: described(value) for key, value in row.defaults.items()}


def possible(cases: tuple[Result, ...], call: Call) -> list[Result]:
    """The cases that may hold, one unless a guard is uncertain."""
    found = []
    for case in cases:
        certain = holds(case.guard, call)
        if certain is not False:
            found.append(case)
        if certain:
            break
    return found


def _outcome(case: Result, call: Call, maps: Maps) -> Outcome:
    """What is returned when one case holds."""
    if case.kind not in ("array", "tuple", "list", "namedtuple"):
        return Outcome(case.kind, type=case.type)
    computed = [_item(item, call, maps) for item in case.items]
    contradiction = any(bad for _, bad in computed)
    several = tuple(aval for aval, _ in computed)
    if case.kind == "array":
        return Outcome("array", several, 1, contradiction=contradiction)
    count = counted(case.count, call)
    if len(several) == 1 and count is not None and count <= MANY:
        several *= count
    return Outcome(case.kind, several, count, case.type, case.fields, contradiction)


def _item(item: Item, call: Call, maps: Maps) -> tuple[Aval | None, bool]:
    if item.host:
        return None, False
    shape, contradiction = shape_by(item.shape, call)
    name, weak = dtype_by(item.dtype, call, maps)
    return Aval(shape, name, weak), contradiction


def counted(rule: str, call: Call) -> int | None:
    """How many results there are, by a number or a rule of :data:`COUNTS`."""
    if rule.isdecimal():
        return int(rule)
    words = alternatives(rule)[0].words
    return COUNTS[words[0]](call, *words[1:]) if words and words[0] in COUNTS else None


def _size_of_axis(call: Call, array: str, axis: str) -> int | None:
    shape, place = call.aval(array).shape, call.axis(axis)
    if shape is None or not isinstance(place, int) or not -len(shape) <= place < len(shape):
        return None
    size = shape[place]
    return size if isinstance(size, int) else None


def _rank(call: Call, array: str) -> int | None:
    return call.aval(array).rank


def _parts(call: Call, sections: str) -> int | None:
    value = call.get(sections)
    return len(value.items) + 1 if isinstance(value, Items) else _value(call, sections)


def _value(call: Call, parameter: str) -> int | None:
    size = call.dim(parameter)
    return size if isinstance(size, int) else None


def _length(call: Call, parameter: str) -> int | None:
    value = call.get(parameter)
    return len(value.items) if isinstance(value, Items) else None


COUNTS: Mapping[str, Callable[..., int | None]] = {
    "axis": _size_of_axis,
    "rank": _rank,
    "parts": _parts,
    "value": _value,
    "length": _length,
}
"""Each word of a rule for the number of results."""


def _alike(found: list[Outcome]) -> Outcome:
    """What several outcomes have in common."""
    first = found[0]
    if any((one.kind, one.type, one.count) != (first.kind, first.type, first.count)
           for one in found):  # fmt: skip
        return UNKNOWN_OUTCOME
    return _without_details(first)


def _without_details(outcome: Outcome) -> Outcome:
    """An outcome of which only the kind is certain."""
    if outcome.kind == "array":
        return Outcome("array", (Aval(),), 1)
    if outcome.kind in ("tuple", "list", "namedtuple"):
        blank = tuple(None if aval is None else Aval() for aval in outcome.avals)
        return Outcome(outcome.kind, blank, outcome.count, outcome.type, outcome.fields)
    return outcome
