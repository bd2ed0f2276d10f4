"""Python's own syntax tree to lowered program: for what needs no concrete syntax.

Nothing is changed in modules that are imported, nor in a file without findings, and Python reads
a file in a tenth of the time that libcst takes. What comes of it is what ``lower`` makes of the
same text, with :class:`Spot` as the origin of each node; ``tests/test_imports.py`` holds that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from jaxlint.program import nodes as n
from jaxlint.program.nodes import Scope
from jaxlint.program.spots import Spot
from jaxlint.source import Source, SourceError

_ScopeKind = Literal["function", "class", "comprehension"]

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.UAdd: "+", ast.USub: "-", ast.Invert: "~",
    ast.Not: "not", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
"""What each operator node is written as."""


def lower_ast(source: Source) -> n.Module:
    """Lower a file.

    Raises:
        jaxlint.source.SourceError: it is not Python.
    """
    program = _Lowering(source).module(source.tree)
    source.forget_tree()
    return program


class _Lowering:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.scope = Scope("module", None)
        self.functions: list[n.Function] = []
        self.lambdas: list[n.Function] = []
        self.loaded: set[str] = set()
        self.size = 0
        self._yields = False

    def module(self, tree: ast.Module) -> n.Module:
        body = self.block(tree.body)
        self.scope.close()
        return n.Module(
            self.at(tree), body, self.scope, self.functions, self.lambdas, self.loaded, self.size
        )

    def at(self, node: ast.AST) -> Spot:
        return Spot(self.source, node)

    @contextmanager
    def inside(self, kind: _ScopeKind) -> Iterator[Scope]:
        """Lower what opens a scope of its own."""
        outer, self.scope = self.scope, Scope(kind, self.scope)
        yield self.scope
        self.scope.close()
        self.scope = outer

    # ------------------------------------------------------------- statements

    def block(self, statements: Iterable[ast.AST]) -> list[n.Node]:
        lowered: list[n.Node] = []
        for statement in statements:
            self.size += 1
            method = _STATEMENTS.get(type(statement))
            try:
                if method is not None:
                    method(self, statement, lowered)
                else:
                    lowered.append(n.Opaque(self.at(statement), type(statement).__name__))
            except RecursionError:
                lowered.append(n.Opaque(self.at(statement), n.TOO_DEEP))
        return lowered

    def _expression_statement(self, node: ast.Expr, out: list[n.Node]) -> None:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, (str, bytes, type(...))):
            return  # A docstring or a placeholder.
        out.append(n.ExpressionStatement(self.at(node), self.expression(value)))

    def _assign(self, node: ast.Assign, out: list[n.Node]) -> None:
        value = self.expression(node.value)
        out.append(n.Assign(self.at(node), [self.target(each) for each in node.targets], value))

    def _annotated(self, node: ast.AnnAssign, out: list[n.Node]) -> None:
        value = self.optional(node.value)
        annotation = self.expression(node.annotation)
        out.append(n.AnnotatedAssign(self.at(node), self.target(node.target), annotation, value))

    def _augmented(self, node: ast.AugAssign, out: list[n.Node]) -> None:
        value = self.expression(node.value)
        operator = OPERATORS[type(node.op)]
        out.append(n.AugmentedAssign(self.at(node), self.target(node.target), operator, value))
        if isinstance(node.target, ast.Name):
            self.scope.reads.add(node.target.id)

    def _return(self, node: ast.Return, out: list[n.Node]) -> None:
        out.append(n.Return(self.at(node), self.optional(node.value)))

    def _raise(self, node: ast.Raise, out: list[n.Node]) -> None:
        out.append(n.Raise(self.at(node), self.optional(node.exc)))

    def _assert(self, node: ast.Assert, out: list[n.Node]) -> None:
        out.append(n.Assert(self.at(node), self.expression(node.test), self.optional(node.msg)))

    def _delete(self, node: ast.Delete, out: list[n.Node]) -> None:
        items: list[ast.expr] = []
        for target in node.targets:
            items += target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        out.append(n.Delete(self.at(node), [self.target(item) for item in items]))

    def _break(self, node: ast.Break, out: list[n.Node]) -> None:
        out.append(n.Jump(self.at(node), "break"))

    def _continue(self, node: ast.Continue, out: list[n.Node]) -> None:
        out.append(n.Jump(self.at(node), "continue"))

    def _pass(self, node: ast.Pass, out: list[n.Node]) -> None:
        """Nothing happens."""

    def _if(self, node: ast.If, out: list[n.Node], keyword: Any = "if") -> None:
        test = self.expression(node.test)
        body = self.block(node.body)
        orelse: list[n.Node] = []
        inner = node.orelse[0] if len(node.orelse) == 1 else None
        # What follows an `else` is indented: at the column of the `if` stands an `elif`.
        if isinstance(inner, ast.If) and inner.col_offset == node.col_offset:
            self._if(inner, orelse, "elif")
        else:
            orelse = self.block(node.orelse)
        out.append(n.If(self.at(node), test, body, orelse, keyword))

    def _while(self, node: ast.While, out: list[n.Node]) -> None:
        test = self.expression(node.test)
        body = self.block(node.body)
        out.append(n.While(self.at(node), test, body, self.block(node.orelse)))

    def _for(self, node: ast.For | ast.AsyncFor, out: list[n.Node]) -> None:
        iterable = self.expression(node.iter)
        target = self.target(node.target)
        body = self.block(node.body)
        out.append(n.For(self.at(node), target, iterable, body, self.block(node.orelse)))

    def _try(self, node: Any, out: list[n.Node]) -> None:
        body = self.block(node.body)
        handlers = []
        for handler in node.handlers[:-1]:
            if handler.type is None:  # Python's parser lets it pass, its compiler does not.
                line, reason = handler.lineno, "syntax error: default 'except:' must be last"
                raise SourceError(self.source.filename, line, handler.col_offset, reason)
        for handler in node.handlers:
            name = self.bind(handler, handler.name) if handler.name is not None else None
            kind = self.optional(handler.type)
            handlers.append(n.Handler(self.at(handler), kind, name, self.block(handler.body)))
        orelse = self.block(node.orelse)
        out.append(n.Try(self.at(node), body, handlers, orelse, self.block(node.finalbody)))

    def _with(self, node: ast.With | ast.AsyncWith, out: list[n.Node]) -> None:
        items = []
        for item in node.items:
            context = self.expression(item.context_expr)
            named = item.optional_vars
            target = self.target(named) if named is not None else None
            items.append(n.WithItem(self.at(item.context_expr), context, target))
        out.append(n.With(self.at(node), items, self.block(node.body)))

    def _match(self, node: ast.Match, out: list[n.Node]) -> None:
        subject = self.expression(node.subject)
        cases = []
        for case in node.cases:
            found, guard = self.pattern(case.pattern), self.optional(case.guard)
            cases.append(n.Case(self.at(case.pattern), found, guard, self.block(case.body)))
        out.append(n.Match(self.at(node), subject, cases))

    def pattern(self, node: ast.pattern) -> n.Pattern:
        where, parts = self.at(node), _patterns_in(node)
        if isinstance(node, ast.MatchValue):
            return n.Pattern(where, "value", self.expression(node.value))
        if isinstance(node, ast.MatchSingleton):
            return n.Pattern(where, "is", n.Constant(where, node.value))
        value = self.expression(node.cls) if isinstance(node, ast.MatchClass) else None
        bound = getattr(node, "rest" if isinstance(node, ast.MatchMapping) else "name", None)
        name = self.bind(node, bound) if bound is not None else None
        kind = _PATTERNS[type(node)]
        if isinstance(node, ast.MatchAs) and not parts:
            kind = "any"
        return n.Pattern(where, kind, value, [self.pattern(each) for each in parts], name)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, out: list[n.Node]) -> None:
        decorators = [self.expression(each) for each in node.decorator_list]
        target = self.bind(node, node.name)
        function = self.function(node, node.name, node.args, node.body)
        function.decorators = decorators
        function.is_async = isinstance(node, ast.AsyncFunctionDef)
        self.functions.append(function)
        out.append(n.FunctionDefinition(self.at(node), function, target))

    def function(
        self,
        node: ast.AST,
        name: str,
        arguments: ast.arguments,
        body: Sequence[ast.stmt] | ast.expr,
    ) -> n.Function:
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
        value = self.optional(default)
        return n.Parameter(self.at(node), node.arg, kind, value, self.optional(node.annotation))

    def _class(self, node: ast.ClassDef, out: list[n.Node]) -> None:
        decorators = [self.expression(each) for each in node.decorator_list]
        bases = self.arguments(node.bases, node.keywords)
        target = self.bind(node, node.name)
        with self.inside("class") as scope:
            body = self.block(node.body)
        where = self.at(node)
        out.append(n.ClassDefinition(where, node.name, target, bases, decorators, body, scope))

    def _import(self, node: ast.Import, out: list[n.Node]) -> None:
        for alias in node.names:
            named = alias.name if alias.asname is not None else alias.name.partition(".")[0]
            target = self.bind(alias, alias.asname or named)
            out.append(n.Import(self.at(alias), named, target, alias.name))

    def _import_from(self, node: ast.ImportFrom, out: list[n.Node]) -> None:
        package = "." * node.level + (node.module or "")
        separator = "" if package.endswith(".") else "."
        for alias in node.names:
            if alias.name == "*":
                out.append(n.Import(self.at(node), package, None))
                return
            target = self.bind(alias, alias.asname or alias.name)
            out.append(n.Import(self.at(alias), f"{package}{separator}{alias.name}", target))

    def _global(self, node: ast.Global, out: list[n.Node]) -> None:
        self.scope.outer.update(dict.fromkeys(node.names, "global"))

    def _nonlocal(self, node: ast.Nonlocal, out: list[n.Node]) -> None:
        self.scope.outer.update(dict.fromkeys(node.names, "nonlocal"))

    # ---------------------------------------------------------------- targets

    def bind(self, node: ast.AST, name: str) -> n.Name:
        self.scope.bound.add(name)
        return n.Name(self.at(node), name, self.scope)

    def target(self, node: ast.expr) -> n.Node:
        if isinstance(node, ast.Name):
            return self.bind(node, node.id)
        if isinstance(node, (ast.Tuple, ast.List)):
            return n.Display(self.at(node), "tuple", [self.target(each) for each in node.elts])
        if isinstance(node, ast.Starred):
            return n.Starred(self.at(node), self.target(node.value))
        return self.expression(node)

    # ------------------------------------------------------------ expressions

    def optional(self, node: ast.expr | None) -> n.Node | None:
        return self.expression(node) if node is not None else None

    def expression(self, node: ast.AST) -> n.Node:
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
        return n.Constant(self.at(node), node.value)

    def _formatted(self, node: ast.JoinedStr) -> n.Node:
        return n.FormattedString(self.at(node), self.parts(node))

    def parts(self, node: ast.JoinedStr) -> list[n.Node]:
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
        if isinstance(node, ast.Starred):
            return n.Starred(self.at(node), self.expression(node.value))
        return self.expression(node)

    def arguments(
        self, several: Iterable[ast.expr], keywords: Iterable[ast.keyword]
    ) -> list[n.Argument]:
        found = []
        for each in several:
            star = "*" if isinstance(each, ast.Starred) else ""
            value = each.value if isinstance(each, ast.Starred) else each
            found.append(n.Argument(self.at(each), self.expression(value), None, star))
        for keyword in keywords:
            value, star = keyword.value, "" if keyword.arg is not None else "**"
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


def _patterns_in(node: ast.pattern) -> list[ast.pattern]:
    """The patterns directly in a pattern."""
    inner = getattr(node, "pattern", None)
    several = [*getattr(node, "patterns", ()), *getattr(node, "kwd_patterns", ())]
    return several if inner is None else [inner, *several]


_PATTERNS: dict[type[ast.pattern], Literal["any", "class", "sequence", "star", "mapping", "or"]] = {
    ast.MatchAs: "or",
    ast.MatchOr: "or",
    ast.MatchStar: "star",
    ast.MatchClass: "class",
    ast.MatchMapping: "mapping",
    ast.MatchSequence: "sequence",
}
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
_STATEMENTS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Expr: _Lowering._expression_statement,
    ast.Assign: _Lowering._assign,
    ast.AnnAssign: _Lowering._annotated,
    ast.AugAssign: _Lowering._augmented,
    ast.Return: _Lowering._return,
    ast.Raise: _Lowering._raise,
    ast.Assert: _Lowering._assert,
    ast.Delete: _Lowering._delete,
    ast.Break: _Lowering._break,
    ast.Continue: _Lowering._continue,
    ast.Pass: _Lowering._pass,
    ast.If: _Lowering._if,
    ast.While: _Lowering._while,
    ast.For: _Lowering._for,
    ast.AsyncFor: _Lowering._for,
    ast.Try: _Lowering._try,
    ast.With: _Lowering._with,
    ast.AsyncWith: _Lowering._with,
    ast.Match: _Lowering._match,
    ast.FunctionDef: _Lowering._function,
    ast.AsyncFunctionDef: _Lowering._function,
    ast.ClassDef: _Lowering._class,
    ast.Import: _Lowering._import,
    ast.ImportFrom: _Lowering._import_from,
    ast.Global: _Lowering._global,
    ast.Nonlocal: _Lowering._nonlocal,
}
if hasattr(ast, "TryStar"):  # From Python 3.11 on.
    _STATEMENTS[ast.TryStar] = _Lowering._try
_EXPRESSIONS: dict[type[ast.AST], Callable[..., n.Node]] = {
    ast.Name: _Lowering._name,
    ast.Constant: _Lowering._constant,
    ast.JoinedStr: _Lowering._formatted,
    ast.Attribute: _Lowering._attribute,
    ast.Subscript: _Lowering._subscript,
    ast.Slice: _Lowering._slice,
    ast.Call: _Lowering._call,
    ast.UnaryOp: _Lowering._unary,
    ast.BinOp: _Lowering._binary,
    ast.BoolOp: _Lowering._boolean,
    ast.Compare: _Lowering._comparison,
    ast.IfExp: _Lowering._conditional,
    ast.Lambda: _Lowering._lambda,
    ast.Tuple: _Lowering._display,
    ast.List: _Lowering._display,
    ast.Set: _Lowering._display,
    ast.Dict: _Lowering._dict,
    ast.ListComp: _Lowering._comprehension,
    ast.SetComp: _Lowering._comprehension,
    ast.GeneratorExp: _Lowering._comprehension,
    ast.DictComp: _Lowering._comprehension,
    ast.NamedExpr: _Lowering._walrus,
    ast.Await: _Lowering._await,
    ast.Yield: _Lowering._yield,
    ast.YieldFrom: _Lowering._yield,
}
