"""Item assignments as updates that give a new array."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code
from jaxlint.program.lower_expressions import OPERATORS

_SUBTRACTS_SINCE = "0.4.35"
_METHODS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power"}


def method_of(operator: str) -> str:
    """The method of ``x.at[i]`` for ``x[i] = v``, or for ``x[i] += v``; empty where none is."""
    return _METHODS.get(operator, "") if operator else "set"


def array_of(target: cst.Subscript) -> cst.BaseExpression:
    """The array that is to change: ``x`` of ``x[i]``, and of ``x.at[i]``."""
    value = target.value
    return value.value if isinstance(value, cst.Attribute) and value.attr.value == "at" else value


def as_update(target: cst.Subscript, code: Code) -> tuple[Edit, str] | None:
    """``x[i] = v`` as ``x = x.at[i].set(v)``, and the method; None where that is something else."""
    statement, operator = code.statement(target), ""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        assigned = statement.targets[0].target
    elif isinstance(statement, cst.AugAssign):
        assigned, operator = statement.target, OPERATORS[type(statement.operator)]
    else:
        return None
    method = method_of(operator)
    if assigned is not target or not method:
        return None
    owner = array_of(target)
    if isinstance(owner, cst.Name):
        if not code.binds(owner):
            return None  # Assigning to it would make a new variable.
    elif not isinstance(owner, cst.Attribute):
        return None
    array, index, value = code.text(owner), code.brackets(target), statement.value
    given = code.argument(value)
    if method == "subtract" and code.releases.allow_before(_SUBTRACTS_SINCE):
        method, given = "add", f"-{code.operand(value)}"
    return code.replace(statement, f"{array} = {array}.at{index}.{method}({given})"), method
