"""What masks take each number from: ``jnp.where``, ``jnp.select``, ``jnp.nan_to_num``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from jaxlint.knowledge import gradients
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.derivations import Derivation
from jaxlint.tracer.values.value import Const, Value, immutable

Asked = tuple[Value, Callable[[float], bool]]
"""A value, and what must hold of its numbers."""


@immutable
class Alternative:
    """A value, of which those numbers are taken for which all that is asked holds."""

    value: Value
    asked: tuple[Asked, ...]


def alternatives(derived: Derivation) -> list[Alternative]:
    """What a mask takes numbers from, each with when; empty for another operation."""
    operation = derived.operation
    select = gradients.SELECTS.get(operation)
    if select is not None:
        return _of_two(derived, select)
    if operation in gradients.FIRST_THAT_HOLDS:
        return _of_many(derived)
    if operation in gradients.ONLY_FINITE and derived.operands:
        value = derived.operands[0]
        return [Alternative(value, ((value, math.isfinite),))]
    return []


def _of_two(derived: Derivation, select: gradients.Select) -> list[Alternative]:
    mask = derived.argument(*select.mask)
    if mask is None:
        return []
    sides = ((select.where_true, operator.truth), (select.where_false, operator.not_))
    given = [(derived.argument(*where), holds) for where, holds in sides]
    return [Alternative(value, ((mask, holds),)) for value, holds in given if value is not None]


def _of_many(derived: Derivation) -> list[Alternative]:
    masks, values = derived.argument(0, "condlist"), derived.argument(1, "choicelist")
    if not isinstance(masks, Sequence) or not isinstance(values, Sequence):
        return []
    if masks.items is None or values.items is None or len(masks.items) != len(values.items):
        return []
    found: list[Alternative] = []
    before: tuple[Asked, ...] = ()
    for mask, value in zip(masks.items, values.items, strict=True):
        found.append(Alternative(value, (*before, (mask, operator.truth))))
        before = (*before, (mask, operator.not_))
    default = derived.argument(2, "default") or Const(0.0)
    return [*found, Alternative(default, before)]
