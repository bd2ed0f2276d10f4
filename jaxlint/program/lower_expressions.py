"""Concrete syntax of expressions to lowered nodes."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from jaxlint.program import nodes as n
from jaxlint.program.nodes import Scope

OPERATORS: dict[type[cst.CSTNode], str] = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.Divide: "/",
    cst.FloorDivide: "//", cst.Modulo: "%", cst.Power: "**", cst.MatrixMultiply: "@",
    cst.LeftShift: "<<", cst.RightShift: ">>", cst.BitAnd: "&", cst.BitOr: "|",
    cst.BitXor: "^", cst.AddAssign: "+", cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*", cst.DivideAssign: "/", cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%", cst.PowerAssign: "**", cst.MatrixMultiplyAssign: "@",
    cst.LeftShiftAssign: "<<", cst.RightShiftAssign: ">>", cst.BitAndAssign: "&",
    cst.BitOrAssign: "|", cst.BitXorAssign: "^", cst.Plus: "+", cst.Minus: "-",
    cst.BitInvert: "~", cst.Not: "not", cst.Equal: "==", cst.NotEqual: "!=",
    cst.LessThan: "<", cst.LessThanEqual: "<=", cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=", cst.Is: "is", cst.IsNot: "is not", cst.In: "in",
    cst.NotIn: "not in",
}  # fmt: skip
"""What each operator node is written as."""


class Expressions:
    """Lowers expressions, and the functions and scopes that they open."""

    def __init__(self) -> None:
        self.scope = Scope("module", None)
        self.functions: list[n.Function] = []
        self.lambdas: list[n.Function] = []
        self.loaded: set[str] = set()
        self.size = 0
        self._yields = False

    def suite(self, suite: cst.BaseSuite) -> list[n.Node]:
        """The statements of a body."""
        raise NotImplementedError

    def function(
        self,
        node: cst.FunctionDef | cst.Lambda,
        name: str,
        params: cst.Parameters,
    ) -> n.Function:
        """A function, or a lambda."""
        parameters = self.parameters(params)
        returns = self.annotation(node.returns) if isinstance(node, cst.FunctionDef) else None
        scope = Scope("function", self.scope)
        scope.bound.update(parameter.name for parameter in parameters)
        outer, self.scope = self.scope, scope
        outer_yields, self._yields = self._yields, False
        if isinstance(node, cst.FunctionDef):
            statements = self.suite(node.body)
        else:
            statements = [n.Return(node.body, self.expression(node.body))]
        is_generator, self._yields = self._yields, outer_yields
        self.scope = outer
        scope.close()
        return n.Function(
            node, name, parameters, statements, scope, is_generator=is_generator, returns=returns
        )

    def parameters(self, params: cst.Parameters) -> list[n.Parameter]:
        """All parameters, in order."""
        found: list[n.Parameter] = []
        kinds: list[tuple[Any, Sequence[cst.Param]]] = [
            ("positional_only", params.posonly_params),
            ("positional", params.params),
        ]
        if isinstance(params.star_arg, cst.Param):
            kinds.append(("star", [params.star_arg]))
        kinds.append(("keyword_only", params.kwonly_params))
        if params.star_kwarg is not None:
            kinds.append(("double_star", [params.star_kwarg]))
        for kind, group in kinds:
            for param in group:
                default = self.optional(param.default)
                annotation = self.annotation(param.annotation)
                found.append(n.Parameter(param, param.name.value, kind, default, annotation))
        return found

    def annotation(self, node: cst.Annotation | None) -> n.Node | None:
        """An annotation that may be left out."""
        if node is None:
            return None
        return self.expression(node.annotation)

    # ---------------------------------------------------------------- targets

    def bind(self, node: cst.Name) -> n.Name:
        """A name that is bound in this scope."""
        self.scope.bound.add(node.value)
        return n.Name(node, node.value, self.scope)

    def target(self, node: cst.CSTNode) -> n.Node:
        """What is assigned to."""
        method = _TARGETS.get(type(node), Expressions.expression)
        lowered: n.Node = method(self, node)
        return lowered

    def _targets(self, node: cst.Tuple | cst.List) -> n.Node:
        return n.Display(node, "tuple", [self.target(element) for element in node.elements])

    def _starred_target(self, node: cst.StarredElement) -> n.Node:
        return n.Starred(node, self.target(node.value))

    def _element_target(self, node: cst.Element) -> n.Node:
        return self.target(node.value)

    # ------------------------------------------------------------ expressions

    def optional(self, node: cst.BaseExpression | None) -> n.Node | None:
        """An expression that may be left out."""
        return self.expression(node) if node is not None else None

    def expression(self, node: cst.CSTNode) -> n.Node:
        """An expression."""
        self.size += 1
        method = _EXPRESSIONS.get(type(node))
        if method is None:
            return n.Opaque(node, type(node).__name__)
        lowered: n.Node = method(self, node)
        return lowered

    def _name(self, node: cst.Name) -> n.Node:
        name = node.value
        if name in _SINGLETONS:
            return n.Constant(node, _SINGLETONS[name])
        self.scope.reads.add(name)
        self.loaded.add(name)
        return n.Name(node, name, self.scope)

    def _integer(self, node: cst.Integer) -> n.Node:
        try:
            return n.Constant(node, int(node.value, 0))
        except ValueError:  # Longer than the interpreter's limit on digits.
            return n.Opaque(node, "integer")

    def _float(self, node: cst.Float) -> n.Node:
        return n.Constant(node, float(node.value))

    def _imaginary(self, node: cst.Imaginary) -> n.Node:
        return n.Constant(node, complex(node.value))

    def _string(self, node: cst.SimpleString) -> n.Node:
        text = node.value
        try:
            plain = text[0] in "\"'" and "\\" not in text
            value = text[_quote(text) : -_quote(text)] if plain else literal_eval(text)
        except (SyntaxError, ValueError):
            return n.Opaque(node, "string")
        if value in n.DONATES:
            self.loaded.add(value)
        return n.Constant(node, value)

    def _concatenated(self, node: cst.ConcatenatedString) -> n.Node:
        left, right = self.expression(node.left), self.expression(node.right)
        if isinstance(left, n.Constant) and isinstance(right, n.Constant):
            return n.Constant(node, left.value + right.value)
        return n.FormattedString(node, [left, right])

    def _formatted(self, node: cst.FormattedString) -> n.Node:
        return n.FormattedString(node, self._parts(node.parts))

    def _parts(self, parts: Sequence[cst.CSTNode]) -> list[n.Node]:
        lowered: list[n.Node] = []
        for part in parts:
            if isinstance(part, cst.FormattedStringExpression):
                spec = self._parts(part.format_spec) if part.format_spec else None
                value = self.expression(part.expression)
                lowered.append(n.Formatted(part, value, part.conversion, spec))
            elif isinstance(part, cst.FormattedStringText):
                lowered.append(n.Constant(part, part.value))
        return lowered

    def _ellipsis(self, node: cst.Ellipsis) -> n.Node:
        return n.Constant(node, ...)

    def _attribute(self, node: cst.Attribute) -> n.Node:
        attr = node.attr.value
        self.loaded.add(attr)
        return n.Attribute(node, self.expression(node.value), attr)

    def _subscript(self, node: cst.Subscript) -> n.Node:
        parts = [self._index(element.slice) for element in node.slice]
        if len(parts) == 1 and type(node.slice[0].comma) is not cst.Comma:
            index = parts[0]
        else:
            index = n.Display(node, "tuple", parts)
        return n.Subscript(node, self.expression(node.value), index)

    def _index(self, node: cst.BaseSlice) -> n.Node:
        if isinstance(node, cst.Slice):
            lower, upper = self.optional(node.lower), self.optional(node.upper)
            return n.Slice(node, lower, upper, self.optional(node.step))
        assert isinstance(node, cst.Index)
        value = self.expression(node.value)
        return n.Starred(node, value) if node.star else value

    def argument(self, node: cst.Arg) -> n.Argument:
        """An argument of a call."""
        keyword = node.keyword.value if node.keyword is not None else None
        if keyword in n.DONATES:
            self.loaded.add(keyword)
        return n.Argument(node, self.expression(node.value), keyword, node.star)

    def _call(self, node: cst.Call) -> n.Node:
        function = self.expression(node.func)
        return n.Call(node, function, [self.argument(item) for item in node.args])

    def _unary(self, node: cst.UnaryOperation) -> n.Node:
        operator = OPERATORS[type(node.operator)]
        operand = self.expression(node.expression)
        if operator == "-" and type(operand) is n.Constant:
            if isinstance(operand.value, (int, float, complex)):
                return n.Constant(node, -operand.value)
        return n.UnaryOperation(node, operator, operand)

    def _binary(self, node: cst.BinaryOperation) -> n.Node:
        left, right = self.expression(node.left), self.expression(node.right)
        return n.BinaryOperation(node, OPERATORS[type(node.operator)], left, right)

    def _boolean(self, node: cst.BooleanOperation) -> n.Node:
        operator: Any = "and" if type(node.operator) is cst.And else "or"
        left, right = self.expression(node.left), self.expression(node.right)
        return n.BooleanOperation(node, operator, left, right)

    def _comparison(self, node: cst.Comparison) -> n.Node:
        operators = [OPERATORS[type(item.operator)] for item in node.comparisons]
        comparators = [self.expression(item.comparator) for item in node.comparisons]
        return n.Comparison(node, self.expression(node.left), operators, comparators)

    def _conditional(self, node: cst.IfExp) -> n.Node:
        test = self.expression(node.test)
        return n.Conditional(node, test, self.expression(node.body), self.expression(node.orelse))

    def _lambda(self, node: cst.Lambda) -> n.Node:
        function = self.function(node, "<lambda>", node.params)
        self.lambdas.append(function)
        return n.Lambda(node, function)

    def _display(self, node: cst.Tuple | cst.List | cst.Set) -> n.Node:
        kind: Any = _DISPLAYS[type(node)]
        elements: list[n.Node] = []
        for element in node.elements:
            value = self.expression(element.value)
            starred = type(element) is cst.StarredElement
            elements.append(n.Starred(element, value) if starred else value)
        return n.Display(node, kind, elements)

    def _dict(self, node: cst.Dict) -> n.Node:
        items: list[tuple[n.Node | None, n.Node]] = []
        for element in node.elements:
            key = self.expression(element.key) if isinstance(element, cst.DictElement) else None
            items.append((key, self.expression(element.value)))
        return n.DictDisplay(node, items)

    def _comprehension(
        self, node: cst.ListComp | cst.SetComp | cst.GeneratorExp | cst.DictComp
    ) -> n.Node:
        # The first iterable belongs to the scope around the comprehension.
        first = self.expression(node.for_in.iter)
        scope = Scope("comprehension", self.scope)
        outer, self.scope = self.scope, scope
        clauses: list[n.Clause] = []
        clause: cst.CompFor | None = node.for_in
        while clause is not None:
            iterable = first if not clauses else self.expression(clause.iter)
            target = self.target(clause.target)
            tests = [self.expression(test.test) for test in clause.ifs]
            clauses.append(n.Clause(clause, target, iterable, tests))
            clause = clause.inner_for_in
        value = None
        if isinstance(node, cst.DictComp):
            element, value = self.expression(node.key), self.expression(node.value)
        else:
            element = self.expression(node.elt)
        self.scope = outer
        scope.close()
        kind: Any = _COMPREHENSIONS[type(node)]
        return n.Comprehension(node, kind, element, value, clauses, scope)

    def _walrus(self, node: cst.NamedExpr) -> n.Node:
        value = self.expression(node.value)
        scope = self.scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        assert isinstance(node.target, cst.Name)
        scope.bound.add(node.target.value)
        if scope is not self.scope:
            self.scope.reads.add(node.target.value)
        return n.Walrus(node, n.Name(node.target, node.target.value, self.scope), value)

    def _await(self, node: cst.Await) -> n.Node:
        return n.Await(node, self.expression(node.expression))

    def _yield(self, node: cst.Yield) -> n.Node:
        self._yields = True
        each = isinstance(node.value, cst.From)
        value = node.value.item if isinstance(node.value, cst.From) else node.value
        return n.Yield(node, self.optional(value), each)


_SINGLETONS = {"None": None, "True": True, "False": False}
_TARGETS: dict[type[cst.CSTNode], Callable[[Expressions, Any], n.Node]] = {
    cst.Name: Expressions.bind,
    cst.Tuple: Expressions._targets,
    cst.List: Expressions._targets,
    cst.StarredElement: Expressions._starred_target,
    cst.Element: Expressions._element_target,
}
"""What is assigned to; anything else is an expression."""

_DISPLAYS = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}
_COMPREHENSIONS = {
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.DictComp: "dict",
    cst.GeneratorExp: "generator",
}
_EXPRESSIONS: dict[type[cst.CSTNode], Callable[..., n.Node]] = {
    cst.Name: Expressions._name,
    cst.Integer: Expressions._integer,
    cst.Float: Expressions._float,
    cst.Imaginary: Expressions._imaginary,
    cst.SimpleString: Expressions._string,
    cst.ConcatenatedString: Expressions._concatenated,
    cst.FormattedString: Expressions._formatted,
    cst.Ellipsis: Expressions._ellipsis,
    cst.Attribute: Expressions._attribute,
    cst.Subscript: Expressions._subscript,
    cst.Call: Expressions._call,
    cst.UnaryOperation: Expressions._unary,
    cst.BinaryOperation: Expressions._binary,
    cst.BooleanOperation: Expressions._boolean,
    cst.Comparison: Expressions._comparison,
    cst.IfExp: Expressions._conditional,
    cst.Lambda: Expressions._lambda,
    cst.Tuple: Expressions._display,
    cst.List: Expressions._display,
    cst.Set: Expressions._display,
    cst.Dict: Expressions._dict,
    cst.ListComp: Expressions._comprehension,
    cst.SetComp: Expressions._comprehension,
    cst.GeneratorExp: Expressions._comprehension,
    cst.DictComp: Expressions._comprehension,
    cst.NamedExpr: Expressions._walrus,
    cst.Await: Expressions._await,
    cst.Yield: Expressions._yield,
}


def _quote(text: str) -> int:
    """How many quotes a string begins with."""
    return 3 if text[:3] in ('"""', "'''") else 1
