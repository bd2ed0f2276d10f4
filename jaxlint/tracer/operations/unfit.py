"""Operators that do not take the dtype of an array: ``-mask``, ``mask - mask``, ``~x``."""

from __future__ import annotations

from jaxlint.events import ShapeMismatch
from jaxlint.knowledge.unfit import OF_ONE, OF_TWO, refused_by
from jaxlint.program import nodes as n
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, kind_of
from jaxlint.tracer.values.avals import describe
from jaxlint.tracer.values.value import Value


def refuses_dtypes(
    tracer: Tracer, operator: str, left: Value, right: Value, common: str | None, node: n.Node
) -> bool:
    """Whether no array of the dtype that both operands get is taken; the event is recorded."""
    row = refused_by(OF_TWO.get(operator, ""))
    if row is None or kind_of(common) not in row.alike:
        return False
    arrays = [each for each in (left, right) if isinstance(each, Array) and not each.assumed]
    wide = [each for each in arrays if kind_of(each.dtype) == kind_of(common)]
    return _refused(tracer, (wide or arrays)[:1], node)


def refuses_dtype(tracer: Tracer, operator: str, operand: Value, node: n.Node) -> bool:
    """Whether an operator of one array does not take its dtype; the event is recorded."""
    row = refused_by(OF_ONE.get(operator, ""))
    if row is None or not isinstance(operand, Array) or operand.assumed:
        return False
    refused = {kind for kinds in row.dtypes.values() for kind in kinds}
    return kind_of(operand.dtype) in refused and _refused(tracer, [operand], node)


def _refused(tracer: Tracer, arrays: list[Array], node: n.Node) -> bool:
    """In a branch what leads there may ask for the dtype."""
    if not arrays or tracer.stack.in_branch():
        return False
    shown = tuple(describe(each.aval) for each in arrays)
    tracer.emit(ShapeMismatch(tracer.context(node, node), shown, dtypes=True))
    return True
