"""What is asked of the result of each call of a function: does anything read it?

A strong liveness analysis ("faint variables"): backwards through the statements of one body,
with the variables that something still reads. What a pure expression reads counts only where its
own value is read, so a chain of values that ends unread is unread from its beginning. A variable
that inner functions see is read from where the first of them is made, and so is one that nothing
ever reads, unless its name begins with an underscore: its author has only just written it, or shows
something. What counts as unread is overwritten, or left, before it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from jaxlint.program import nodes as n
from jaxlint.program.walk import children

Demand: TypeAlias = "bool | tuple[Demand, ...] | Item"
"""Of a value: whether anything reads it; of a tuple, element by element."""


@dataclass(frozen=True, slots=True)
class Item:
    """Of a tuple of unknown length: one element is asked for, and no other."""

    place: int
    demand: Demand


Nature = Literal["pure", "idle", "effect"]
"""Of a call: its result is all that comes of it; and it is of no use when it is thrown away; or
somebody else gets to see what it is given."""

_Live = set[str]


def any_of(demand: Demand) -> bool:
    """Whether any part is read."""
    if isinstance(demand, Item):
        return any_of(demand.demand)
    return any(map(any_of, demand)) if isinstance(demand, tuple) else demand


def parts_of(demand: Demand, count: int) -> tuple[Demand, ...]:
    """What is asked of each element of a tuple of so many."""
    if isinstance(demand, tuple) and len(demand) == count:
        return demand
    if isinstance(demand, Item) and demand.place < count:
        return tuple(demand.demand if place == demand.place else False for place in range(count))
    return (any_of(demand),) * count


def demands(
    body: Iterable[n.Node],
    scope: n.Scope,
    result: Demand,
    nature: Callable[[n.Call], Nature],
    template: Callable[[n.Call], n.Node | None],
    finished: bool = False,
    whole: bool = False,
    until_here: bool = False,
    passes: bool = False,
    between: n.Node | None = None,
) -> dict[int, Demand]:
    """What is asked of each call of a body, by the identity of its node.

    Args:
        template: the argument of a call of which it reads the structure alone.
        result: what is asked of what the body returns.
        finished: nobody is about to write what reads the variables that nothing reads yet.
        whole: who reads an attribute of a variable does not read the variable.
        until_here: what runs after the body is not asked.
        passes: each `for` has something to go over.
        between: the loop of which it is told what is asked of the calls of a pass that is not its
            last, in place of all calls.
    """
    read = scope.reads | scope.inner_reads
    unread = {name for name in scope.bound - read if finished or name.startswith("_")}
    found = _Backwards(scope, result, nature, template, unread, whole, passes, between)
    after = scope.bound - unread if scope.kind == "module" and not until_here else set()
    found.whole(list(body), after)
    return found.asked if between is None else found.asked_between


def _either(one: Demand, other: Demand) -> Demand:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(map(_either, one, other))
    if any_of(one) and any_of(other):
        return one if one == other else True
    return one if any_of(one) else other


class _Backwards:
    """One pass over a body, from its end.

    Attributes:
        asked: what is asked of each call.
        asked_between: the same, of each in a pass of one loop that another one follows.
    """

    def __init__(
        self,
        scope: n.Scope,
        result: Demand,
        nature: Callable[[n.Call], Nature],
        template: Callable[[n.Call], n.Node | None],
        unread: set[str],
        whole: bool,
        passes: bool,
        between: n.Node | None,
    ) -> None:
        self._whole = whole
        self._passes = passes
        self._between = between
        self.asked_between: dict[int, Demand] = {}
        self.asked: dict[int, Demand] = {}
        self._result = result
        self._nature = nature
        self._template = template
        read = scope.reads | scope.inner_reads | unread
        self._captured = scope.captured
        self._anyway = scope.outer.keys() | (scope.bound - read)
        self._always = self._anyway | self._captured
        # Where `break`, `continue` and an exception lead.
        self._after_loop: list[_Live] = []
        self._next_pass: list[_Live] = []
        self._caught: _Live = set()

    # ---------------------------------------------------------------- statements

    def whole(self, body: list[n.Node], live: _Live) -> None:
        """All statements: before a function is made, it cannot see what a variable was."""
        first: dict[str, int] = {}
        for index, statement in enumerate(body):
            for name in _seen_inside(statement) & self._captured:
                first.setdefault(name, index)
        for index, statement in reversed(list(enumerate(body))):
            seen = {name for name in self._captured if first.get(name, -1) <= index}
            self._always = self._anyway | seen
            live = self._statement(statement, live | self._caught)

    def block(self, body: Iterable[n.Node], live: _Live) -> _Live:
        """What is live before some statements, given what is live after them."""
        for statement in reversed(list(body)):
            live = self._statement(statement, live | self._caught)
        return live | self._caught

    def _statement(self, node: n.Node, live: _Live) -> _Live:
        method = _STATEMENTS.get(type(node))
        if method is not None:
            return method(self, node, live)
        for child in children(node):
            self._read(child, True, live)
        return live

    def _expression_statement(self, node: n.ExpressionStatement, live: _Live) -> _Live:
        thrown_away = isinstance(node.value, n.Call) and not node.shown
        idle = thrown_away and self._nature(node.value) == "idle"  # type: ignore[arg-type]
        self._read(node.value, not idle, live)
        return live

    def _assign(self, node: n.Assign, live: _Live) -> _Live:
        return self._bind(node.targets, node.value, live)

    def _annotated(self, node: n.AnnotatedAssign, live: _Live) -> _Live:
        return self._bind([node.target], node.value, live) if node.value is not None else live

    def _bind(self, targets: Sequence[n.Node], value: n.Node, live: _Live) -> _Live:
        demand: Demand = False
        for target in targets:
            demand = _either(demand, self._of_target(target, live))
        for target in targets:
            self._kill(target, live)
        self._read(value, demand, live)
        return live

    def _of_target(self, target: n.Node, live: _Live) -> Demand:
        """What becomes of a value that is bound to a target."""
        if isinstance(target, n.Name):
            return target.id in live or target.id in self._always
        if isinstance(target, n.Display):
            parts = [self._of_target(each, live) for each in target.elements]
            starred = any(isinstance(each, n.Starred) for each in target.elements)
            return any(map(any_of, parts)) if starred else tuple(parts)
        return self._of_target(target.value, live) if isinstance(target, n.Starred) else True

    def _kill(self, target: n.Node, live: _Live) -> None:
        """A target is bound: what its names stood for is gone."""
        if isinstance(target, n.Name):
            live.discard(target.id)
        elif isinstance(target, n.Display):
            for element in target.elements:
                self._kill(element, live)
        elif isinstance(target, n.Starred):
            self._kill(target.value, live)
        else:
            for child in children(target):
                self._read(child, True, live)

    def _delete(self, node: n.Delete, live: _Live) -> _Live:
        for target in node.targets:
            self._kill(target, live)
        return live

    def _return(self, node: n.Return, live: _Live) -> _Live:
        live = set(self._caught)
        if node.value is not None:
            self._read(node.value, self._result, live)
        return live

    def _raise(self, node: n.Raise, live: _Live) -> _Live:
        live = set(self._caught)
        for child in children(node):
            self._read(child, True, live)
        return live

    def _jump(self, node: n.Jump, live: _Live) -> _Live:
        where = self._after_loop if node.kind == "break" else self._next_pass
        return set(where[-1]) if where else live

    def _if(self, node: n.If, live: _Live) -> _Live:
        live = self.block(node.body, set(live)) | self.block(node.orelse, set(live))
        self._read(node.test, True, live)
        return live

    def _while(self, node: n.While, live: _Live) -> _Live:
        return self._loop(node, None, node.test, live)

    def _for(self, node: n.For, live: _Live) -> _Live:
        live = self._loop(node, node.target, None, live)
        self._read(node.iterable, True, live)
        return live

    def _loop(
        self, node: n.While | n.For, target: n.Node | None, test: n.Node | None, live: _Live
    ) -> _Live:
        head = self.block(node.orelse, set(live))
        if test is not None:
            self._read(test, True, head)
        self._after_loop.append(live)
        before: _Live | None = None
        while before != head:
            before = set(head)
            self._next_pass.append(before)
            passed = self.block(node.body, set(head))
            self._next_pass.pop()
            if target is not None:
                self._kill(target, passed)
            if test is not None:
                self._read(test, True, passed)
            head = head | passed
        if node is self._between:
            asked, self.asked = self.asked, {}
            self._next_pass.append(set(passed))
            self.block(node.body, set(passed))
            self._next_pass.pop()
            self.asked_between, self.asked = self.asked, asked
        self._after_loop.pop()
        return passed if self._passes and target is not None else head

    def _try(self, node: n.Try, live: _Live) -> _Live:
        live = self.block(node.final, live)
        outer = self._caught
        self._caught = outer | live if node.final else outer
        handlers = [self.block(each.body, set(live)) for each in node.handlers]
        for handler in node.handlers:
            if handler.type is not None:
                for names in handlers:
                    self._read(handler.type, True, names)
        after = self.block(node.orelse, set(live))
        self._caught = self._caught.union(*handlers)
        found = self.block(node.body, after)
        self._caught = outer
        return found

    def _with(self, node: n.With, live: _Live) -> _Live:
        # What it is put around may swallow an exception.
        outer, self._caught = self._caught, self._caught | live
        live = self.block(node.body, set(live))
        self._caught = outer
        for item in reversed(node.items):
            if item.target is not None:
                self._kill(item.target, live)
            self._read(item.context, True, live)
        return live

    def _raising_cell(self, node: n.RaisingCell, live: _Live) -> _Live:
        outer, self._caught = self._caught, self._caught | live
        live = self.block(node.body, set(live))
        self._caught = outer
        return live

    def _match(self, node: n.Match, live: _Live) -> _Live:
        found = set(live)
        for case in node.cases:
            body = self.block(case.body, set(live))
            if case.guard is not None:
                self._read(case.guard, True, body)
            found |= body
        self._read(node.subject, True, found)
        return found

    # --------------------------------------------------------------- expressions

    def _read(self, node: n.Node, demand: Demand, live: _Live) -> None:
        """Evaluate an expression of whose value something is asked."""
        if isinstance(node, n.Name):
            if any_of(demand):
                live.add(node.id)
        elif isinstance(node, n.Call):
            self._call(node, demand, live)
        elif isinstance(node, n.Display) and node.kind == "tuple":
            self._tuple(node, demand, live)
        elif isinstance(node, n.Subscript) and _is_place(node.index):
            place = node.index.value  # type: ignore[attr-defined]
            self._read(node.value, Item(place, demand) if any_of(demand) else False, live)
        elif isinstance(node, n.Conditional):
            self._read(node.body, demand, live)
            self._read(node.orelse, demand, live)
            self._read(node.test, True, live)
        elif isinstance(node, n.Walrus):
            demand = _either(demand, self._of_target(node.target, live))
            live.discard(node.target.id)
            self._read(node.value, demand, live)
        elif isinstance(node, (n.Lambda, n.Function, n.FunctionDefinition, n.ClassDefinition)):
            self._definition(node, live)
        elif not (self._whole and isinstance(node, n.Attribute) and isinstance(node.value, n.Name)):
            asked = any_of(demand) or isinstance(node, _ALWAYS_READ)
            for child in children(node):
                self._read(child, asked, live)

    def _call(self, node: n.Call, demand: Demand, live: _Live) -> None:
        self.asked[id(node)] = _either(self.asked.get(id(node), False), demand)
        needed = any_of(demand) or self._nature(node) == "effect"
        self._read(node.function, needed, live)
        template = self._template(node) if needed else None
        for argument in node.arguments:
            self._read(argument.value, needed and argument.value is not template, live)

    def _tuple(self, node: n.Display, demand: Demand, live: _Live) -> None:
        if any(isinstance(each, n.Starred) for each in node.elements):
            demand = any_of(demand)
        parts = parts_of(demand, len(node.elements))
        for element, part in zip(node.elements, parts, strict=True):
            self._read(element, part, live)

    def _definition(self, node: n.Node, live: _Live) -> None:
        """What it closes over is read from here on; so are defaults, bases and decorators."""
        live |= _seen_inside(node)
        if isinstance(node, (n.Lambda, n.FunctionDefinition)):
            node = node.function
        here: list[n.Node] = []
        if isinstance(node, n.Function):
            here += [each.default for each in node.parameters if each.default is not None]
            here += node.decorators
        elif isinstance(node, n.ClassDefinition):
            here += [*node.bases, *node.decorators, *node.body]
        for each in here:
            self._read(each, True, live)

    def _definition_statement(self, node: n.Node, live: _Live) -> _Live:
        assert isinstance(node, (n.FunctionDefinition, n.ClassDefinition))
        self._kill(node.target, live)
        self._definition(node, live)
        return live

    def _import(self, node: n.Import, live: _Live) -> _Live:
        if node.target is not None:
            self._kill(node.target, live)
        return live


def _seen_inside(node: n.Node) -> set[str]:
    """The names that functions and comprehensions in a node read from outside of them."""
    if isinstance(node, (n.Function, n.Comprehension)):
        scope = node.scope
        outer = scope.outer.keys()
        return (scope.reads | scope.inner_reads | outer) - (scope.bound - outer)
    return set().union(*map(_seen_inside, children(node)))


def _is_place(index: n.Node) -> bool:
    """Whether an index is that of one element, from the beginning."""
    value = index.value if isinstance(index, n.Constant) else None
    return type(value) is int and value >= 0


_ALWAYS_READ = (n.Await, n.Yield, n.BooleanOperation, n.Comprehension, n.Opaque)
"""What runs, or may not run, whoever reads its value."""

_STATEMENTS: dict[type[n.Node], Callable[[_Backwards, Any, _Live], _Live]] = {
    n.ExpressionStatement: _Backwards._expression_statement,
    n.Assign: _Backwards._assign,
    n.AnnotatedAssign: _Backwards._annotated,
    n.Delete: _Backwards._delete,
    n.Return: _Backwards._return,
    n.Raise: _Backwards._raise,
    n.Jump: _Backwards._jump,
    n.If: _Backwards._if,
    n.While: _Backwards._while,
    n.For: _Backwards._for,
    n.Try: _Backwards._try,
    n.With: _Backwards._with,
    n.RaisingCell: _Backwards._raising_cell,
    n.Match: _Backwards._match,
    n.FunctionDefinition: _Backwards._definition_statement,
    n.ClassDefinition: _Backwards._definition_statement,
    n.Import: _Backwards._import,
}
"""All others read what stands in them."""
