"""``and``, ``or``, ``not`` and chained comparisons, written so that arrays understand them."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.measured import is_boolean

_BITWISE = (cst.BitAnd, cst.BitOr, cst.BitXor)
_HARMLESS = (cst.Name, cst.Attribute, cst.Integer, cst.Float)
_CANNOT_RAISE = (cst.Add, cst.Subtract, cst.Multiply)
_NOT_ELEMENTWISE = (cst.Is, cst.IsNot, cst.In, cst.NotIn)


class Written(NamedTuple):
    """A part of a test as it is written anew.

    Attributes:
        text: without the parentheses around the part.
        sign: ``&`` or ``|`` where that holds the text together; else empty.
    """

    text: str
    sign: str = ""


class Logic:
    """Writes a test anew.

    Args:
        code: the file.
        boolean: a part of the test that is a boolean tracer for certain; None when none is.
        only_traced: whether nothing but tracers arrives there: ``~`` of Python's True is -2.

    Attributes:
        imports: what the new text needs.
        safe: whether it means the same, also where it gets Python values.
    """

    def __init__(self, code: Code, boolean: cst.CSTNode | None, only_traced: bool) -> None:
        self.imports: list[Edit] = []
        self.safe = True
        self._code = code
        self._boolean = boolean
        self._only_traced = only_traced

    def rewritten(self, node: cst.BaseExpression) -> Written | None:
        """A test in the language of arrays; None where it is not clear what is meant."""
        if isinstance(node, cst.BooleanOperation):
            return self._operation(node)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            return self._negation(node)
        if isinstance(node, cst.Comparison) and len(node.comparisons) > 1:
            return self._chain(node)
        if isinstance(node, cst.Comparison) and _not_elementwise(node):
            return None  # `y is not None and y > 0`: what follows may be good only then.
        return Written(self._code.bare(node))

    def is_boolean(self, node: cst.BaseExpression) -> bool:
        """Whether an expression gives a boolean array, or Python's True or False."""
        if node is self._boolean:
            return True
        match node:
            case cst.Comparison() | cst.UnaryOperation(operator=cst.Not()):
                return True
            case cst.UnaryOperation(operator=cst.BitInvert(), expression=inner):
                return self.is_boolean(inner)
            case cst.BooleanOperation(left=left, right=right):
                return self.is_boolean(left) and self.is_boolean(right)
            case cst.BinaryOperation(operator=operator, left=left, right=right):
                bitwise = isinstance(operator, _BITWISE)
                return bitwise and self.is_boolean(left) and self.is_boolean(right)
            case cst.Call(func=function):
                return self._gives_booleans(function)
            case cst.Name(value="True" | "False"):
                return True
            case cst.Name():
                value = self._code.value_of(node)
                return value is not None and self.is_boolean(value)
        return False

    def _gives_booleans(self, function: cst.BaseExpression) -> bool:
        name = self._code.qualified(function)
        if name:
            return is_boolean(name)
        method = function.attr.value if isinstance(function, cst.Attribute) else ""
        return method in jax_api.MEASURED_METHODS and is_boolean(f"{jax_api.NUMPY}.{method}")

    def _operation(self, node: cst.BooleanOperation) -> Written | None:
        left, right = self.rewritten(node.left), self.rewritten(node.right)
        if left is None or right is None:
            return None
        self.safe = self.safe and self._may_always_run(node.right)
        both = isinstance(node.operator, cst.And)
        known = self.is_boolean(node.left), self.is_boolean(node.right)
        if all(known):
            sign, code = "&" if both else "|", self._code
            before = code.between(node.left, node.operator)
            after = code.between(node.operator, node.right)
            first = self._operand(node.left, left, sign)
            return Written(
                f"{first}{before}{sign}{after}{self._operand(node.right, right, sign)}", sign
            )
        self.safe = False
        if not any(known) or self._code.has_comment(node):
            return None  # `x or default` may mean a value.
        parts = self._argument(node.left, left), self._argument(node.right, right)
        return self._call("logical_and" if both else "logical_or", node, *parts)

    def _negation(self, node: cst.UnaryOperation) -> Written | None:
        inner = self.rewritten(node.expression)
        if inner is None:
            return None
        if self._only_traced and self._holds_tracer(node.expression):
            return Written(f"~{self._operand(node.expression, inner, '~')}")
        return self._call("logical_not", node, self._argument(node.expression, inner))

    def _chain(self, node: cst.Comparison) -> Written | None:
        """``a < b < c`` as ``(a < b) & (b < c)``: the middle is written twice."""
        if _not_elementwise(node):
            return None
        pairs, left = [], node.left
        for each in node.comparisons:
            self.safe = self.safe and self._may_always_run(each.comparator)
            operator = self._code.between(left, each.comparator)
            pairs.append(f"({self._code.text(left)}{operator}{self._code.text(each.comparator)})")
            left = each.comparator
        return Written(" & ".join(pairs), "&")

    def _holds_tracer(self, node: cst.BaseExpression) -> bool:
        """Whether a boolean expression has the tracer in it: then all of it is a tracer."""
        if node is self._boolean:
            return True
        match node:
            case cst.BooleanOperation(left=left, right=right):
                return self.is_boolean(node) and any(map(self._holds_tracer, (left, right)))
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                return self._holds_tracer(inner)
        return False

    def _may_always_run(self, node: cst.BaseExpression) -> bool:
        """Whether evaluating an expression, or doing it twice, cannot raise or have effects."""
        inner: list[cst.BaseExpression] = []
        match node:
            case cst.BinaryOperation(operator=operator, left=left, right=right):
                inner = [left, right] if isinstance(operator, _CANNOT_RAISE) else [node]
            case cst.BooleanOperation(left=left, right=right):
                inner = [left, right]
            case cst.UnaryOperation(expression=operand):
                inner = [operand]
            case cst.Comparison(left=left, comparisons=others):
                inner = [left, *(each.comparator for each in others)]
            case cst.Call(func=function, args=given):
                inner = [each.value for each in given] if self.is_boolean(node) else [node]
                if isinstance(function, cst.Attribute):
                    inner.append(function.value)
            case _:
                return isinstance(node, _HARMLESS)
        return node not in inner and all(map(self._may_always_run, inner))

    def _operand(self, node: cst.BaseExpression, new: Written, sign: str) -> str:
        """A part of a test as an operand of a sign, in the parentheses that this needs."""
        if node.lpar:
            return self._code.in_parentheses_of(node, new.text)
        if new.text == self._code.bare(node):
            return self._code.operand(node)
        return new.text if new.sign in ("", sign) else f"({new.text})"

    def _argument(self, node: cst.BaseExpression, new: Written) -> str:
        unchanged = new.text == self._code.bare(node)
        return self._code.argument(node) if unchanged else new.text

    def _call(self, function: str, at: cst.CSTNode, *arguments: str) -> Written | None:
        name = self._code.name(f"{jax_api.NUMPY}.{function}", at)
        if name is None:
            return None
        self.imports += name[1]
        return Written(f"{name[0]}({', '.join(arguments)})")


def outermost(node: cst.BaseExpression, code: Code) -> cst.BaseExpression:
    """The whole test that an operand of ``and``, ``or`` or ``not`` belongs to."""
    above = code.parent(node)
    while isinstance(above, cst.BooleanOperation) or (
        isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not)
    ):
        node, above = above, code.parent(above)
    return node


def _not_elementwise(node: cst.Comparison) -> bool:
    return any(isinstance(each.operator, _NOT_ELEMENTWISE) for each in node.comparisons)
