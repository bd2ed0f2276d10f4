"""Changes of an argument that nobody sees: a traced function works on a copy of its containers.

So it does on a copy of what a library changes in place, unless the transform is the library's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxlint.events import DiscardedUpdate, LostUpdate
from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.libraries import CHANGED_BY, MAKES_OBJECTS, SHARES_VARIABLES
from jaxlint.program import nodes as n
from jaxlint.program.walk import bindings_in, children, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.language.statements import STATEMENTS
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Tree
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.value import Value

_OF_JAX = f"{jax_api.PACKAGE}."


class Lost(Analysis):
    """Notes changes of a traced argument after which the function does not look at it."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._lost: dict[tuple[int, str], frozenset[int]] = {}

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        name = _root(subject)
        if name is None or not self._is_copy(container, name):
            return
        function = self.tracer.stack.frame.function
        assert function is not None
        which = id(function.code), name
        if which not in self._lost:
            self._lost[which] = _unseen_changes(function.code, name)
        if id(node) in self._lost[which]:
            context = self.tracer.context(node, subject)
            self.tracer.emit(DiscardedUpdate(context, how, copied=True))

    def on_discard(self, call: n.Call) -> None:
        """``optimizer.update(model, grads)`` in a function that JAX gives a copy of both."""
        stack, method = self.tracer.stack, call.function
        if not isinstance(method, n.Attribute) or not isinstance(method.value, n.Name):
            return
        level, name = stack.level, method.value.id
        if level is None or not level.name.startswith(_OF_JAX) or not level.transform.compiles:
            return
        shared = not SHARES_VARIABLES.isdisjoint(self.tracer.module.loaded)
        made_here = self._is_made_here(name)
        if shared or not (made_here or self._is_traced_itself(name)):
            return
        owner = self._type_of(method.value)
        methods = frozenset().union(*CHANGED_BY.values()) if made_here else CHANGED_BY.get(owner)
        if method.attr not in (methods or ()):
            return
        function = stack.frame.function
        assert function is not None
        given = {item.value.id for item in call.arguments if isinstance(item.value, n.Name)}
        arguments = given & (made_here or {each.name for each in function.code.parameters})
        if id(call) in _unseen_changes(function.code, name, frozenset({name, *arguments})):
            context = self.tracer.context(call, method.value)
            self.tracer.emit(LostUpdate(context, owner, merged=bool(made_here)))

    def _is_made_here(self, name: str) -> set[str]:
        """What a call makes of a graph and its state in the function that runs, this name with it.

        Nobody else holds it but what it closes over; empty where the name is something else.
        """
        frame = self.tracer.stack.frame
        function = frame.function
        if function is None or name in frame.scope.captured:
            return set()
        binders = [node for node, bound in bindings_in(function.code) if bound == name]
        made = binders[0].value if len(binders) == 1 and isinstance(binders[0], n.Assign) else None
        if not isinstance(made, n.Call):
            return set()
        maker = qualified_name(self.tracer, made.function, frame)
        if maker not in MAKES_OBJECTS:
            return set()
        return {bound for node, bound in bindings_in(function.code) if node is binders[0]}

    def _is_traced_itself(self, name: str) -> bool:
        """Whether the function that runs is the traced one, and the name one of its parameters."""
        stack = self.tracer.stack
        frame, callers = stack.frame, stack.running[:-1]
        if not stack.running or stack.running[-1] is not frame or frame.function is None:
            return False
        if callers and callers[-1].level is stack.level:
            return False  # A helper: its caller may look.
        parameters = {p.name for p in frame.function.code.parameters if not p.kind.endswith("star")}
        return name in parameters and name not in frame.scope.captured

    def _type_of(self, name: n.Name) -> str:
        """The class of what a parameter holds, by what is passed or by its annotation."""
        value = self.tracer.evaluate(name)
        if isinstance(value, External):
            return value.type
        function = self.tracer.stack.frame.function
        parameters = function.code.parameters if function is not None else []
        annotation = next((each.annotation for each in parameters if each.name == name.id), None)
        if annotation is None or function is None:
            return ""
        head = annotation.value if isinstance(annotation, n.Subscript) else annotation
        return qualified_name(self.tracer, head, function.frame) or ""

    def _is_copy(self, container: Value, name: str) -> bool:
        """Whether it is what the innermost transform made of an argument that this name holds."""
        stack = self.tracer.stack
        frame, level = stack.frame, stack.level
        if level is None or not level.tracing or level.transform.concreteness == "host":
            return False
        if not self._is_traced_itself(name):
            return False
        made = getattr(container, "made", None)
        if isinstance(container, Tree):
            return not self.tracer.refs_about  # It may be a mutable reference.
        return made is not None and made.level is level and made.frame is not frame


def _root(node: n.Node) -> str | None:
    """The variable that ``state["a"]["b"]`` is a part of."""
    while isinstance(node, n.Subscript):
        node = node.value
    return node.id if isinstance(node, n.Name) else None


def _unseen_changes(
    code: n.Function, name: str, readers: frozenset[str] = frozenset()
) -> frozenset[int]:
    """The changes of a parameter after which nothing reads it, nor any of ``readers``."""
    order = _Order(name, _also_called(code, readers or frozenset({name})))
    order.run(code.body)
    return frozenset(order.changes - order.seen)


def _also_called(code: n.Function, names: frozenset[str]) -> frozenset[str]:
    """The names of the same objects, and of what holds them: ``state = carry``."""
    found: frozenset[str] = frozenset()
    while found != names:
        found = names
        for each, bound in bindings_in(code):
            if isinstance(each, (n.Assign, n.AnnotatedAssign)) and _holds(each.value, names):
                names |= {bound}
    return names


def _holds(value: n.Node | None, names: frozenset[str]) -> bool:
    """Whether a value is what has one of the names, or a display with it."""
    if isinstance(value, n.Display):
        return any(_holds(each, names) for each in value.elements)
    if isinstance(value, n.DictDisplay):
        return any(_holds(each, names) for _, each in value.items)
    return isinstance(value, n.Name) and value.id in names


@dataclass(slots=True)
class _Order:
    """Follows a body in the order in which it runs, loops twice: which changes are seen later."""

    name: str
    read: frozenset[str]
    changes: set[int] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)

    def run(self, body: Iterable[n.Node]) -> None:
        """Take statements into account."""
        for statement in body:
            self._statement(statement)

    def _statement(self, statement: n.Node) -> None:
        changes = _changes(statement, self.name)
        if changes:
            self.changes.update(changes)
            return
        inside = [part for part in children(statement) if type(part) in STATEMENTS]
        heads = [part for part in children(statement) if type(part) not in STATEMENTS]
        if self._reads(heads):
            self.seen |= self.changes
        for _ in range(2 if isinstance(statement, (n.For, n.While)) else 1):
            self.run(inside)

    def _reads(self, nodes: list[n.Node]) -> bool:
        return any(isinstance(node, n.Name) and node.id in self.read for node in walk(nodes))


def _changes(statement: n.Node, name: str) -> list[int]:
    """The nodes at which a statement changes what a name holds, and does nothing else with it."""
    targets: list[n.Node] = []
    if isinstance(statement, n.Assign):
        targets = statement.targets
    elif isinstance(statement, n.AugmentedAssign):
        targets = [statement.target]
    elif isinstance(statement, n.ExpressionStatement) and isinstance(statement.value, n.Call):
        function = statement.value.function
        if isinstance(function, n.Attribute) and function.attr in python_api.CHANGES_CONTAINERS:
            return [id(statement.value)] if _root(function.value) == name else []
    inside = all(isinstance(target, n.Subscript) and _root(target) == name for target in targets)
    return [id(target) for target in targets] if inside else []
