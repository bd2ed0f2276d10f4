"""Losses in which a column of predictions meets a row of targets: ``((n, 1) - (n,)).mean()``.

The two broadcast to all pairs. What is reported is certain to be meant otherwise: the column is a
product with what is differentiated, the row is data, and the loss is the mean or sum of all.
"""

from __future__ import annotations

from jaxlint.events import OuterDifference
from jaxlint.knowledge import gradients
from jaxlint.knowledge.layers import LEARNT
from jaxlint.knowledge.probabilities import is_density
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.avals import Dim
from jaxlint.tracer.values.backward import differentiated
from jaxlint.tracer.values.derivations import (
    APPLIED,
    LEFT,
    NAMED,
    SAME,
    SOME,
    Derivation,
    derivation_of,
)
from jaxlint.tracer.values.value import UNKNOWN, Const, Host, Value

_REDUCTIONS = frozenset({"sum", "mean"})
_PRODUCTS = frozenset({"@", "dot", "matmul"})
_SAME = frozenset({SAME, NAMED, LEFT, SOME})
_COMPARISONS = frozenset({"<", "<=", ">", ">="})
_DEEPEST = 16


class Columns(Analysis):
    """Looks at what is differentiated, from its result back."""

    def on_differentiated(self, level: Level, result: Value) -> None:
        if self.tracer.stack.muted:
            return
        for difference, size in _differences(differentiated(level.transform, result)):
            if difference.node is not None:
                node = difference.node
                context = self.tracer.context(node, node, by=difference.chain)
                column_first = _is_column(difference.operands[0])
                self.tracer.emit(OuterDifference(context, size, column_first))


def _differences(
    value: Value, reduced: bool = False, depth: int = _DEEPEST
) -> list[tuple[Derivation, str]]:
    """The differences of columns and rows of which a value is made, with how long those are.

    It is made of them number by number, then by a mean or sum of all.
    """
    derived = derivation_of(value)
    if derived is None or not depth:
        return []
    name = gradients.plain_name(derived.operation)
    if derived.name in _SAME:
        return _differences(derived.operands[0], reduced, depth - 1)
    if derived.name == APPLIED:
        return _differences(derived.operands[1], reduced, depth - 1)
    if name in _REDUCTIONS:
        whole = derived.argument(1, "axis") is None
        return _differences(derived.operands[0], True, depth - 1) if whole else []
    if not _is_elementwise(derived):
        return []
    compares = reduced and (name == "-" or is_density(derived.operation))
    size = _size_of_pairs(derived) if compares else None
    if size is not None:
        return [(derived, str(size) if isinstance(size, int) else "n")]
    found = [_differences(operand, reduced, depth - 1) for operand in derived.operands]
    others = [operand for operand, of in zip(derived.operands, found, strict=True) if not of]
    if reduced and any(map(_may_be_of_pairs, others)):
        return []
    return [each for of in found for each in of]


def _may_be_of_pairs(value: Value) -> bool:
    """Whether a value may have a number for each pair, as weights of pairs that are meant."""
    if isinstance(value, (Array, NumpyArray)):
        return value.aval.rank is None or value.aval.rank > 1
    return not isinstance(value, (Const, Host))


def _size_of_pairs(derived: Derivation) -> Dim:
    """The size of a column of predictions and of the row of targets that it meets; or None.

    Or of a column of targets, which is none on purpose, and a row of predictions.
    """
    one, other = derived.operands if len(derived.operands) == 2 else (UNKNOWN, UNKNOWN)
    column, row = (one, other) if _is_column(one) else (other, one)
    if not _is_column(column) or not isinstance(row, (Array, NumpyArray)) or row.aval.rank != 1:
        return None
    assert isinstance(column, Array)
    assert column.aval.shape is not None
    assert row.aval.shape is not None
    size, length = column.aval.shape[0], row.aval.shape[0]
    if size in (None, 1) or size != length:
        return None
    if _is_product(column) and _is_data(row):
        return size
    meant = any(isinstance(each, n.Subscript) for each in _written(derived.node))
    return size if not meant and _is_product(row) and _is_data(column) else None


def _written(node: n.Node | None) -> list[n.Node]:
    """The operands of a difference as they are written."""
    if isinstance(node, n.BinaryOperation):
        return [node.left, node.right]
    return [each.value for each in node.arguments] if isinstance(node, n.Call) else []


def _is_column(value: Value) -> bool:
    if not isinstance(value, Array) or value.aval.shape is None:
        return False
    return len(value.aval.shape) == 2 and value.aval.shape[1] == 1


def _is_product(value: Value, depth: int = _DEEPEST) -> bool:
    """Whether a column is a product with what is learnt, number by number."""
    derived = derivation_of(value)
    if derived is None or not depth or not isinstance(value, Array):
        return False
    if derived.name in LEARNT:
        return True
    if derived.name == APPLIED or derived.name == LEFT:
        # What is mapped over the rows has no axis for them.
        return _is_product(derived.operands[-1], depth - 1)
    if gradients.plain_name(derived.operation) in _PRODUCTS:
        return value.perturbed
    if derived.name not in _SAME and not _is_elementwise(derived):
        return False
    shape = value.aval.shape
    alike = (each for each in derived.operands if isinstance(each, Array))
    return any(each.aval.shape == shape and _is_product(each, depth - 1) for each in alike)


def _is_data(value: Value, depth: int = _DEEPEST) -> bool:
    """Whether a value is given, or made number by number of what is."""
    if isinstance(value, (Array, Tree)) and value.perturbed:
        return False
    derived = derivation_of(value)
    if derived is None:
        return True
    if not depth or (derived.name not in _SAME and not _is_elementwise(derived)):
        return False
    return all(_is_data(operand, depth - 1) for operand in derived.operands)


def _is_elementwise(derived: Derivation) -> bool:
    """Whether each number comes of those in its place, a mask and a comparison included."""
    if derived.operation in gradients.SELECTS or derived.operation in _COMPARISONS:
        return True
    if is_density(derived.operation):
        return True
    row = gradients.row_of(derived.operation)
    return row is not None and row.elementwise
