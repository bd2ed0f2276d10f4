"""What no operator of an array or a number takes: None, functions, texts."""

from __future__ import annotations

from jaxlint.events import RefusedArgument
from jaxlint.program import nodes as n
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.functions import is_function
from jaxlint.tracer.values.value import NONE, Value, is_number, is_string, type_name

DUNDER = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "@": "matmul", "**": "pow",
          "//": "floordiv", "%": "mod", "&": "and", "|": "or", "^": "xor"}  # fmt: skip
"""Operators, and what the methods behind them are called."""


def refuses_operand(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> bool:
    """Whether one operand is what no array or number works with; the event is recorded.

    None is believed in what the program runs alone: elsewhere it stands for what is set later, or
    passed by somebody out of view.
    """
    if operator not in DUNDER or tracer.stack.in_branch():
        return False
    for other, beside in ((left, right), (right, left)):
        what = _wrong(operator, other, beside)
        if what and (tracer.stack.frame.certain or other is not NONE):
            subject = node
            if isinstance(node, n.BinaryOperation):
                subject = node.left if other is left else node.right
            what = f"{what}, which has no `{operator}` with {_kind(beside)}"
            tracer.emit(RefusedArgument(tracer.context(node, subject), operator, what, "operand"))
            return True
    return False


def _wrong(operator: str, other: Value, beside: Value) -> str:
    """What an operand is that no array or number beside it takes; empty where it may be right.

    A text is formatted by ``%``, and repeated by ``*``.
    """
    array = isinstance(beside, Array) and not beside.assumed
    if not array and not is_number(beside):
        return ""
    if other is NONE:
        return "None"
    if is_function(other):
        return "a function"
    if isinstance(other, Sequence) and other.kind in ("list", "tuple"):
        counts = array or (operator == "*" and type_name(beside) in ("int", "bool"))
        return "" if counts else f"a {other.kind}"
    return "a string" if is_string(other) and operator not in ("%", "*") else ""


def _kind(beside: Value) -> str:
    """What the other operand is, an array or a number of Python's."""
    return "an array" if isinstance(beside, Array) else f"a Python {type_name(beside)}"
