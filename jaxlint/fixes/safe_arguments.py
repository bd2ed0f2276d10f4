"""The double ``where``: what an operation is given where a mask leaves its result out."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.knowledge import gradients, jax_api
from jaxlint.knowledge.measured import is_elementwise

_PLAIN = (
    cst.Name, cst.Attribute, cst.Subscript, cst.Integer, cst.Float, cst.SimpleString,
    cst.Comparison, cst.BinaryOperation, cst.UnaryOperation,
)  # fmt: skip
"""What may be evaluated once more, or for fewer numbers, with nobody the wiser."""


class _Mask(NamedTuple):
    """What is asked of each number, and whether those are left out for which it holds."""

    test: cst.BaseExpression
    leaves_out: bool


def masked_argument(
    operation: cst.CSTNode | None,
    name: str,
    select: cst.CSTNode | None,
    function: str,
    code: Code,
) -> Fix | None:
    """``jnp.where(m, f(x), 0.0)`` as ``jnp.where(m, f(jnp.where(m, x, 1.0)), 0.0)``.

    None where it is not certain that all other numbers stay as they are: on the way from the
    operation to the mask nothing may mix them, and nobody else may read them.

    Args:
        operation: a call or an operator, and ``name`` the function that it means.
        select: the call that masks its value, and ``function`` the one that it means.
        code: the file.
    """
    if not isinstance(operation, (cst.Call, cst.BinaryOperation)):
        return None
    mask, given = _mask_of(operation, select, function, code), _argument(operation, name)
    where = code.name(f"{jax_api.NUMPY}.where", operation)
    if mask is None or given is None or where is None or not _is_plain(given[0], code):
        return None
    operand, number = given
    sides = [code.argument(operand), str(number)]
    taken, other = reversed(sides) if mask.leaves_out else sides
    text = f"{where[0]}({code.argument(mask.test)}, {taken}, {other})"
    edit = code.replace_whole(operand, text)
    return code.fix("Mask the argument too", edit, *where[1], safe=False)


# ------------------------------------------------------------------ what is masked, by which number


def _argument(
    operation: cst.Call | cst.BinaryOperation, name: str
) -> tuple[cst.BaseExpression, float] | None:
    """The operand to mask, and a number in its place at which the operation has a derivative."""
    row = gradients.row_of(name)
    if isinstance(operation, cst.BinaryOperation):
        operands = [operation.left, operation.right]
    elif any(each.star or each.keyword is not None for each in operation.args):
        return None
    else:
        operands = [each.value for each in operation.args]
    if row is None or not row.elementwise or len(row.back) != len(operands):
        return None
    known = [_number(each) for each in operands]
    for place in reversed(range(len(operands))):
        number = row.harmless(place, known)
        if number is not None and known[place] is None:
            return operands[place], number
    return None


def _number(node: cst.BaseExpression) -> float | None:
    return float(node.evaluated_value) if isinstance(node, (cst.Integer, cst.Float)) else None


# ------------------------------------------------------------------ by which mask


def _mask_of(
    operation: cst.BaseExpression, select: cst.CSTNode | None, function: str, code: Code
) -> _Mask | None:
    """The mask of a select, where it means the same at an operation as it does there."""
    row = gradients.SELECTS.get(function)
    if row is None or not isinstance(select, cst.Call) or any(each.star for each in select.args):
        return None
    test, other = _given(select, row.mask), _given(select, row.where_false)
    way = _way(operation, select, code)
    if test is None or other is None or way is None or way.side is test or len(select.args) != 3:
        return None
    if not _is_plain(test.value, code) or "\n" in code.text(test.value):
        return None
    if way.names and not _stays(test.value, operation, select, way.names, code):
        return None
    return _Mask(test.value, way.side is other)


def _given(call: cst.Call, parameter: tuple[int, str]) -> cst.Arg | None:
    place, name = parameter
    for at, each in enumerate(call.args):
        if at == place if each.keyword is None else each.keyword.value == name:
            return each
    return None


class _Way(NamedTuple):
    """How a value comes to a select: as which argument, through which variables."""

    side: cst.Arg
    names: frozenset[str]


def _way(node: cst.BaseExpression, select: cst.Call, code: Code) -> _Way | None:
    """The way of a value to a select, where each number stays in its place and is read once."""
    names: set[str] = set()
    at: cst.CSTNode | None = node
    while at is not None:
        above = code.parent(at)
        if isinstance(above, cst.Arg):
            call = code.parent(above)
            if call is select:
                return _Way(above, frozenset(names))
            at = call if isinstance(call, cst.Call) and _is_in_place(call, code) else None
        elif isinstance(above, cst.BinaryOperation):
            at = above if not isinstance(above.operator, cst.MatrixMultiply) else None
        elif isinstance(above, cst.UnaryOperation):
            at = above
        elif isinstance(above, cst.Assign):
            at = _only_reading(above, code)
            names |= {at.value} if at is not None else set()
        else:
            return None
    return None


def _is_in_place(call: cst.Call, code: Code) -> bool:
    """Whether each number of a result comes of those in its place."""
    name = code.qualified(call.func)
    row = gradients.row_of(name)
    return name in gradients.SELECTS or (row is not None and row.elementwise)


def _only_reading(assign: cst.Assign, code: Code) -> cst.Name | None:
    """Where a local variable is read, if that is one place behind, in the same block."""
    target, home = assign.targets[0].target, code.enclosing(assign, cst.FunctionDef)
    if not isinstance(target, cst.Name) or home is None or not code.binds(target):
        return None
    used = code.once(_used, home.body, target.value, code)
    others = [each for each in used[:3] if each is not target]
    if len(others) != 1 or code.value_of(others[0]) is not assign.value:
        return None
    reading = others[0]
    block, line = code.parent(code.parent(assign) or home), code.parent(code.statement(reading))
    same_block = line is not None and code.parent(line) is block
    return reading if same_block and code.span(assign)[2:] <= code.span(reading)[:2] else None


def _used(body: cst.CSTNode, name: str, code: Code) -> list[cst.Name]:
    """Where a variable is written, but for its shape and dtype."""
    return [each for each in code.mentions(name, body).written if not _asks_shape(each, code)]


def _asks_shape(name: cst.Name, code: Code) -> bool:
    """Whether nothing is read of a variable there but its shape and dtype."""
    argument = code.parent(name)
    call = code.parent(argument) if isinstance(argument, cst.Arg) else None
    return isinstance(call, cst.Call) and code.qualified(call.func) in jax_api.LIKE


def _stays(
    test: cst.BaseExpression,
    first: cst.CSTNode,
    last: cst.CSTNode,
    through: frozenset[str],
    code: Code,
) -> bool:
    """Whether a mask is known by an earlier statement, and the same there."""
    waiting: list[cst.CSTNode] = [test]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (cst.Attribute, cst.Subscript)) and not code.qualified(each):
            return False  # What these read may have been changed in between.
        waiting.extend(each.children)
    names = {each.value for each in code.names_in(test)}
    return names.isdisjoint(through) and not any(
        code.is_bound_between(each, first, last) for each in names
    )


def _is_plain(node: cst.BaseExpression, code: Code) -> bool:
    """Whether something is names, numbers, operators and functions of JAX that only compute."""
    waiting: list[cst.CSTNode] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, cst.BaseExpression) and not isinstance(each, _PLAIN):
            if not isinstance(each, cst.Call) or not _computes(each, code):
                return False
        waiting.extend(each.children)
    return not code.has_comment(node)


def _computes(call: cst.Call, code: Code) -> bool:
    name = code.qualified(call.func)
    return bool(name) and (gradients.row_of(name) is not None or is_elementwise(name))
