"""``with``: context managers of the program, and those of JAX that change what is traced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.knowledge import python_api
from jaxlint.knowledge.processes import CHECKPOINTERS
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted
from jaxlint.tracer.language.expressions import evaluate_arguments
from jaxlint.tracer.language.functions import run_around
from jaxlint.tracer.language.leaving import WayOut
from jaxlint.tracer.operations.stores import assign
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Ref
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import BoundMethod, Descriptor, Function, Instance, Qualified
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Value

_ENTERED_AS_THEMSELVES = CHECKPOINTERS | python_api.ENTERED_AS_THEMSELVES


def with_(tracer: Tracer, node: n.With) -> None:
    """The body, between entering its context managers and leaving them."""
    _enter_from(tracer, node, 0)


def _enter_from(tracer: Tracer, node: n.With, position: int) -> None:
    """Enter the context managers from one on, run the body, and leave them."""
    if position == len(node.items):
        _run_body(tracer, node)
        return
    item = node.items[position]
    way_out = WayOut(tracer)

    def go_on(entered: Value) -> None:
        if item.target is not None:
            assign(tracer, item.target, entered, item)
        _enter_from(tracer, node, position + 1)
        way_out.begins()

    generator = _generator(tracer, item.context)
    if generator is not None:
        function, arguments = generator
        run_around(tracer, function, arguments, item.context, go_on)
        way_out.ends()
        return
    value = tracer.evaluate(item.context)
    tracer.analyses.on_enter(value, item.context)
    with _silenced(tracer, item.context):
        go_on(_enter(tracer, value, item))
    _leave(tracer, value, item)
    way_out.ends()


def _run_body(tracer: Tracer, node: n.With) -> None:
    """Run the body: what must raise an exception does not get to bind what it ends with.

    How far what it calls gets before it raises, nobody knows. What goes before a statement that
    only raises has happened.
    """
    frame = tracer.stack.frame
    names = [_context_name(tracer, item.context) for item in node.items]
    if python_api.EXPECTS_ERRORS.isdisjoint(names):
        tracer.execute(node.body)
        return
    tracer.execute(node.body[:-1])
    reached, last = not frame.stopped, node.body[-1:]
    raises = python_api.RAISES in names
    with tracer.trail.keeping() as mark:
        tracer.execute(last)
        if raises and any(isinstance(statement, n.Assign) for statement in last):
            tracer.trail.undo(mark)
        elif raises:
            tracer.trail.weaken(mark)
    ends = bool(last) and isinstance(last[0], (n.Raise, n.ExpressionStatement))
    if reached and ends:
        frame.stopped = False


def _generator(tracer: Tracer, context: n.Node) -> tuple[Function, Arguments] | None:
    """The generator function behind a context manager of the program, and what it is given."""
    if not isinstance(context, n.Call) or not is_dotted(context.function):
        return None
    manager = tracer.evaluate(context.function)
    receiver: tuple[Value, ...] = ()
    if isinstance(manager, BoundMethod):
        receiver = (manager.receiver,)
        manager = manager.function
    if not isinstance(manager, Descriptor) or manager.kind != "contextmanager":
        return None
    if not isinstance(manager.function, Function):
        return None
    return manager.function, evaluate_arguments(tracer, context).prepend(*receiver)


@contextmanager
def _silenced(tracer: Tracer, context: n.Node) -> Iterator[None]:
    """Run a body as ``jax.disable_jit()``, ``jax.ensure_compile_time_eval()`` and the like do."""
    stack, frame, name = tracer.stack, tracer.stack.frame, _context_name(tracer, context)
    disabled, now = stack.jit_disabled, stack.computes_now
    if name == python_api.DISABLES_JIT:
        stack.jit_disabled = _disables(tracer, context, disabled)
    stack.computes_now = now or name in python_api.UNTRACED_CONTEXTS
    muted = name in python_api.UNTRACED_CONTEXTS or name in python_api.EXPECTS_ERRORS
    if muted:
        stack.muted += 1
        with tracer.trail.keeping() as mark:
            yield
            if frame.stopped:
                # The exception is swallowed: what follows runs.
                frame.stopped = False
                tracer.trail.weaken(mark)
        stack.muted -= 1
    else:
        yield
    stack.jit_disabled, stack.computes_now = disabled, now


def _enter(tracer: Tracer, value: Value, item: n.WithItem) -> Value:
    method = value.cls.find("__enter__") if isinstance(value, Instance) else None
    if isinstance(method, Function):
        return tracer.call(method, Arguments((value,)), item.context)
    own = isinstance(value, External) and value.type in _ENTERED_AS_THEMSELVES
    return value if own or isinstance(value, (Instance, Ref)) else UNKNOWN


def _leave(tracer: Tracer, value: Value, item: n.WithItem) -> None:
    """Leave a context manager, however the body was left: a ``return`` does not get past it."""
    method = value.cls.find("__exit__") if isinstance(value, Instance) else None
    if isinstance(method, Function):
        frame = tracer.stack.frame
        stopped, frame.stopped = frame.stopped, False
        tracer.call(method, Arguments((value, NONE, NONE, NONE)), item.context)
        frame.stopped = stopped


def _disables(tracer: Tracer, context: n.Node, before: bool) -> bool:
    """Whether ``jax.disable_jit(...)`` turns compilation off for certain."""
    arguments = context.arguments if isinstance(context, n.Call) else []
    if not arguments:
        return True
    value = tracer.evaluate(arguments[0].value)
    return bool(value.value) if isinstance(value, Const) else before


def _context_name(tracer: Tracer, context: n.Node) -> str:
    if not isinstance(context, n.Call):
        return ""
    if isinstance(context.function, n.Attribute):
        if context.function.attr in python_api.EXPECTS_ERRORS_METHODS:
            return python_api.RAISES
    value = tracer.evaluate(context.function)
    return value.name if isinstance(value, Qualified) else ""
