"""What a loop of the host counts: numbers that are others at each of its iterations."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, statements, walk
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.value import Const, Host, Value, is_number, type_name

_KEEPS_CHANGING = frozenset({"+", "-", "*", "**", "//", "/"})
_COMMUTES = frozenset({"+", "*"})
_ORDER = frozenset({"<", "<=", ">", ">="})
_IDLE = {True: frozenset({0}), False: frozenset({-1, 0, 1})}
"""Numbers that leave others as they are, added; multiplied, but for the sign."""


def stepped(
    tracer: Tracer, operator: str, target: n.Node, operands: tuple[Value, Value], result: Value
) -> Value:
    """The result of ``n += 1``: another number at each iteration, if it is a counter."""
    frame = tracer.stack.frame
    if tracer.stack.level is not None or not frame.loops or frame.loops[-1].frame is not frame:
        return result
    old, operand = operands
    if isinstance(operand, Const) and operand.value in _IDLE[operator in ("+", "-")]:
        return result  # A sign that goes to and fro, at most.
    changing = operator in _KEEPS_CHANGING and is_number(old) and is_number(operand)
    loop = frame.loops[-1].node
    if not changing or not isinstance(operand, (Const, Host)) or _begins_anew(target, loop):
        return result
    kind = type_name(result)
    return Host(kind if kind in ("int", "float") else "int", varies=loop)


def counted(tracer: Tracer, target: n.Node, step: n.BinaryOperation, result: Value) -> Value:
    """The result of ``n = n + 1``, which is ``n += 1``."""
    before, operand = step.left, step.right
    if step.operator in _COMMUTES and isinstance(operand, n.Name):
        before, operand = (before, operand) if alike(before, target) else (operand, before)
    if not isinstance(target, n.Name) or not alike(before, target):
        return result
    if not isinstance(operand, (n.Name, n.Constant)):
        return result  # Only names are looked at again: calls have had their effects.
    operands = tracer.evaluate(before), tracer.evaluate(operand)
    return stepped(tracer, step.operator, target, operands, result)


def _begins_anew(target: n.Node, loop: n.Node) -> bool:
    """Whether a loop also gives a name what does not come of its value: ``n = 0``."""
    if not isinstance(target, n.Name) or not isinstance(loop, (n.For, n.While)):
        return False
    return any(
        isinstance(each, n.Assign)
        and any(_names(part, target.id) for part in each.targets)
        and not _names(each.value, target.id)
        for each in statements(loop.body)
    )


def _names(node: n.Node, name: str) -> bool:
    return any(isinstance(each, n.Name) and each.id == name for each in walk([node]))


def asks_how_far(tracer: Tracer, test: n.Node) -> bool:
    """Whether a test puts what a loop counts in order with a number that is given from outside."""
    loops = tracer.stack.frame.loops
    if not loops or not isinstance(loops[-1].node, n.For) or not isinstance(test, n.Comparison):
        return False
    if len(test.operators) != 1 or test.operators[0] not in _ORDER:
        return False
    sides = (test.left, test.comparators[0])
    counter, number = sides if isinstance(test.left, n.Name) else reversed(sides)
    if not isinstance(counter, n.Name) or not _names(loops[-1].node.target, counter.id):
        return False
    if not isinstance(number, (n.Constant, n.Name, n.Attribute, n.Subscript)):
        return False
    # What is computed from the length of the loop may well be its end.
    value = tracer.evaluate(number)
    return value.value not in (0, 1) if isinstance(value, Const) else symbol_of(value) is not None
