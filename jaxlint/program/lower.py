"""Concrete syntax to lowered program, in one pass over the structural fields.

With ``syntax/`` the only code that imports libcst. Whitespace nodes are never
visited and no libcst metadata is asked for: that is where the speed comes from.
Every libcst node class is either lowered here or becomes an ``Opaque`` on
purpose; ``tests/test_lowering.py`` holds that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from jaxlint.cells import RAISES, is_light_script
from jaxlint.program import nodes as n
from jaxlint.program.lower_expressions import OPERATORS, Expressions
from jaxlint.program.lower_patterns import pattern
from jaxlint.program.nodes import Scope


def lower(module: cst.Module) -> n.Module:
    """Lower a parsed module."""
    return _Lowering().module(module)


_PERCENT = ("# %%", "#%%")
_LIGHT = ("# +", "# -")
"""How comments begin that part a script into cells, as jupytext writes them in two formats."""


def _comments(lines: Sequence[cst.EmptyLine]) -> list[str]:
    return [line.comment.value for line in lines if line.comment is not None]


def _marker(lines: Sequence[cst.EmptyLine], begins: tuple[str, ...]) -> str | None:
    """The last comment that parts one cell from the next; None when there is none."""
    markers = [comment for comment in _comments(lines) if comment.startswith(begins)]
    return markers[-1] if markers else None


def _markers(module: cst.Module) -> tuple[str, ...]:
    """How comments begin that part a program into cells."""
    first = module.body[0].leading_lines if module.body else ()
    header = "\n".join(_comments([*module.header, *first]))
    return _LIGHT if is_light_script(header) else _PERCENT


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


class _Lowering(Expressions):
    def module(self, module: cst.Module) -> n.Module:
        begins = _markers(module)
        heads = [_marker(statement.leading_lines, begins) for statement in module.body]
        if heads:
            heads[0] = heads[0] or _marker(module.header, begins)
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


def _dotted(node: cst.CSTNode | None) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    assert isinstance(node, cst.Name)
    return node.value


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
