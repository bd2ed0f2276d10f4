"""The words in which the measured table says what shape and dtype a function returns.

A shape rule is a word and its parameters, as ``reduce a axis keepdims``. A rule may have
alternatives, each behind a guard: ``dtype: given dtype | same a`` means the argument
``dtype`` where it is given and differs from its default, else the dtype of ``a``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from jaxlint.knowledge import measured
from jaxlint.tracer.values.dtype_rules import Maps, dtype_of
from jaxlint.tracer.values.dtypes import NOTHING as NO_DTYPE
from jaxlint.tracer.values.dtypes import DType
from jaxlint.tracer.values.given import ABSENT, Call, Constant, Dimension, Items, OfDType
from jaxlint.tracer.values.shape_rules import SHAPE_RULES
from jaxlint.tracer.values.shapes import NOTHING, UNKNOWN, Inferred
from jaxlint.tracer.values.sizes import Shape
from jaxlint.tracer.values.value import comparable


@comparable
class Alternative:
    """One alternative of a rule.

    Attributes:
        guard: a parameter that must differ from its default, ``name=value``, ``given name``,
            ``several name`` for more than one in ``*name``, ``items name`` for a list; or empty.
        words: the rule.
    """

    guard: str
    words: tuple[str, ...]


@lru_cache(maxsize=4096)
def alternatives(rule: str) -> tuple[Alternative, ...]:
    """A rule in its parts."""
    found = []
    for part in rule.split(" | "):
        guard, colon, words = part.rpartition(": ")
        found.append(Alternative(guard if colon else "", tuple(words.split())))
    return tuple(found)


def _is_given(call: Call, parameter: str) -> bool | None:
    # Nobody writes an argument to say None: one of unknown value counts as given.
    return call.given.get(parameter, ABSENT) != ABSENT


def _are_several(call: Call, parameter: str) -> bool | None:
    items = call.get(parameter)
    return None if items is UNKNOWN else isinstance(items, Items) and len(items.items) > 1


def _are_items(call: Call, parameter: str) -> bool | None:
    items = call.get(parameter)
    return None if items is UNKNOWN else isinstance(items, Items)


GUARDS: Mapping[str, Callable[[Call, str], bool | None]] = {
    "given": _is_given,
    "several": _are_several,
    "items": _are_items,
}
"""Each word of a guard, and when it holds."""


def holds(guard: str, call: Call) -> bool | None:
    """Whether a guard holds; None when that is not known."""
    if not guard:
        return True
    word, parameter, value = _parts_of(guard)
    return GUARDS[word](call, parameter) if word else _is(call, parameter, value)


@lru_cache(maxsize=4096)
def _parts_of(guard: str) -> tuple[str, str, str | None]:
    """A word of :data:`GUARDS` and a parameter, or nothing, a parameter and its value."""
    word, space, parameter = guard.partition(" ")
    if space:
        return word, parameter, None
    name, equals, value = guard.partition("=")
    return "", name, value if equals else None


def _is(call: Call, name: str, value: str | None) -> bool | None:
    """Whether an argument has a value, or else is not its default."""
    argument = call.get(name)
    if argument is UNKNOWN:
        return None
    if value is None:
        usual = call.defaults.get(name, ABSENT)
        unsure = isinstance(argument, Dimension) and argument.size is None
        return None if unsure and usual != ABSENT else argument != usual
    if isinstance(argument, Constant):
        return str(argument.value) == value
    return None if not isinstance(argument, (Items, OfDType)) else False


def applying(rule: str, call: Call) -> list[tuple[str, ...]]:
    """The alternatives that may apply, one unless a guard is uncertain; empty if none does."""
    found = []
    for one in alternatives(rule):
        certain = holds(one.guard, call)
        if certain is not False:
            found.append(one.words)
        if certain:
            break
    return found


def shape_by(rule: str, call: Call) -> Inferred:
    """What a shape rule says of a call."""
    found = [_shape_by(words, call) for words in applying(rule, call)]
    if len(found) == 1:
        return found[0]
    shape = _common_shape([one.shape for one in found])
    return Inferred(shape, bool(found) and all(one.contradiction for one in found))


def _shape_by(words: Sequence[str], call: Call) -> Inferred:
    rule = SHAPE_RULES.get(words[0])
    return NOTHING if rule is None else rule(call, *words[1:])


def _common_shape(found: Sequence[Shape]) -> Shape:
    if not found or any(shape is None for shape in found):
        return None
    known = [shape for shape in found if shape is not None]
    if len({len(shape) for shape in known}) > 1:
        return None
    return tuple(
        column[0] if all(size is column[0] or size == column[0] for size in column) else None
        for column in zip(*known, strict=True)
    )


def dtype_by(rule: str, call: Call, maps: Maps = measured.dtype_map) -> DType:
    """What a dtype rule says of a call."""
    possible = applying(rule, call)
    if not possible or any(words[0] == "unknown" for words in possible):
        return NO_DTYPE
    found = [dtype_of(call, words, maps) for words in possible]
    if len(found) == 1:
        return found[0]
    names, weak = {one.name for one in found}, {one.weak for one in found}
    return DType(names.pop() if len(names) == 1 else None, weak.pop() if len(weak) == 1 else None)
