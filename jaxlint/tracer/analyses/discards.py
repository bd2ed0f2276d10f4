"""Calls of pure functions whose result is thrown away."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import Context, DiscardedUpdate, Site
from jaxlint.knowledge import discarded, jax_api, numpy_api, python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.program.demand import any_of, demands, parts_of
from jaxlint.program.walk import bindings, is_dotted, own_statements, statements, walk
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.borders import is_of_library
from jaxlint.tracer.callables import function_under, name_of
from jaxlint.tracer.names import once_more, qualified_name
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.objects import Function, Instance, Method, Qualified, Transformed
from jaxlint.tracer.values.value import Unknown, Value

_COMPUTES = (n.BinaryOperation, n.Call, n.UnaryOperation)
_PURE = (
    jax_api.PURE_UPDATES
    | discarded.ARRAYS
    | discarded.CONTEXTS
    | discarded.PUTS
    | discarded.READS_BACK
)
_OF_LEAVES = discarded.ARRAYS | discarded.PUTS
_MAY_DO_MORE = (n.Await, n.Opaque, n.Walrus, n.Yield)


class Discards(Analysis):
    """Notes updates that change nothing."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._unread = Unread(tracer, finished=True)
        self._acts: set[int] = set()
        self._acted = 0

    # ------------------------------------------------------- what happens on the host

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in jax_api.EFFECTS_ON_HOST:
            self._note_effect()

    def _note_effect(self) -> None:
        """The calls that lead here do something besides giving their results."""
        self._acted += 1
        self._acts.update(id(link.node) for link in self.tracer.stack.chain)

    def before_call(self) -> int:
        return self._acted

    def after_call(self, before: int) -> bool:
        return self._acted > before

    def replay(self, record: bool, level: Level | None = None) -> None:
        if record:
            self._note_effect()

    # ------------------------------------------------------------------- thrown away

    def on_discard(self, call: n.Call) -> None:
        function = call.function
        if isinstance(function, n.Attribute) and self._updates_at(function):
            assert isinstance(function.value, n.Subscript)
            assert isinstance(function.value.value, n.Attribute)
            self._note(call, f".at[...].{function.attr}", function.value.value.value)
            return
        # Only names are looked at again: calls have had their effects.
        target = once_more(self.tracer, function) if is_dotted(function) else None
        if isinstance(target, Qualified):
            if _is_pure(target.name) or self._does_nothing(target.name, call):
                self._note(call, target.name, function)
        elif isinstance(target, (Function, Method)) and self._only_updates(target):
            self._note(call, name_of(target), function)
        elif target is not None and isinstance(function, n.Attribute):
            self._on_method(call, function, target)

    def _only_updates(self, called: Function | Method) -> bool:
        """Whether a function of the program makes a changed copy of a parameter, and no more.

        A compiled one may be called to compile it.
        """
        function = function_under(called)
        code = function.code if function is not None else None
        if function is None or code is None or code.is_generator or code.is_async:
            return False
        if code.decorators or not all(map(_is_plain, code.body)) or not _gives_changed_copy(code):
            return False
        calls = (each for each in walk(code.body) if isinstance(each, n.Call))
        return all(self._is_pure_in(function, call) for call in calls)

    def _is_pure_in(self, function: Function, call: n.Call) -> bool:
        """Whether a call in the body of a function does nothing but give its result."""
        if any(changed_copy(call, each.name) for each in function.code.parameters):
            return True
        name = qualified_name(self.tracer, call.function, function.frame) or ""
        return name.rpartition(".")[0] in jax_api.ARRAY_MODULES or name in _PURE

    def _does_nothing(self, name: str, call: n.Call) -> bool:
        """Whether nothing comes of a call here but its result."""
        if name in discarded.LEFT_OUT:
            level = self.tracer.stack.level
            return level is not None and level.stages
        if name in jax_api.TREE_MAPS:
            return bool(call.arguments) and self._computes(call)
        return self._loops_for_nothing(call, name)

    def _loops_for_nothing(self, call: n.Call, name: str) -> bool:
        """Whether a loop of JAX updates an array that nobody gets, in a function that returns.

        What is called for its effects, as in a kernel or to compile it, carries no array there, or
        calls the host.
        """
        row, frame = TRANSFORMS.get(name), self.tracer.stack.frame
        if row is None or row.carry is None or not name.startswith(f"{jax_api.PACKAGE}."):
            return False
        if self.tracer.refs_about or frame.function is None or id(call) in self._acts:
            return False
        body = own_statements(frame.function.code.body)
        returns = any(isinstance(each, n.Return) for each in body)
        given = [each.value for each in call.arguments if each.keyword == row.carry.keyword]
        placed = [each for each in call.arguments if each.keyword is None and not each.star]
        given += [each.value for each in placed[row.carry.position : row.carry.position + 1]]
        return returns and any(self._holds_array(each) for each in given)

    def _holds_array(self, node: n.Node) -> bool:
        """Whether names in an expression hold an array that has axes."""
        if isinstance(node, n.Display):
            return any(map(self._holds_array, node.elements))
        value = once_more(self.tracer, node) if is_dotted(node) else None
        return isinstance(value, Array) and not value.assumed and bool(value.rank)

    def _computes(self, call: n.Call) -> bool:
        """Whether what is called on each leaf is a ``lambda`` that computes, and no more."""
        mapped = call.arguments[0].value
        if not isinstance(mapped, n.Lambda) or self.tracer.stack.catching:
            return False  # Of trees of other structures it raises.
        if not any(isinstance(each, _COMPUTES) for each in walk(mapped.function.body)):
            return False
        frame = self.tracer.stack.frame
        for each in walk(mapped.function.body):
            if isinstance(each, n.Call):
                name = qualified_name(self.tracer, each.function, frame) or ""
                if name.rpartition(".")[0] not in jax_api.ARRAY_MODULES and name not in _OF_LEAVES:
                    return False
            elif isinstance(each, _MAY_DO_MORE):
                return False
        return True

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        """An item of a copy is set that nobody holds: ``np.array(x)[0] = 1``."""
        if not isinstance(subject, n.Call) or not isinstance(container, NumpyArray):
            return
        name = qualified_name(self.tracer, subject.function, self.tracer.stack.frame) or ""
        if name in numpy_api.CONVERTS:
            context = self.tracer.context(node, subject)
            self.tracer.emit(DiscardedUpdate(context, name))

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        """The errors that a function with checks gives are thrown away."""
        if function.transform.result != "error_and_value" or not isinstance(node, n.Call):
            return
        stack = self.tracer.stack
        if stack.level is not None or stack.muted:
            return
        asked = self._unread.asked((*stack.chain, stack.link(node)))
        if not any_of(parts_of(asked, 2)[0]):
            self._note(node, function.name, node.function)

    def on_end(self) -> None:
        """Parameters that get a changed copy of themselves which nothing reads."""
        for function in self.tracer.module.functions:
            for binder, name, how in _updates_of_parameters(function):
                if _is_unread(binder, name, function):
                    site = Site(binder.value.origin)
                    subject = Site(binder.targets[0].origin)
                    event = DiscardedUpdate(Context(site, subject), how, unread=True)
                    self.tracer.emit(event)

    def _on_method(self, call: n.Call, function: n.Attribute, method: Value) -> None:
        name = function.attr
        if name in jax_api.LOOKS_LIKE_UPDATE and _is_array(once_more(self.tracer, function.value)):
            self._note(call, f".{name}", function.value)
        elif name in jax_api.COPYING_METHODS and all(item.keyword for item in call.arguments):
            if _copies(method, once_more(self.tracer, function.value)):
                self._note(call, f".{name}", function.value, of_object=True)

    def _note(self, call: n.Call, construct: str, subject: n.Node, of_object: bool = False) -> None:
        context = self.tracer.context(call, subject)
        self.tracer.emit(DiscardedUpdate(context, construct, of_object=of_object))

    def _updates_at(self, function: n.Attribute) -> bool:
        """Whether it is ``x.at[i].set`` of what may be an array."""
        at = function.value
        if function.attr not in jax_api.AT_UPDATES or not isinstance(at, n.Subscript):
            return False
        if not isinstance(at.value, n.Attribute) or at.value.attr != "at":
            return False
        value = once_more(self.tracer, at.value.value)
        if isinstance(value, (Array, Tree)):
            return True
        # Where Pallas is in use, an unknown object with `.at` may be a Ref.
        return isinstance(value, Unknown) and not self.tracer.refs_about


def _is_unread(binder: n.Assign, name: str, function: n.Function) -> bool:
    """Whether nothing reads what a statement binds, nor an inner function that sees it."""
    if name not in function.scope.captured:
        asked = demands(
            function.body, function.scope, True, lambda _: "effect", lambda _: None, True
        )
        return not any_of(asked.get(id(binder.value), True))
    if binder not in function.body:
        return False
    inner = {each.function.name for each in function.body if isinstance(each, n.FunctionDefinition)}
    after = function.body[function.body.index(binder) + 1 :]
    return all(
        isinstance(each, n.Return)
        and not any(
            isinstance(part, (n.Call, n.Lambda))
            or (isinstance(part, n.Name) and part.id in inner | {name})
            for part in walk([each])
        )
        for each in after
    )


def _updates_of_parameters(function: n.Function) -> Iterator[tuple[n.Assign, str, str]]:
    """Each statement that binds a name to a changed copy of a parameter, that name, and how."""
    if function.is_lambda or function.is_generator:
        return
    names = {each.name for each in function.parameters}
    for each in statements(function.body):
        if not isinstance(each, n.Assign) or len(each.targets) != 1:
            continue
        target, made = each.targets[0], each.value
        if isinstance(target, n.Name) and isinstance(made, n.Call):
            how = next(filter(None, (changed_copy(made, name) for name in sorted(names))), "")
            if how:
                yield each, target.id, how


def changed_copy(call: n.Call, name: str) -> str:
    """How a call makes a changed copy of a variable: ``.apply_gradients``, ``.at[...].set``."""
    method = call.function
    if not isinstance(method, n.Attribute):
        return ""
    owner, how = method.value, f".{method.attr}"
    if method.attr in jax_api.AT_UPDATES and isinstance(owner, n.Subscript):
        if not isinstance(owner.value, n.Attribute) or owner.value.attr != "at":
            return ""
        owner, how = owner.value.value, f".at[...]{how}"
    elif method.attr not in jax_api.COPYING_METHODS or not _is_by_name(call):
        return ""
    return how if isinstance(owner, n.Name) and owner.id == name else ""


def _is_by_name(call: n.Call) -> bool:
    return bool(call.arguments) and all(item.keyword for item in call.arguments)


def _gives_changed_copy(code: n.Function) -> bool:
    """Whether a function ends by returning a changed copy of a parameter."""
    last = code.body[-1] if code.body else None
    value = last.value if isinstance(last, n.Return) else None
    if isinstance(value, n.Name):
        made = [node for node, name in bindings(code.body) if name == value.id]
        value = made[0].value if len(made) == 1 and isinstance(made[0], n.Assign) else None
    if not isinstance(value, n.Call):
        return False
    return any(changed_copy(value, each.name) for each in code.parameters)


def _is_plain(statement: n.Node) -> bool:
    """Whether a statement binds names, returns, or says something: a docstring."""
    if isinstance(statement, n.Assign):
        return all(isinstance(each, n.Name) for each in statement.targets)
    if isinstance(statement, n.ExpressionStatement):
        return isinstance(statement.value, n.Constant)
    return isinstance(statement, n.Return)


def _is_pure(name: str) -> bool:
    """Whether a function is called for nothing but its result."""
    transform = TRANSFORMS.get(name)
    if transform is not None:
        return (
            name.startswith(f"{jax_api.PACKAGE}.")
            and not transform.callees
            and transform.traced != "refs"
        )
    return name in _PURE or name in python_api.MAKES_FUNCTIONS


def _copies(method: Value, receiver: Value) -> bool:
    """Whether a method gives a changed copy of a pytree, and leaves the object as it is.

    One that the program defines may do anything.
    """
    if isinstance(receiver, Instance):
        own = function_under(method)
        return isinstance(method, Method) or (own is not None and is_of_library(own))
    return isinstance(receiver, Tree) and not receiver.container


def _is_array(value: Value) -> bool:
    """Whether it is a JAX array for certain; a list of tracers could not be sorted either."""
    if isinstance(value, Tree):
        return not value.container
    return isinstance(value, Array) and (not value.assumed or value.traced is True)
