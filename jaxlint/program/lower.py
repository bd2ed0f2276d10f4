"""Concrete syntax to lowered program, in one pass over the structural fields.

With ``syntax/`` the only code that imports libcst. Whitespace nodes are never
visited and no libcst metadata is asked for: that is where the speed comes from.
Every libcst node class is either lowered here or becomes an ``Opaque`` on
purpose; ``tests/test_lowering.py`` holds that.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from jaxlint.cells import RAISES
from jaxlint.program import nodes as n
from jaxlint.program.lower_patterns import pattern
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


def lower(module: cst.Module) -> n.Module:
    """Lower a parsed module."""
    return _Lowering().module(module)


def _marker(lines: Sequence[cst.EmptyLine]) -> str | None:
    """The last comment that begins a cell; None when there is none."""
    comments = [line.comment.value for line in lines if line.comment is not None]
    markers = [comment for comment in comments if comment.startswith(("# %%", "#%%"))]
    return markers[-1] if markers else None


def _exhibits(node: n.Try) -> bool:
    """Whether all that is done about an exception of a statement or two is to print it."""
    handled = [statement for handler in node.handlers for statement in handler.body]
    return (
        bool(handled)
        and len(node.body) <= _EXHIBIT
        and not any(map(_runs_program, node.body))
        and all(map(_prints, handled))
    )


_EXHIBIT = 2
"""Statements that a cell shows to raise."""


def _prints(statement: n.Node) -> bool:
    call = statement.value if isinstance(statement, n.ExpressionStatement) else None
    function = call.function if isinstance(call, n.Call) else None
    return isinstance(function, n.Name) and function.id == "print"


def _runs_program(statement: n.Node) -> bool:
    """``main()``: what it raises is not what is shown."""
    call = statement.value if isinstance(statement, n.ExpressionStatement) else None
    return isinstance(call, n.Call) and not call.arguments


class _Lowering:
    def __init__(self) -> None:
        self.scope = Scope("module", None)
        self.functions: list[n.Function] = []
        self.lambdas: list[n.Function] = []
        self.loaded: set[str] = set()
        self.size = 0
        self._yields = False

    def module(self, module: cst.Module) -> n.Module:
        heads = [_marker(statement.leading_lines) for statement in module.body]
        if heads:
            heads[0] = heads[0] or _marker(module.header)
        body = self.cells(module.body, heads) if any(heads) else self.block(module.body)
        self.scope.close()
        return n.Module(
            module, body, self.scope, self.functions, self.lambdas, self.loaded, self.size
        )

    def cells(self, statements: Sequence[cst.CSTNode], heads: Sequence[str | None]) -> list[n.Node]:
        """A program in cells; ``heads`` are the markers in front of the statements."""
        body: list[n.Node] = []
        cell = body
        for statement, head, after in zip(statements, heads, [*heads[1:], ""], strict=True):
            if head is not None:
                cell = body
                if RAISES in head:
                    cell = []
                    body.append(n.RaisingCell(statement, cell))
            lowered = self.block([statement])
            if lowered and isinstance(lowered[-1], n.Try):
                lowered[-1].exhibits = _exhibits(lowered[-1])
            if after is not None and lowered:
                self._note_shown(statement, lowered[-1])
            cell += lowered
        return body

    def _note_shown(self, statement: cst.CSTNode, node: n.Node) -> None:
        """An expression at the end of a cell is shown by the notebook, not thrown away."""
        if isinstance(node, n.ExpressionStatement) and isinstance(
            statement, cst.SimpleStatementLine
        ):
            node.shown = isinstance(statement.body[-1].semicolon, cst.MaybeSentinel)

    # ------------------------------------------------------------- statements

    def block(self, statements: Sequence[cst.CSTNode]) -> list[n.Node]:
        lowered: list[n.Node] = []
        for statement in statements:
            if type(statement) is cst.SimpleStatementLine:
                for small in statement.body:
                    self.statement(small, lowered)
            else:
                self.statement(statement, lowered)
        return lowered

    def suite(self, suite: cst.BaseSuite) -> list[n.Node]:
        if type(suite) is cst.SimpleStatementSuite:
            lowered: list[n.Node] = []
            for small in suite.body:
                self.statement(small, lowered)
            return lowered
        return self.block(suite.body)

    def statement(self, node: cst.CSTNode, out: list[n.Node]) -> None:
        self.size += 1
        method = _STATEMENTS.get(type(node))
        try:
            if method is not None:
                method(self, node, out)
            else:
                out.append(n.Opaque(node, type(node).__name__))
        except RecursionError:
            out.append(n.Opaque(node, n.TOO_DEEP))

    def _expression_statement(self, node: cst.Expr, out: list[n.Node]) -> None:
        kind = type(node.value)
        if kind is cst.SimpleString or kind is cst.ConcatenatedString or kind is cst.Ellipsis:
            return  # A docstring or a placeholder.
        out.append(n.ExpressionStatement(node, self.expression(node.value)))

    def _assign(self, node: cst.Assign, out: list[n.Node]) -> None:
        value = self.expression(node.value)
        out.append(n.Assign(node, [self.target(item.target) for item in node.targets], value))

    def _annotated(self, node: cst.AnnAssign, out: list[n.Node]) -> None:
        value = self.expression(node.value) if node.value is not None else None
        annotation = self.annotation(node.annotation)
        assert annotation is not None
        out.append(n.AnnotatedAssign(node, self.target(node.target), annotation, value))

    def _augmented(self, node: cst.AugAssign, out: list[n.Node]) -> None:
        value = self.expression(node.value)
        operator = OPERATORS[type(node.operator)]
        out.append(n.AugmentedAssign(node, self.target(node.target), operator, value))
        if isinstance(node.target, cst.Name):
            self.scope.reads.add(node.target.value)

    def _return(self, node: cst.Return, out: list[n.Node]) -> None:
        out.append(n.Return(node, self.optional(node.value)))

    def _raise(self, node: cst.Raise, out: list[n.Node]) -> None:
        out.append(n.Raise(node, self.optional(node.exc)))

    def _assert(self, node: cst.Assert, out: list[n.Node]) -> None:
        out.append(n.Assert(node, self.expression(node.test), self.optional(node.msg)))

    def _delete(self, node: cst.Del, out: list[n.Node]) -> None:
        target = node.target
        items: list[cst.BaseExpression] = (
            [element.value for element in target.elements]
            if isinstance(target, (cst.Tuple, cst.List))
            else [target]
        )
        out.append(n.Delete(node, [self.target(item) for item in items]))

    def _jump(self, node: cst.CSTNode, out: list[n.Node]) -> None:
        out.append(n.Jump(node, "break" if type(node) is cst.Break else "continue"))

    def _pass(self, node: cst.Pass, out: list[n.Node]) -> None:
        """Nothing happens."""

    def _if(self, node: cst.If, out: list[n.Node], keyword: Any = "if") -> None:
        test = self.expression(node.test)
        body = self.suite(node.body)
        orelse: list[n.Node] = []
        if isinstance(node.orelse, cst.If):
            self._if(node.orelse, orelse, "elif")
        elif node.orelse is not None:
            orelse = self.suite(node.orelse.body)
        out.append(n.If(node, test, body, orelse, keyword))

    def _else(self, node: cst.Else | cst.Finally | None) -> list[n.Node]:
        return self.suite(node.body) if node is not None else []

    def _while(self, node: cst.While, out: list[n.Node]) -> None:
        test = self.expression(node.test)
        out.append(n.While(node, test, self.suite(node.body), self._else(node.orelse)))

    def _for(self, node: cst.For, out: list[n.Node]) -> None:
        iterable = self.expression(node.iter)
        target = self.target(node.target)
        out.append(n.For(node, target, iterable, self.suite(node.body), self._else(node.orelse)))

    def _try(self, node: cst.Try | cst.TryStar, out: list[n.Node]) -> None:
        body = self.suite(node.body)
        handlers = []
        for handler in node.handlers:
            name = None
            if handler.name is not None and isinstance(handler.name.name, cst.Name):
                name = self.bind(handler.name.name)
            kind = self.optional(handler.type)
            handlers.append(n.Handler(handler, kind, name, self.suite(handler.body)))
        orelse = self._else(node.orelse)
        out.append(n.Try(node, body, handlers, orelse, self._else(node.finalbody)))

    def _with(self, node: cst.With, out: list[n.Node]) -> None:
        items = []
        for item in node.items:
            context = self.expression(item.item)
            target = self.target(item.asname.name) if item.asname is not None else None
            items.append(n.WithItem(item, context, target))
        out.append(n.With(node, items, self.suite(node.body)))

    def _match(self, node: cst.Match, out: list[n.Node]) -> None:
        subject = self.expression(node.subject)
        cases = []
        for case in node.cases:
            found = pattern(self, case.pattern)
            cases.append(n.Case(case, found, self.optional(case.guard), self.suite(case.body)))
        out.append(n.Match(node, subject, cases))

    def _function(self, node: cst.FunctionDef, out: list[n.Node]) -> None:
        decorators = [self.expression(item.decorator) for item in node.decorators]
        target = self.bind(node.name)
        function = self.function(node, node.name.value, node.params)
        function.decorators = decorators
        function.is_async = node.asynchronous is not None
        self.functions.append(function)
        out.append(n.FunctionDefinition(node, function, target))

    def function(
        self,
        node: cst.FunctionDef | cst.Lambda,
        name: str,
        params: cst.Parameters,
    ) -> n.Function:
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
        if node is None:
            return None
        return self.expression(node.annotation)

    def _class(self, node: cst.ClassDef, out: list[n.Node]) -> None:
        decorators = [self.expression(item.decorator) for item in node.decorators]
        bases = [self.argument(item) for item in (*node.bases, *node.keywords)]
        target = self.bind(node.name)
        scope = Scope("class", self.scope)
        outer, self.scope = self.scope, scope
        body = self.suite(node.body)
        self.scope = outer
        scope.close()
        out.append(n.ClassDefinition(node, node.name.value, target, bases, decorators, body, scope))

    def _import(self, node: cst.Import, out: list[n.Node]) -> None:
        for alias in node.names:
            dotted = _dotted(alias.name)
            if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
                out.append(n.Import(alias, dotted, self.bind(alias.asname.name), dotted))
            else:
                top = alias.name
                while isinstance(top, cst.Attribute):
                    top = top.value  # type: ignore[assignment]
                assert isinstance(top, cst.Name)
                out.append(n.Import(alias, top.value, self.bind(top), dotted))

    def _import_from(self, node: cst.ImportFrom, out: list[n.Node]) -> None:
        package = "." * len(node.relative) + (_dotted(node.module) if node.module else "")
        if isinstance(node.names, cst.ImportStar):
            out.append(n.Import(node, package, None))
            return
        for alias in node.names:
            name = alias.asname.name if alias.asname is not None else alias.name
            if isinstance(name, cst.Name):
                separator = "" if package.endswith(".") else "."
                qualified = f"{package}{separator}{_dotted(alias.name)}"
                out.append(n.Import(alias, qualified, self.bind(name)))

    def _outer(self, node: cst.Global | cst.Nonlocal, out: list[n.Node]) -> None:
        kind: Any = "global" if isinstance(node, cst.Global) else "nonlocal"
        for item in node.names:
            self.scope.outer[item.name.value] = kind

    # ---------------------------------------------------------------- targets

    def bind(self, node: cst.Name) -> n.Name:
        self.scope.bound.add(node.value)
        return n.Name(node, node.value, self.scope)

    def target(self, node: cst.CSTNode) -> n.Node:
        method = _TARGETS.get(type(node), _Lowering.expression)
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
        return self.expression(node) if node is not None else None

    def expression(self, node: cst.CSTNode) -> n.Node:
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
        if text[0] in "\"'" and "\\" not in text:
            quote = 3 if text[:3] in ('"""', "'''") else 1
            return n.Constant(node, text[quote:-quote])
        try:
            return n.Constant(node, literal_eval(text))
        except (SyntaxError, ValueError):
            return n.Opaque(node, "string")

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
        keyword = node.keyword.value if node.keyword is not None else None
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


def _dotted(node: cst.CSTNode | None) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    assert isinstance(node, cst.Name)
    return node.value


_SINGLETONS = {"None": None, "True": True, "False": False}
_TARGETS: dict[type[cst.CSTNode], Callable[[_Lowering, Any], n.Node]] = {
    cst.Name: _Lowering.bind,
    cst.Tuple: _Lowering._targets,
    cst.List: _Lowering._targets,
    cst.StarredElement: _Lowering._starred_target,
    cst.Element: _Lowering._element_target,
}
"""What is assigned to; anything else is an expression."""

_DISPLAYS = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}
_COMPREHENSIONS = {
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.DictComp: "dict",
    cst.GeneratorExp: "generator",
}
_STATEMENTS: dict[type[cst.CSTNode], Callable[..., None]] = {
    cst.Expr: _Lowering._expression_statement,
    cst.Assign: _Lowering._assign,
    cst.AnnAssign: _Lowering._annotated,
    cst.AugAssign: _Lowering._augmented,
    cst.Return: _Lowering._return,
    cst.Raise: _Lowering._raise,
    cst.Assert: _Lowering._assert,
    cst.Del: _Lowering._delete,
    cst.Break: _Lowering._jump,
    cst.Continue: _Lowering._jump,
    cst.Pass: _Lowering._pass,
    cst.If: _Lowering._if,
    cst.While: _Lowering._while,
    cst.For: _Lowering._for,
    cst.Try: _Lowering._try,
    cst.TryStar: _Lowering._try,
    cst.With: _Lowering._with,
    cst.Match: _Lowering._match,
    cst.FunctionDef: _Lowering._function,
    cst.ClassDef: _Lowering._class,
    cst.Import: _Lowering._import,
    cst.ImportFrom: _Lowering._import_from,
    cst.Global: _Lowering._outer,
    cst.Nonlocal: _Lowering._outer,
}
_EXPRESSIONS: dict[type[cst.CSTNode], Callable[..., n.Node]] = {
    cst.Name: _Lowering._name,
    cst.Integer: _Lowering._integer,
    cst.Float: _Lowering._float,
    cst.Imaginary: _Lowering._imaginary,
    cst.SimpleString: _Lowering._string,
    cst.ConcatenatedString: _Lowering._concatenated,
    cst.FormattedString: _Lowering._formatted,
    cst.Ellipsis: _Lowering._ellipsis,
    cst.Attribute: _Lowering._attribute,
    cst.Subscript: _Lowering._subscript,
    cst.Call: _Lowering._call,
    cst.UnaryOperation: _Lowering._unary,
    cst.BinaryOperation: _Lowering._binary,
    cst.BooleanOperation: _Lowering._boolean,
    cst.Comparison: _Lowering._comparison,
    cst.IfExp: _Lowering._conditional,
    cst.Lambda: _Lowering._lambda,
    cst.Tuple: _Lowering._display,
    cst.List: _Lowering._display,
    cst.Set: _Lowering._display,
    cst.Dict: _Lowering._dict,
    cst.ListComp: _Lowering._comprehension,
    cst.SetComp: _Lowering._comprehension,
    cst.GeneratorExp: _Lowering._comprehension,
    cst.DictComp: _Lowering._comprehension,
    cst.NamedExpr: _Lowering._walrus,
    cst.Await: _Lowering._await,
    cst.Yield: _Lowering._yield,
}
