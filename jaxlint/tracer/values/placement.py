"""Arrays that are whole on one device, for nobody has laid them out on others, and those that are
another one on each.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.knowledge import gradients
from jaxlint.knowledge.processes import CONTRACTS
from jaxlint.tracer.values.arrays import Array, Bounds, NumpyArray, Varying
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Const, Host, Value

_COMPUTES = ("jax.numpy.", "jax.random.", "jax.nn.", "jax.Array.")

_OF_OPERANDS = (*_COMPUTES, "jax.lax.", "jax.scipy.")
"""What gives arrays that differ along an axis where an operand does."""

_PLAIN = (NumpyArray, Const, Host, Qualified, Bounds)
"""What is no array of JAX: numbers, shapes, dtypes, indices."""


def stays_whole(name: str, operands: Iterable[Value]) -> bool:
    """Whether an operation on the host gives an array that is whole on one device.

    That of an operator or method has no name here, or one that is no dotted one.
    """
    computes = name.startswith(_COMPUTES) or "." not in name
    return computes and all(map(_is_whole, operands))


def _is_whole(operand: Value) -> bool:
    if isinstance(operand, Array):
        return operand.unplaced
    if isinstance(operand, Sequence):
        return operand.items is not None and all(map(_is_whole, operand.items))
    return isinstance(operand, _PLAIN)


def varying(name: str, operands: Iterable[Value]) -> Varying:
    """The axes along which the result of an operation differs: those of its operands."""
    if "." in name and not name.startswith(_OF_OPERANDS):
        return None
    found: frozenset[str] = frozenset()
    for operand in operands:
        axes = varying_in(operand)
        if axes is None:
            return None
        found |= axes
    return found


def varying_in(value: Value) -> Varying:
    """The axes along which something in a value differs."""
    if isinstance(value, Array):
        return value.varying
    if isinstance(value, Sequence):
        return varying("", value.items) if value.items is not None else None
    return frozenset() if isinstance(value, _PLAIN) else None


def is_unplaced(value: Value) -> bool:
    """Whether some array in a value is whole on one device, for certain."""
    return any(
        isinstance(leaf, NumpyArray) or (isinstance(leaf, Array) and leaf.unplaced)
        for leaf in leaves(value)
    )


def stays_spread(operation: str, staged: bool) -> bool:
    """Whether what reads all of a result needs all processes, if one operand is spread.

    A compiled program (``staged``) sums what it contracts, or what comes of that: one of both
    sends.
    """
    row = gradients.row_of(operation)
    if row is not None and row.elementwise:
        return True
    return staged and gradients.plain_name(operation) in CONTRACTS
