"""Predictions and labels that are compared: ``jnp.mean(jnp.argmax(logits, -1) == labels)``.

Labels that are a column beside a row of predictions are compared with all of them.
"""

from __future__ import annotations

from jaxlint.events import OuterDifference
from jaxlint.knowledge.gradients import SAME_NUMBERS, plain_name
from jaxlint.knowledge.integers import CASTS
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Pairs
from jaxlint.tracer.values.avals import Aval, Dim
from jaxlint.tracer.values.value import NONE, Value, replace

_REDUCTIONS = frozenset({"mean", "sum"})


def compared_with_labels(
    operator: str, operands: tuple[Value, Value], found: Array, node: n.Node
) -> Array:
    """The result of a comparison, which says whether it is one of all pairs by mistake."""
    if operator not in ("==", "!=") or _is_column_on_purpose(node):
        return found
    if not any(isinstance(each, Array) and each.of_logits == "argmax" for each in operands):
        return found
    one, other = map(_aval, operands)
    if _are_row_and_column(one, other):
        return replace(found, pairs=Pairs(node, _rows(one), column_first=False))
    if _are_row_and_column(other, one):
        return replace(found, pairs=Pairs(node, _rows(other), column_first=True))
    return found


def called(tracer: Tracer, name: str, arguments: Arguments, found: Array) -> Array:
    """The result of a function of such a comparison, which may be what is wanted of it."""
    first = arguments.args[0] if arguments.args else None
    if not isinstance(first, Array) or first.pairs is None:
        return found
    if name in CASTS or name in SAME_NUMBERS:
        return replace(found, pairs=first.pairs)
    axis = arguments.get(1, "axis")
    if plain_name(name) in _REDUCTIONS and (axis is None or axis is NONE):
        _note(tracer, first.pairs)
    return found


def _note(tracer: Tracer, pairs: Pairs) -> None:
    size = str(pairs.size) if isinstance(pairs.size, int) else "n"
    context = tracer.context(pairs.node, pairs.node)
    tracer.emit(OuterDifference(context, size, pairs.column_first, compares=True))


def _is_column_on_purpose(node: n.Node) -> bool:
    """Whether a comparison itself makes a column of an operand: ``a == b[:, None]``."""
    if not isinstance(node, n.Comparison):
        return False
    return any(isinstance(part, n.Subscript) for part in (node.left, *node.comparators))


def _are_row_and_column(row: Aval | None, column: Aval | None) -> bool:
    """Whether these are the shapes ``(n,)`` and ``(n, 1)``, of several rows."""
    if row is None or column is None or row.shape is None or column.shape is None:
        return False
    if len(row.shape) != 1 or len(column.shape) != 2 or column.shape[1] != 1:
        return False
    return row.shape[0] not in (None, 1) and row.shape == column.shape[:1]


def _rows(of_row: Aval | None) -> Dim:
    return of_row.shape[0] if of_row is not None and of_row.shape else None


def _aval(value: Value) -> Aval | None:
    return value.aval if isinstance(value, (Array, NumpyArray)) else None
