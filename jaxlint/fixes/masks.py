"""Boolean masks as index, which become the ``where`` of a function that keeps the shape."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.measured import is_elementwise

_REDUCTIONS = frozenset({"sum", "prod", "mean", "std", "var", "any", "all"})
_UPDATES = {
    "set": "{value}", "add": "{array} + {value}", "subtract": "{array} - {value}",
    "multiply": "{array} * {value}", "mul": "{array} * {value}", "divide": "{array} / {value}",
    "power": "{array} ** {value}",
}  # fmt: skip


def reduced_where(masked: cst.Subscript, code: Code) -> Fix | None:
    """``x[mask].sum()`` as ``x.sum(where=mask)``, ``jnp.sum(x[mask])`` likewise."""
    mask, above = _mask(masked, masked.value, code), code.parent(masked)
    call = code.parent(above) if above is not None else None
    if mask is None or not isinstance(call, cst.Call) or code.has_comment(call):
        return None
    array, option = code.text(masked.value), f"where={code.argument(mask)}"
    if isinstance(above, cst.Attribute) and not call.args:
        name, new = above.attr.value, f"{array}.{above.attr.value}({option})"
    elif isinstance(above, cst.Arg) and len(call.args) == 1 and above.keyword is None:
        package, _, name = code.qualified(call.func).rpartition(".")
        name = name if package == jax_api.NUMPY else ""
        new = f"{code.text(call.func)}({array}, {option})"
    else:
        return None
    fix = code.fix("Write `where=mask`", code.replace(call, new), safe=True)
    return fix if name in _REDUCTIONS else None


def as_where(masked: cst.Subscript, code: Code) -> Fix | None:
    """``x.at[mask].set(v)`` as ``jnp.where(mask, v, x)``."""
    at, method = masked.value, code.parent(masked)
    call = code.parent(method) if method is not None else None
    where = code.name(f"{jax_api.NUMPY}.where", masked)
    if not isinstance(at, cst.Attribute) or not isinstance(method, cst.Attribute) or where is None:
        return None
    mask, update = _mask(masked, at.value, code), _UPDATES.get(method.attr.value)
    if mask is None or update is None or not isinstance(call, cst.Call) or code.has_comment(call):
        return None
    if len(call.args) != 1 or call.args[0].keyword or not _is_number(call.args[0].value, code):
        return None
    value, array = call.args[0].value, code.text(at.value)
    given = code.argument(value) if update == "{value}" else code.operand(value)
    new = update.format(array=array, value=given)
    text = f"{where[0]}({code.argument(mask)}, {new}, {array})"
    return code.fix("Write `jnp.where(...)`", code.replace(call, text), *where[1], safe=False)


def _mask(
    masked: cst.Subscript, array: cst.BaseExpression, code: Code
) -> cst.BaseExpression | None:
    """The only index, where that is a mask of the shape of the array."""
    if len(masked.slice) != 1 or not isinstance(masked.slice[0].slice, cst.Index):
        return None
    mask = masked.slice[0].slice.value
    if not isinstance(array, (cst.Name, cst.Attribute, cst.Subscript)):
        return None
    made = code.value_of(mask) if isinstance(mask, cst.Name) else None
    if made is not None and isinstance(array, cst.Name):
        if code.is_bound_between(array.value, made, masked):
            return None  # It may have another shape by now.
    return mask if _is_made_of(mask, code.text(array), code) else None


def _is_made_of(node: cst.BaseExpression, array: str, code: Code) -> bool:
    """Whether something is computed from an array element by element: as an index of the array
    it can have no more axes then, and it has no fewer."""
    if code.text(node) == array:
        return True
    parts: list[cst.BaseExpression] = []
    match node:
        case cst.Comparison(left=left, comparisons=others):
            parts = [left, *(each.comparator for each in others)]
        case cst.BinaryOperation(left=left, right=right):
            parts = [] if isinstance(node.operator, cst.MatrixMultiply) else [left, right]
        case cst.UnaryOperation(expression=inner):
            parts = [inner]
        case cst.Call(func=function, args=given) if is_elementwise(code.qualified(function)):
            parts = [each.value for each in given]
        case cst.Name():
            value = code.value_of(node)
            parts = [value] if value is not None else []
    return any(_is_made_of(each, array, code) for each in parts)


def _is_number(node: cst.BaseExpression, code: Code) -> bool:
    """Whether something is a number for all that one can see."""
    if isinstance(node, cst.UnaryOperation):
        return _is_number(node.expression, code)
    constant = code.qualified(node) in (*jax_api.CONSTANTS, *jax_api.FIXED_VALUES)
    return constant or isinstance(node, (cst.Integer, cst.Float, cst.Name))
