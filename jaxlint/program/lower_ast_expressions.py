"""Python's own syntax of expressions to lowered nodes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from jaxlint.program import nodes as n
from jaxlint.program.nodes import Scope
from jaxlint.program.spots import Spot
from jaxlint.source import Source

_ScopeKind = Literal["function", "class", "comprehension"]

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.UAdd: "+", ast.USub: "-", ast.Invert: "~",
    ast.Not: "not", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
"""What each operator node is written as."""


class Expressions:
    """Lowers expressions, and the functions and scopes that they open."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.scope = Scope("module", None)
        self.functions: list[n.Function] = []
        self.lambdas: list[n.Function] = []
        self.loaded: set[str] = set()
        self.size = 0
        self._yields = False

    def block(self, statements: Iterable[ast.AST]) -> list[n.Node]:
        """The statements of a body."""
        raise NotImplementedError

    def at(self, node: ast.AST) -> Spot:
        """Where a node is written."""
        return Spot(self.source, node)

    @contextmanager
    def inside(self, kind: _ScopeKind) -> Iterator[Scope]:
        """Lower what opens a scope of its own."""
        outer, self.scope = self.scope, Scope(kind, self.scope)
        yield self.scope
        self.scope.close()
        self.scope = outer

    def function(
        self,
        node: ast.AST,
        name: str,
        arguments: ast.arguments,
        body: Sequence[ast.stmt] | ast.expr,
    ) -> n.Function:
        """A function, or a lambda: whose body is an expression."""
        parameters = self.parameters(arguments)
        returns = self.optional(getattr(node, "returns", None))
        outer_yields, self._yields = self._yields, False
        with self.inside("function") as scope:
            scope.bound.update(parameter.name for parameter in parameters)
            if isinstance(body, ast.expr):
                statements: list[n.Node] = [n.Return(self.at(body), self.expression(body))]
            else:
                statements = self.block(body)
        is_generator, self._yields = self._yields, outer_yields
        where = self.at(node)
        return n.Function(
            where, name, parameters, statements, scope, is_generator=is_generator, returns=returns
        )

    def parameters(self, arguments: ast.arguments) -> list[n.Parameter]:
        """All parameters, in order."""
        several = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(several) - len(arguments.defaults)) + list(arguments.defaults)
        only = len(arguments.posonlyargs)
        found = [
            self.parameter(each, "positional_only" if place < only else "positional", default)
            for place, (each, default) in enumerate(zip(several, defaults, strict=True))
        ]
        if arguments.vararg is not None:
            found.append(self.parameter(arguments.vararg, "star", None))
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            found.append(self.parameter(each, "keyword_only", default))
        if arguments.kwarg is not None:
            found.append(self.parameter(arguments.kwarg, "double_star", None))
        return found

    def parameter(self, node: ast.arg, kind: Any, default: ast.expr | None) -> n.Parameter:
        """One parameter."""
        value = self.optional(default)
        return n.Parameter(self.at(node), node.arg, kind, value, self.optional(node.annotation))

    # ---------------------------------------------------------------- targets

    def bind(self, node: ast.AST, name: str) -> n.Name:
        """A name that is bound in this scope."""
        self.scope.bound.add(name)
        return n.Name(self.at(node), name, self.scope)

    def target(self, node: ast.expr) -> n.Node:
        """What is assigned to."""
        if isinstance(node, ast.Name):
            return self.bind(node, node.id)
        if isinstance(node, (ast.Tuple, ast.List)):
            return n.Display(self.at(node), "tuple", [self.target(each) for each in node.elts])
        if isinstance(node, ast.Starred):
            return n.Starred(self.at(node), self.target(node.value))
        return self.expression(node)

    # ------------------------------------------------------------ expressions

    def optional(self, node: ast.expr | None) -> n.Node | None:
        """An expression that may be left out."""
        return self.expression(node) if node is not None else None

    def expression(self, node: ast.AST) -> n.Node:
        """An expression."""
        self.size += 1
        method = _EXPRESSIONS.get(type(node))
        if method is None:
            return n.Opaque(self.at(node), type(node).__name__)
        lowered: n.Node = method(self, node)
        return lowered

    def _name(self, node: ast.Name) -> n.Node:
        self.scope.reads.add(node.id)
        self.loaded.add(node.id)
        return n.Name(self.at(node), node.id, self.scope)

    def _constant(self, node: ast.Constant) -> n.Node:
        if node.value in n.DONATES:
            self.loaded.add(str(node.value))
        return n.Constant(self.at(node), node.value)

    def _formatted(self, node: ast.JoinedStr) -> n.Node:
        return n.FormattedString(self.at(node), self.parts(node))

    def parts(self, node: ast.JoinedStr) -> list[n.Node]:
        """The parts of a formatted string."""
        lowered: list[n.Node] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                spec = part.format_spec
                inner = self.parts(spec) if isinstance(spec, ast.JoinedStr) else None
                conversion = chr(part.conversion) if part.conversion > 0 else None
                value = self.expression(part.value)
                lowered.append(n.Formatted(self.at(part), value, conversion, inner))
            elif isinstance(part, ast.Constant):
                lowered.append(n.Constant(self.at(part), part.value))
        return lowered

    def _attribute(self, node: ast.Attribute) -> n.Node:
        self.loaded.add(node.attr)
        return n.Attribute(self.at(node), self.expression(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> n.Node:
        index = node.slice
        if isinstance(index, ast.Tuple):
            elements = [self.element(each) for each in index.elts]
            lowered: n.Node = n.Display(self.at(index), "tuple", elements)
        else:
            lowered = self.expression(index)
        return n.Subscript(self.at(node), self.expression(node.value), lowered)

    def _slice(self, node: ast.Slice) -> n.Node:
        lower, upper = self.optional(node.lower), self.optional(node.upper)
        return n.Slice(self.at(node), lower, upper, self.optional(node.step))

    def element(self, node: ast.expr) -> n.Node:
        """An element of a display, perhaps with a star."""
        if isinstance(node, ast.Starred):
            return n.Starred(self.at(node), self.expression(node.value))
        return self.expression(node)

    def arguments(
        self, several: Iterable[ast.expr], keywords: Iterable[ast.keyword]
    ) -> list[n.Argument]:
        """The arguments of a call, in the order in which they are written."""
        found = []
        for each in several:
            star = "*" if isinstance(each, ast.Starred) else ""
            value = each.value if isinstance(each, ast.Starred) else each
            found.append(n.Argument(self.at(each), self.expression(value), None, star))
        for keyword in keywords:
            value, star = keyword.value, "" if keyword.arg is not None else "**"
            if keyword.arg in n.DONATES:
                self.loaded.add(keyword.arg)
            found.append(n.Argument(self.at(keyword), self.expression(value), keyword.arg, star))
        return found

    def _call(self, node: ast.Call) -> n.Node:
        function = self.expression(node.func)
        return n.Call(self.at(node), function, self.arguments(node.args, node.keywords))

    def _unary(self, node: ast.UnaryOp) -> n.Node:
        operator = OPERATORS[type(node.op)]
        operand = self.expression(node.operand)
        if operator == "-" and type(operand) is n.Constant:
            if isinstance(operand.value, (int, float, complex)):
                return n.Constant(self.at(node), -operand.value)
        return n.UnaryOperation(self.at(node), operator, operand)

    def _binary(self, node: ast.BinOp) -> n.Node:
        left, right = self.expression(node.left), self.expression(node.right)
        return n.BinaryOperation(self.at(node), OPERATORS[type(node.op)], left, right)

    def _boolean(self, node: ast.BoolOp) -> n.Node:
        operator: Any = "and" if isinstance(node.op, ast.And) else "or"
        first, *others = node.values
        lowered = self.expression(first)
        for each in others:
            right = self.expression(each)
            lowered = n.BooleanOperation(self.at(node), operator, lowered, right)
        self.size += len(others) - 1
        return lowered

    def _comparison(self, node: ast.Compare) -> n.Node:
        operators = [OPERATORS[type(each)] for each in node.ops]
        comparators = [self.expression(each) for each in node.comparators]
        return n.Comparison(self.at(node), self.expression(node.left), operators, comparators)

    def _conditional(self, node: ast.IfExp) -> n.Node:
        test, body = self.expression(node.test), self.expression(node.body)
        return n.Conditional(self.at(node), test, body, self.expression(node.orelse))

    def _lambda(self, node: ast.Lambda) -> n.Node:
        function = self.function(node, "<lambda>", node.args, node.body)
        self.lambdas.append(function)
        return n.Lambda(self.at(node), function)

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> n.Node:
        elements = [self.element(each) for each in node.elts]
        return n.Display(self.at(node), _DISPLAYS[type(node)], elements)

    def _dict(self, node: ast.Dict) -> n.Node:
        items = [
            (self.optional(key), self.expression(value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return n.DictDisplay(self.at(node), items)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> n.Node:
        # The first iterable belongs to the scope around the comprehension.
        first = self.expression(node.generators[0].iter)
        with self.inside("comprehension") as scope:
            clauses: list[n.Clause] = []
            for clause in node.generators:
                iterable = first if not clauses else self.expression(clause.iter)
                target = self.target(clause.target)
                tests = [self.expression(test) for test in clause.ifs]
                clauses.append(n.Clause(self.at(clause.target), target, iterable, tests))
            value = None
            if isinstance(node, ast.DictComp):
                element, value = self.expression(node.key), self.expression(node.value)
            else:
                element = self.expression(node.elt)
        kind = _COMPREHENSIONS[type(node)]
        return n.Comprehension(self.at(node), kind, element, value, clauses, scope)

    def _walrus(self, node: ast.NamedExpr) -> n.Node:
        value = self.expression(node.value)
        scope, name = self.scope, node.target.id
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        scope.bound.add(name)
        if scope is not self.scope:
            self.scope.reads.add(name)
        return n.Walrus(self.at(node), n.Name(self.at(node.target), name, self.scope), value)

    def _await(self, node: ast.Await) -> n.Node:
        return n.Await(self.at(node), self.expression(node.value))

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> n.Node:
        self._yields = True
        each = isinstance(node, ast.YieldFrom)
        return n.Yield(self.at(node), self.optional(node.value), each)


_DISPLAYS: dict[type[ast.AST], Literal["tuple", "list", "set"]] = {
    ast.Tuple: "tuple",
    ast.List: "list",
    ast.Set: "set",
}
_COMPREHENSIONS: dict[type[ast.AST], Literal["list", "set", "dict", "generator"]] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.DictComp: "dict",
    ast.GeneratorExp: "generator",
}
_EXPRESSIONS: dict[type[ast.AST], Callable[..., n.Node]] = {
    ast.Name: Expressions._name,
    ast.Constant: Expressions._constant,
    ast.JoinedStr: Expressions._formatted,
    ast.Attribute: Expressions._attribute,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.Call: Expressions._call,
    ast.UnaryOp: Expressions._unary,
    ast.BinOp: Expressions._binary,
    ast.BoolOp: Expressions._boolean,
    ast.Compare: Expressions._comparison,
    ast.IfExp: Expressions._conditional,
    ast.Lambda: Expressions._lambda,
    ast.Tuple: Expressions._display,
    ast.List: Expressions._display,
    ast.Set: Expressions._display,
    ast.Dict: Expressions._dict,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.NamedExpr: Expressions._walrus,
    ast.Await: Expressions._await,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield,
}
