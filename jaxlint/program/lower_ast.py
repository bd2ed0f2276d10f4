"""Python's own syntax tree to lowered program: for what needs no concrete syntax.

Nothing is changed in modules that are imported, nor in a file without findings, and Python reads
a file in a tenth of the time that libcst takes. What comes of it is what ``lower`` makes of the
same text, with :class:`Spot` as the origin of each node; ``tests/test_imports.py`` holds that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, Literal

from jaxlint.program import nodes as n
from jaxlint.program.lower_ast_expressions import OPERATORS, Expressions
from jaxlint.source import Source, SourceError


def lower_ast(source: Source) -> n.Module:
    """Lower a file.

    Raises:
        jaxlint.source.SourceError: it is not Python.
    """
    program = _Lowering(source).module(source.tree)
    source.forget_tree()
    return program


class _Lowering(Expressions):
    def module(self, tree: ast.Module) -> n.Module:
        body = self.block(tree.body)
        self.scope.close()
        return n.Module(
            self.at(tree), body, self.scope, self.functions, self.lambdas, self.loaded, self.size
        )

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
        inner = [self.pattern(each) for each in parts]
        return n.Pattern(where, kind, value, inner, name, _keys_of(node))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, out: list[n.Node]) -> None:
        decorators = [self.expression(each) for each in node.decorator_list]
        target = self.bind(node, node.name)
        function = self.function(node, node.name, node.args, node.body)
        function.decorators = decorators
        function.is_async = isinstance(node, ast.AsyncFunctionDef)
        self.functions.append(function)
        out.append(n.FunctionDefinition(self.at(node), function, target))

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


def _patterns_in(node: ast.pattern) -> list[ast.pattern]:
    """The patterns directly in a pattern."""
    inner = getattr(node, "pattern", None)
    several = [*getattr(node, "patterns", ()), *getattr(node, "kwd_patterns", ())]
    return several if inner is None else [inner, *several]


def _keys_of(node: ast.pattern) -> list[str]:
    """The attributes of a class, or the texts of a mapping, that a pattern names."""
    if isinstance(node, ast.MatchMapping):
        keys = [each.value if isinstance(each, ast.Constant) else "" for each in node.keys]
        return [key if isinstance(key, str) else "" for key in keys]
    return list(node.kwd_attrs) if isinstance(node, ast.MatchClass) else []


_PATTERNS: dict[type[ast.pattern], Literal["any", "class", "sequence", "star", "mapping", "or"]] = {
    ast.MatchAs: "or",
    ast.MatchOr: "or",
    ast.MatchStar: "star",
    ast.MatchClass: "class",
    ast.MatchMapping: "mapping",
    ast.MatchSequence: "sequence",
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
