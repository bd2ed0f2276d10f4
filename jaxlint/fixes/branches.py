"""Python's branches as ``jnp.where``: conditional expressions, and ``if``s of one thing each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.logic import Logic
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.measured import is_elementwise
from jaxlint.program.lower_expressions import OPERATORS

_NUMBERS = (cst.Integer, cst.Float, cst.Imaginary)
_ARITHMETIC = (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)
_MAY_BE_ARRAYS = (cst.Name, cst.Attribute, cst.Subscript)
_MOST_TESTS = 20
"""In a chain that becomes one nested call: who would read a longer one?"""

_TITLE = "Write `jnp.where(...)`"


class Arm(NamedTuple):
    """What one branch does: ``return value``, or ``target = value``.

    Attributes:
        head: ``return``, or the target and the sign after it.
        value: what is returned or assigned; None: what the target holds already.
        text: how that is written.
    """

    head: str
    value: cst.BaseExpression | None
    text: str


def expression_as_where(node: cst.IfExp, code: Code) -> Fix | None:
    """``a if test else b`` as ``jnp.where(test, a, b)``."""
    values = [node.body, node.orelse]
    where = _Where(code, node)
    if code.has_comment(node) or not _are_arrays(values, [node.test], code):
        return None
    text = where.nested([node.test], [code.argument(each) for each in values])
    if text is None:
        return None
    return code.fix(_TITLE, code.replace_whole(node, text), *where.imports, safe=False)


def statement_as_where(head: cst.If, code: Code) -> Fix | None:
    """An ``if`` with its ``elif`` and ``else``, or the ``return`` behind it, as one statement.

    An ``elif`` under an ``if`` that Python decides becomes an ``else``.
    """
    chain = [*islice(_chain(head), _MOST_TESTS + 1)]
    if len(chain) > _MOST_TESTS:
        return None
    is_elif = isinstance(code.parent(head), cst.If)
    arms = [_arm(each.body, code) for each in chain]
    last: cst.CSTNode | None = head
    if chain[-1].orelse is not None:
        assert isinstance(chain[-1].orelse, cst.Else)
        arms.append(_arm(chain[-1].orelse.body, code))
    elif arms[0] is not None and not (is_elif and arms[0].head == "return"):
        last, otherwise = _without_else(head, arms[0], code)
        arms.append(otherwise)
    known = [each for each in arms if each is not None]
    values = [each.value for each in known if each.value is not None]
    tests = [each.test for each in chain]
    if last is None or len(known) < len(arms) or len({each.head for each in known}) > 1:
        return None
    if len(known) <= len(tests) or any(_is_of_python(each) for each in tests):
        return None
    if not _are_arrays(values, tests, code) or _repeats_itself(values, head, code):
        return None
    where, comment = _Where(code, head), _comment(head, last, code)
    text = where.nested(tests, [each.text for each in known])
    if text is None or comment is None:
        return None
    start, end = code.span(head), code.span(last)
    new = f"{known[0].head} {text}{comment}"
    if is_elif:
        own_line = isinstance(head.body, cst.IndentedBlock)
        new = f"else:{_line_of_block(head, code) if own_line else ' '}{new}"
    edit = Edit(start.line, start.column, end.end_line, end.end_column, new)
    return code.fix(_TITLE, edit, *where.imports, safe=False)


class _Where:
    """Writes calls of ``jnp.where`` at a node."""

    def __init__(self, code: Code, at: cst.CSTNode) -> None:
        self.imports: list[Edit] = []
        self._code = code
        self._at = at

    def nested(self, tests: list[cst.BaseExpression], values: list[str]) -> str | None:
        """The first value whose test holds, else the last one."""
        where = self._code.name(f"{jax_api.NUMPY}.where", self._at)
        if where is None:
            return None
        self._need(where[1])
        text = values[-1]
        for test, value in zip(reversed(tests), reversed(values[:-1]), strict=True):
            logic = Logic(self._code, None, only_traced=False)
            new = logic.rewritten(test)
            if new is None:
                return None
            self._need(logic.imports)
            unchanged = new.text == self._code.bare(test)
            asked = self._code.argument(test) if unchanged else new.text
            text = f"{where[0]}({asked}, {value}, {text})"
        return text

    def _need(self, imports: list[Edit]) -> None:
        self.imports += [each for each in imports if each not in self.imports]


def _line_of_block(head: cst.If, code: Code) -> str:
    """The line end and the blanks before the first statement below an ``if``."""
    line = head.body.body[0]
    return f"\n{code.indent(line.body[0] if isinstance(line, cst.SimpleStatementLine) else line)}"


def _is_of_python(test: cst.BaseExpression) -> bool:
    """Whether a test is about a text: no array is."""
    if isinstance(test, cst.Comparison):
        parts = [test.left, *(each.comparator for each in test.comparisons)]
        return any(isinstance(each, (cst.SimpleString, cst.FormattedString)) for each in parts)
    if isinstance(test, cst.BooleanOperation):
        return _is_of_python(test.left) or _is_of_python(test.right)
    return isinstance(test, cst.UnaryOperation) and _is_of_python(test.expression)


def _chain(head: cst.If) -> Iterator[cst.If]:
    """An ``if`` and its ``elif``s."""
    at: cst.If | cst.Else | None = head
    while isinstance(at, cst.If):
        yield at
        at = at.orelse


def _arm(block: cst.BaseSuite, code: Code) -> Arm | None:
    """What a branch of one statement does; None for everything else."""
    statement = block.body[0] if len(block.body) == 1 else None
    if isinstance(statement, cst.SimpleStatementLine):
        statement = statement.body[0] if len(statement.body) == 1 else None
    match statement:
        case cst.Return(value=cst.BaseExpression() as value):
            return Arm("return", value, code.argument(value))
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as name)], value=value):
            return Arm(f"{name.value} =", value, code.argument(value))
        case cst.AugAssign(target=cst.Name() as name, operator=operator, value=value):
            text = f"{name.value} {OPERATORS[type(operator)]} {code.operand(value)}"
            return Arm(f"{name.value} =", cst.BinaryOperation(name, cst.Add(), value), text)
    return None


def _without_else(head: cst.If, arm: Arm, code: Code) -> tuple[cst.CSTNode | None, Arm | None]:
    """Where an ``if`` without ``else`` ends, and what happens when no test holds."""
    if arm.head != "return":
        name = arm.head.removesuffix(" =")
        bound = code.is_bound_before(name, head)
        return head, Arm(arm.head, None, name) if bound else None
    after = code.following(head)
    if not isinstance(after, cst.SimpleStatementLine) or len(after.body) > 1:
        return None, None
    match after.body[0]:
        case cst.Return(value=cst.BaseExpression() as value) as last:
            return last, Arm("return", value, code.argument(value))
    return None, None


def _comment(head: cst.If, last: cst.CSTNode, code: Code) -> str | None:
    """The comment of an ``if``, to stand behind what is written for it; None: others get lost."""
    lost, behind = code.comments(head), None
    line = code.parent(last)
    if last is not head and isinstance(line, cst.SimpleStatementLine):
        lost += [each for blank in line.leading_lines for each in code.comments(blank)]
        lost += code.comments(last)
        behind = line.trailing_whitespace.comment
    own = head.body.header.comment if isinstance(head.body, cst.IndentedBlock) else None
    if own is None:
        return None if lost else ""
    return f"  {own.value}" if lost == [own] and behind is None else None


# ------------------------------------------------------------------ what may go into a where


def _are_arrays(
    values: list[cst.BaseExpression], tests: list[cst.BaseExpression], code: Code
) -> bool:
    """Whether some values are numbers or arrays of one shape, as far as one can see."""
    calls = [each for each in values if isinstance(each, cst.Call) and not _maps(each, code)]
    if calls:
        alike = {code.text(each.func) for each in calls}
        return len(calls) == len(values) and len(alike) == 1 and bool(code.qualified(calls[0].func))
    known = {name for test in tests for name in _compared(test)}
    return all(_may_be(each, code) for each in values) and any(
        _is(each, known, code) for each in values
    )


def _may_be(node: cst.BaseExpression, code: Code) -> bool:
    if isinstance(node, cst.Name):
        return node.value != "None"
    return isinstance(node, (*_MAY_BE_ARRAYS, *_NUMBERS, *_ARITHMETIC, cst.IfExp, cst.Call))


def _is(node: cst.BaseExpression, known: set[str], code: Code) -> bool:
    if isinstance(node, cst.Name):
        made = code.value_of(node)
        named = node.value in known or node.value in ("True", "False")
        return named or isinstance(made, (*_NUMBERS, *_ARITHMETIC))
    return isinstance(node, (*_NUMBERS, *_ARITHMETIC, cst.Call))


def _maps(call: cst.Call, code: Code) -> bool:
    """Whether a call gives an array of the shape of its arguments."""
    name = code.qualified(call.func)
    return bool(name) and is_elementwise(name)


def _compared(test: cst.BaseExpression) -> Iterator[str]:
    """The names that a test takes for numbers or arrays."""
    match test:
        case (
            cst.BooleanOperation(left=left, right=right)
            | cst.BinaryOperation(left=left, right=right)
        ):
            parts = [left, right]
        case cst.UnaryOperation(expression=inner):
            parts = [inner]
        case cst.Comparison(left=left, comparisons=others):
            parts = [left, *(each.comparator for each in others)]
        case _:
            return
    for part in parts:
        if isinstance(part, cst.Name):
            yield part.value
        else:
            yield from _compared(part)


def _repeats_itself(values: list[cst.BaseExpression], at: cst.CSTNode, code: Code) -> bool:
    """Whether a function calls itself in a branch: where both run, it never ends."""
    own = {each.name.value for each in code.around(at) if isinstance(each, cst.FunctionDef)}
    return any(name.value in own for each in values for name in code.names_in(each))
