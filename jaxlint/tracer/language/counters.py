"""What a loop of the host counts: numbers that are others at each of its iterations."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, assigned_names, children, statements, walk
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import Const, Host, Value, is_number, type_name

_KEEPS_CHANGING = frozenset({"+", "-", "*", "**", "//", "/"})
_AT_A_RATE = frozenset({"*", "**", "//"})
"""What makes an integer so large, or small, that there are few of them: sizes that double."""

_COUNTERS = frozenset({"range", "enumerate"})
_COMMUTES = frozenset({"+", "*"})
_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip
_BOUNDS: dict[str, Callable[..., float]] = {"builtins.max": max, "builtins.min": min}
_FAR = 16
_ORDER = frozenset({"<", "<=", ">", ">="})
_IDLE = {True: frozenset({0}), False: frozenset({-1, 0, 1})}
"""Numbers that leave others as they are, added; multiplied, but for the sign."""


def stepped(
    tracer: Tracer, symbol: str, target: n.Node, operands: tuple[Value, Value], result: Value
) -> Value:
    """The result of ``n += 1``: another number at each iteration, if it is a counter."""
    frame = tracer.stack.frame
    if tracer.stack.level is not None or not frame.loops or frame.loops[-1].frame is not frame:
        return result
    old, operand = operands
    if isinstance(operand, Const) and operand.value in _IDLE[symbol in ("+", "-")]:
        return result  # A sign that goes to and fro, at most.
    changing = symbol in _KEEPS_CHANGING and is_number(old) and is_number(operand)
    loop = frame.loops[-1].node
    if not changing or not isinstance(operand, (Const, Host)) or _begins_anew(target, loop):
        return result
    kind = type_name(result)
    if kind == "int" and symbol in _AT_A_RATE:
        return result
    grown = result.grown if isinstance(result, Host) else None
    return Host(kind if kind in ("int", "float") else "int", varies=loop, grown=grown)


def counted(tracer: Tracer, target: n.Node, given: n.Node, result: Value) -> Value:
    """The result of ``n = n + 1``, which is ``n += 1``; and of ``n = max(0.05, n * 0.9)``."""
    if isinstance(given, n.Call):
        return _bounded(tracer, target, given, result)
    step = _step_of(tracer, target, given)
    if step is None:
        return result
    before, operand = step
    assert isinstance(given, n.BinaryOperation)
    return stepped(tracer, given.operator, target, (before, operand), result)


def _step_of(tracer: Tracer, target: n.Node, step: n.Node) -> tuple[Value, Value] | None:
    """The variable and the number by which an expression changes it, which it is bound to."""
    if not isinstance(step, n.BinaryOperation):
        return None
    before, operand = step.left, step.right
    if step.operator in _COMMUTES and isinstance(operand, n.Name):
        before, operand = (before, operand) if alike(before, target) else (operand, before)
    if not isinstance(target, n.Name) or not alike(before, target):
        return None
    if not isinstance(operand, (n.Name, n.Constant)):
        return None  # Only names are looked at again: calls have had their effects.
    return tracer.evaluate(before), tracer.evaluate(operand)


def _bounded(tracer: Tracer, target: n.Node, call: n.Call, result: Value) -> Value:
    """The result of a step that ends at a bound, where that is many steps away."""
    function = tracer.evaluate(call.function) if isinstance(call.function, n.Name) else None
    choose = _BOUNDS.get(function.name) if isinstance(function, Qualified) else None
    parts = [each.value for each in call.arguments]
    steps = [each for each in parts if isinstance(each, n.BinaryOperation)]
    if choose is None or len(parts) != 2 or len(steps) != 1:
        return result
    bound = next((each.value for each in parts if isinstance(each, n.Constant)), None)
    step = _step_of(tracer, target, steps[0])
    if step is None or not isinstance(bound, (int, float)):
        return result
    before, operand = step
    symbol = steps[0].operator
    if isinstance(before, Const) and not _goes_far(before, symbol, operand, bound, choose):
        return result
    return stepped(tracer, symbol, target, step, result)


def _goes_far(
    before: Const, symbol: str, operand: Value, bound: float, choose: Callable[..., float]
) -> bool:
    """Whether a number is another one after each of many steps."""
    step, number = _STEPS.get(symbol), before.value
    if step is None or not is_number(before) or not isinstance(operand, Const):
        return False
    seen = {number}
    for _ in range(_FAR):
        number = choose(bound, step(number, operand.value))
        if number in seen:
            return False
        seen.add(number)
    return True


def _begins_anew(target: n.Node, loop: n.Node) -> bool:
    """Whether a loop also gives a name what does not come of its value: ``n = 0``."""
    if not isinstance(target, n.Name) or not isinstance(loop, (n.For, n.While)):
        return False
    return any(
        isinstance(each, n.Assign)
        and target.id in assigned_names([each])
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


def may_ask_for_last(tracer: Tracer, test: n.Node) -> bool:
    """Whether a test may hold in the last pass of a loop alone: it asks for what the loop counts.

    What is left of a division is the same again and again.
    """
    loop = tracer.stack.frame.loops[-1].node if tracer.stack.frame.loops else None
    if not isinstance(loop, n.For) or not tracer.trail.donates:
        return False
    counted, made = _names_in(loop.target), _bound_in(loop.body)
    asked = [test, *(made[name] for name in _names_in(test) & made.keys())]
    return any(_asks_for(each, counted) for each in asked)


def _bound_in(body: list[n.Node]) -> dict[str, n.Node]:
    """The variables that are bound in a body, with what they are bound to."""
    assigned = [each for each in statements(body) if isinstance(each, n.Assign)]
    return {name: each.value for each in assigned for name in assigned_names([each])}


def _asks_for(test: n.Node, counted: frozenset[str]) -> bool:
    """Whether a counter stands in an expression outside of divisions and what it looks up."""
    if isinstance(test, n.BinaryOperation) and test.operator == "%":
        return False
    if isinstance(test, n.Subscript):
        return False
    return (isinstance(test, n.Name) and test.id in counted) or any(
        _asks_for(each, counted) for each in children(test)
    )


def once_in(loop: n.Node) -> frozenset[int]:
    """The nodes of a loop that run in one of its passes alone: those behind ``if step == 0``."""
    if not isinstance(loop, n.For) or not _COUNTERS & _names_in(loop.iterable):
        return frozenset()
    counted = _names_in(loop.target)
    tests = [each for each in walk(loop.body) if isinstance(each, n.If)]
    bodies = (each.body for each in tests if _asks_for_one(each.test, counted))
    return frozenset(id(part) for body in bodies for part in walk(body))


def _asks_for_one(test: n.Node, counted: frozenset[str]) -> bool:
    """Whether a test holds for one number of those that a loop counts."""
    if isinstance(test, n.BooleanOperation) and test.operator == "and":
        return _asks_for_one(test.left, counted) or _asks_for_one(test.right, counted)
    if not isinstance(test, n.Comparison) or test.operators != ["=="]:
        return False
    counter, number = test.left, test.comparators[0]
    return isinstance(counter, n.Name) and counter.id in counted and isinstance(number, n.Constant)


def _names_in(node: n.Node) -> frozenset[str]:
    return frozenset(name.id for name in walk([node]) if isinstance(name, n.Name))
