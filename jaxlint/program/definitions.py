"""Which names of a module may get their values when somebody asks for them, and not before.

Python runs imports and definitions in order. Whether that can be told from doing one later is seen
in the text: its name means it alone, what its bases, decorators, defaults and the body of a class
read is bound above it and stays, and nothing is called there but what has no effect. The last only
the importer knows, who is told which names are called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import assigned_names, children, statements

Definition = n.ClassDefinition | n.FunctionDefinition | n.Import


@dataclass(frozen=True, slots=True)
class Called:
    """Names of the module that a definition calls: as decorators, and otherwise."""

    decorators: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()


def can_wait(module: n.Module) -> dict[int, Called]:
    """The statements of a module that can wait, by identity; found once.

    With the imports below an ``if`` or a ``try``, unless something else binds that name.
    """
    return once(_can_wait, module)


def _can_wait(module: n.Module) -> dict[int, Called]:
    return dict(_waiting(module))


def _waiting(module: n.Module) -> Iterator[tuple[int, Called]]:
    times: Counter[str] = Counter()
    last: dict[str, int] = {}
    for place, statement in enumerate(module.body):
        names = list(_binds(statement))
        times.update(names)
        last.update(dict.fromkeys(names, place))
    for function in module.functions:
        times.update(2 * [name for name, how in function.scope.outer.items() if how == "global"])
    after_stars = 1 + max(
        (place for place, each in enumerate(module.body) if any(_imports_all([each]))), default=-1
    )
    for each in statements(node for node in module.body if not isinstance(node, Definition)):
        if isinstance(each, n.Import) and each.target is not None:
            if times[each.target.id] == 1:
                yield id(each), Called()
    for place, statement in enumerate(module.body[after_stars:], after_stars):
        if isinstance(statement, Definition) and statement.target is not None:
            made = _Made(statement)
            read = made.read - {statement.target.id}
            above = all(last.get(name, -1) < place for name in read)
            if times[statement.target.id] == 1 and made.plain and above:
                yield id(statement), Called(frozenset(made.decorators), frozenset(made.others))


def _imports_all(nodes: Iterable[n.Node]) -> Iterator[bool]:
    for each in statements(nodes):
        yield isinstance(each, n.Import) and each.target is None


def _binds(statement: n.Node) -> Iterator[str]:
    """The names that a statement of a module binds there, as often as it does."""
    yield from assigned_names([statement])
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (n.FunctionDefinition, n.ClassDefinition, n.Import)):
            if node.target is not None:
                yield node.target.id
        elif isinstance(node, n.Handler):
            yield from [node.name.id] if node.name is not None else []
        elif isinstance(node, n.Case):
            yield from (each.id for each in node.pattern.captures)
        elif isinstance(node, n.Delete):
            yield from (each.id for each in node.targets if isinstance(each, n.Name))
        if not isinstance(node, (n.FunctionDefinition, n.ClassDefinition)):
            waiting += children(node)


class _Made:
    """What making a class or a function reads and calls.

    Attributes:
        plain: nothing else happens.
        read: names that are read.
        decorators, others: names of what is called, or called through: of ``a.b()`` it is ``a``.
    """

    def __init__(self, definition: Definition) -> None:
        self.plain = True
        self.read: set[str] = set()
        self.decorators: set[str] = set()
        self.others: set[str] = set()
        if isinstance(definition, n.ClassDefinition):
            self._add_class(definition)
        elif isinstance(definition, n.FunctionDefinition):
            self._add_function(definition.function)

    def _add_class(self, node: n.ClassDefinition) -> None:
        self._decorate(node.decorators)
        for base in node.bases:
            self._evaluate(base.value)
        for statement in node.body:
            if isinstance(statement, n.ClassDefinition):
                self._add_class(statement)
            elif isinstance(statement, n.FunctionDefinition):
                self._add_function(statement.function)
            elif isinstance(statement, (n.Assign, n.AnnotatedAssign)):
                self._add_assignment(statement)
            elif isinstance(statement, n.ExpressionStatement):
                self.plain &= isinstance(statement.value, n.Constant)
            else:
                self.plain &= isinstance(statement, n.Opaque)

    def _add_function(self, code: n.Function) -> None:
        self._decorate(code.decorators)
        for parameter in code.parameters:
            self._evaluate(parameter.default)

    def _add_assignment(self, statement: n.Assign | n.AnnotatedAssign) -> None:
        targets = statement.targets if isinstance(statement, n.Assign) else [statement.target]
        self.plain &= all(isinstance(target, n.Name) for target in targets)
        self._evaluate(statement.value)
        if isinstance(statement, n.AnnotatedAssign):
            self._evaluate(statement.annotation)

    def _decorate(self, decorators: list[n.Node]) -> None:
        for decorator in decorators:
            called = decorator.function if isinstance(decorator, n.Call) else decorator
            self._call(called, self.decorators)
            if isinstance(decorator, n.Call):
                for argument in decorator.arguments:
                    self._evaluate(argument.value)

    def _call(self, function: n.Node, called: set[str]) -> None:
        root = function
        while isinstance(root, n.Attribute):
            root = root.value
        self.plain &= isinstance(root, n.Name)
        if isinstance(root, n.Name):
            called.add(root.id)
            self.read.add(root.id)

    def _evaluate(self, node: n.Node | None) -> None:
        """Add what an expression reads and calls."""
        waiting = [node] if node is not None else []
        while waiting:
            each = waiting.pop()
            if isinstance(each, n.Lambda):
                continue
            if isinstance(each, n.Call):
                self._call(each.function, self.others)
                waiting += [argument.value for argument in each.arguments]
                continue
            if isinstance(each, n.Name):
                self.read.add(each.id)
            self.plain &= not isinstance(each, (n.Comprehension, n.Walrus))
            waiting += children(each)
