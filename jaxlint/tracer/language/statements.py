"""Statements: one function for each node, named after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from jaxlint.events import BoolConversion
from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted
from jaxlint.tracer.language.classes import define_class
from jaxlint.tracer.language.expressions import ask, evaluate_arguments
from jaxlint.tracer.language.functions import decorate, make_function, run_around
from jaxlint.tracer.language.loops import for_, while_
from jaxlint.tracer.language.narrowing import narrow
from jaxlint.tracer.modules import imported, star
from jaxlint.tracer.operations.arithmetic import binary
from jaxlint.tracer.operations.stores import (
    assign,
    augment_item,
    bind,
    delete_item,
    mutate,
    store,
)
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Ref, refuses_bool
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Sequence, mutable_kind
from jaxlint.tracer.values.objects import BoundMethod, Descriptor, Function, Instance, Qualified
from jaxlint.tracer.values.value import (
    DEFAULT,
    NONE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    type_name,
)

_KEEPS_CHANGING = frozenset({"+", "-", "*", "**", "//", "/"})


# -------------------------------------------------------------------------- simple


def _expression(tracer: Tracer, node: n.ExpressionStatement) -> None:
    tracer.evaluate(node.value)
    if isinstance(node.value, n.Call) and not node.shown:
        tracer.analyses.on_discard(node.value)


def _assign(tracer: Tracer, node: n.Assign) -> None:
    value = tracer.evaluate(node.value)
    if len(node.targets) == 1 and isinstance(value, (Array, NumpyArray)):
        value = _grown(tracer, node.targets[0], node.value, value)
    for target in node.targets:
        assign(tracer, target, value, node)
    target = node.targets[0]
    if isinstance(target, n.Name) and isinstance(node.value, n.Call):
        tracer.analyses.on_assigned(target, node.value)


def _grown(
    tracer: Tracer, target: n.Node, call: n.Node, value: Array | NumpyArray
) -> Array | NumpyArray:
    """``x = jnp.concatenate([x, y])`` in a loop: longer at every iteration."""
    loops = tracer.stack.frame.loops
    if not loops or loops[-1].frame is not tracer.stack.frame or not isinstance(call, n.Call):
        return value
    # Only names are looked at again: calls have had their effects.
    if not isinstance(target, n.Name) or not is_dotted(call.function):
        return value
    if isinstance(tracer.stack.frame.names.get(target.id), Sequence):
        return value  # It was a list of parts, which are put together.
    function = tracer.evaluate(call.function)
    if isinstance(function, Qualified) and function.name in python_api.GROWS:
        parts: list[n.Node] = [item.value for item in call.arguments]
        parts += [e for part in parts if isinstance(part, n.Display) for e in part.elements]
        if any(isinstance(part, n.Name) and part.id == target.id for part in parts):
            aval = Aval(None, value.aval.dtype, value.aval.weak)
            return replace(value, varies=loops[-1].node, aval=aval)
    return value


def _annotated(tracer: Tracer, node: n.AnnotatedAssign) -> None:
    if tracer.stack.frame.scope.kind != "function":
        tracer.analyses.on_annotation(node.annotation)
    if node.value is not None:
        assign(tracer, node.target, tracer.evaluate(node.value), node)


def _augmented(tracer: Tracer, node: n.AugmentedAssign) -> None:
    target = node.target
    value = tracer.evaluate(node.value)
    if isinstance(target, n.Subscript):
        augment_item(tracer, target, node.operator, value)
        return
    old = tracer.evaluate(target)
    if mutable_kind(old) is not None:
        mutate(tracer, old, f"{node.operator}=", [value], node, target)
        if isinstance(target, n.Name):
            return
    if isinstance(old, NumpyArray):
        tracer.analyses.on_mutate(old, f"{node.operator}=", [value], node, target)
    result = binary(tracer, node.operator, old, value, node)
    result = _stepped(tracer, node.operator, old, value, result)
    if isinstance(result, Unknown) and isinstance(target, n.Attribute) and is_number(value):
        # A counter: what matters of it is that it is no fact of the trace.
        result = Host("float")
    assign(tracer, target, result, node)


def _stepped(tracer: Tracer, operator: str, old: Value, operand: Value, result: Value) -> Value:
    """``n += 1`` in a loop of the host: a counter."""
    frame = tracer.stack.frame
    if tracer.stack.level is not None or not frame.loops or frame.loops[-1].frame is not frame:
        return result
    changing = operator in _KEEPS_CHANGING and is_number(old) and is_number(operand)
    if not changing or not isinstance(operand, (Const, Host)):
        return result
    kind = type_name(result)
    return Host(kind if kind in ("int", "float") else "int", varies=frame.loops[-1].node)


def _delete(tracer: Tracer, node: n.Delete) -> None:
    for target in node.targets:
        if isinstance(target, n.Subscript):
            delete_item(tracer, target)
        elif isinstance(target, n.Name):
            tracer.trail.drop(tracer.stack.frame.names, target.id)


# --------------------------------------------------------------------------- jumps


def _return(tracer: Tracer, node: n.Return) -> None:
    frame = tracer.stack.frame
    frame.returns.append(tracer.evaluate(node.value) if node.value is not None else NONE)
    frame.returned = tracer.trail.kept_for == frame.kept_for
    if not frame.returned:
        frame.exits.append(tracer.trail.written(frame.mark))
    frame.stopped = True


def _raise(tracer: Tracer, node: n.Raise) -> None:
    if node.value is not None:
        tracer.evaluate(node.value)
    tracer.stack.frame.stopped = True


def _jump(tracer: Tracer, node: n.Jump) -> None:
    frame = tracer.stack.frame
    frame.jumps.append(tracer.trail.written(frame.loop_mark))
    frame.stopped = True


def _assert(tracer: Tracer, node: n.Assert) -> None:
    if ask(tracer, node.test, "assert") is not False:
        narrow(tracer, node.test, True)


# ------------------------------------------------------------------------ branches


def _if(tracer: Tracer, node: n.If) -> None:
    if node.keyword == "elif":
        _branch(tracer, node)
        return
    outer, tracer.stack.asking = tracer.stack.asking, node
    _branch(tracer, node)
    tracer.stack.asking = outer


def _branch(tracer: Tracer, node: n.If) -> None:
    found = ask(tracer, node.test, node.keyword)
    if found is not None:
        narrow(tracer, node.test, found)
        demo, tracer.stack.demo = tracer.stack.demo, tracer.stack.demo or _is_demo(node.test)
        tracer.execute(node.body if found else node.orelse)
        tracer.stack.demo = demo
        return
    outer = tracer.stack.latent
    about, negative = _asked(tracer, node.test)
    with tracer.fork(about) as fork:
        for holds, body in ((True, node.body), (False, node.orelse)):
            with fork.arm(holds is not negative):
                narrow(tracer, node.test, holds)
                tracer.stack.latent = outer or (_needs(tracer, node.test) if holds else "")
                tracer.execute(body)
    tracer.stack.latent = outer


def _asked(tracer: Tracer, test: n.Node) -> tuple[object, bool]:
    """What a test asks of a parameter that has the same answer ever after, and whether it negates.

    A flag, or a comparison with a constant: a container may be filled in between.
    """
    negative = isinstance(test, n.UnaryOperation) and test.operator == "not"
    symbol = tracer.tested.get(id(test.operand if isinstance(test, n.UnaryOperation) else test))
    if isinstance(symbol, tuple) and symbol[0] == "not":
        negative, symbol = not negative, symbol[1]
    compared = isinstance(symbol, tuple) and symbol[0] in ("==", "is")
    inner = symbol[1] if compared and isinstance(symbol, tuple) else symbol
    function = tracer.stack.frame.function
    if function is not None:
        for parameter in function.code.parameters:
            if inner == (id(function.code), parameter.name) and (compared or _is_flag(parameter)):
                return symbol, negative
    return None, False


def _is_flag(parameter: n.Parameter) -> bool:
    """Whether a parameter holds ``True`` or ``False``, by its annotation or its default."""
    default, kind = parameter.default, parameter.annotation
    stated = isinstance(kind, n.Name) and kind.id == "bool"
    return stated or (isinstance(default, n.Constant) and isinstance(default.value, bool))


def _needs(tracer: Tracer, test: n.Node) -> str:
    """The parameter that a call must pass for a test to hold, where its default is falsy."""
    symbol = tracer.tested.get(id(test))
    if not (isinstance(symbol, tuple) and symbol[0] == DEFAULT):
        return ""
    function = tracer.stack.frame.function
    parameters = function.code.parameters if function is not None else []
    default = next((each.default for each in parameters if each.name == symbol[1]), None)
    falsy = isinstance(default, n.Constant) and not default.value
    return str(symbol[1]) if falsy else ""


def _is_demo(test: n.Node) -> bool:
    """Whether it asks for ``__name__``."""
    left = test.left if isinstance(test, n.Comparison) else None
    return isinstance(left, n.Name) and left.id == "__name__"


def _match(tracer: Tracer, node: n.Match) -> None:
    subject = tracer.evaluate(node.subject)
    exhaustive = False
    with tracer.fork() as fork:
        for case in node.cases:
            if case.pattern.compares and refuses_bool(subject):
                context = tracer.context(case.pattern, node.subject, subject)
                tracer.emit(BoolConversion(context, "match"))
            with fork.arm(case):
                for capture in case.pattern.captures:
                    whole = case.pattern.irrefutable
                    store(tracer, capture, subject if whole else UNKNOWN, case)
                if case.guard is not None:
                    ask(tracer, case.guard, "match")
                    narrow(tracer, case.guard, True)
                tracer.execute(case.body)
            exhaustive = exhaustive or (case.pattern.irrefutable and case.guard is None)
        if not exhaustive:
            with fork.arm(None):
                pass


# ---------------------------------------------------------------------- exceptions


def _try(tracer: Tracer, node: n.Try) -> None:
    frame = tracer.stack.frame
    caught = [_caught(tracer, handler) for handler in node.handlers]
    guards = any(names & python_api.CATCHES_TRACER_ERRORS for names in caught)
    missing = any(names & python_api.CATCHES_MISSING_NAMES for names in caught)
    with tracer.trail.keeping() as mark:
        frame.guards += guards
        frame.api_guards += missing
        with tracer.stack.arm(node, "body"):
            tracer.execute(node.body)
        frame.guards -= guards
        frame.api_guards -= missing
        if node.handlers:
            _after_body(tracer, node, caught, mark)
        elif not frame.stopped:
            tracer.execute(node.orelse)
    if node.final:
        stopped, frame.stopped = frame.stopped, False
        tracer.execute(node.final)
        frame.stopped = frame.stopped or stopped


def _raising_cell(tracer: Tracer, node: n.RaisingCell) -> None:
    """What it does may have happened or not; the cells after it run."""
    stack = tracer.stack
    with tracer.trail.keeping() as mark, stack.arm(node, "body"):
        stack.raising = True
        tracer.execute(node.body)
        stack.raising = stack.frame.stopped = False
        tracer.trail.weaken(mark)


def _after_body(tracer: Tracer, node: n.Try, caught: list[set[str]], mark: int) -> None:
    frame = tracer.stack.frame
    left, frame.stopped = frame.stopped, False
    with tracer.fork() as fork:
        with fork.arm("body"):
            frame.stopped = left
            if not left:
                frame.conditional -= 1
                tracer.execute(node.orelse)
                frame.conditional += 1
        for handler, names in zip(node.handlers, caught, strict=True):
            if names and names <= python_api.CATCHES_IMPORT_ERRORS:
                continue  # Imports are taken to succeed.
            with fork.arm(handler):
                tracer.trail.weaken(mark)
                if handler.name is not None:
                    store(tracer, handler.name, UNKNOWN, handler)
                tracer.execute(handler.body)


def _caught(tracer: Tracer, handler: n.Handler) -> set[str]:
    """Qualified names of the exceptions a handler catches."""
    if handler.type is None:
        return {"builtins.BaseException"}
    value = tracer.evaluate(handler.type)
    if isinstance(value, Sequence) and value.items is not None:
        return {item.name for item in value.items if isinstance(item, Qualified)}
    return {value.name} if isinstance(value, Qualified) else set()


def _with(tracer: Tracer, node: n.With) -> None:
    _enter_from(tracer, node, 0)


def _enter_from(tracer: Tracer, node: n.With, position: int) -> None:
    """Enter the context managers from one on, run the body, and leave them."""
    if position == len(node.items):
        tracer.execute(node.body)
        return
    item = node.items[position]

    def go_on(entered: Value) -> None:
        if item.target is not None:
            assign(tracer, item.target, entered, item)
        _enter_from(tracer, node, position + 1)

    generator = _generator(tracer, item.context)
    if generator is not None:
        function, arguments = generator
        run_around(tracer, function, arguments, item.context, go_on)
        return
    value = tracer.evaluate(item.context)
    with _silenced(tracer, item.context):
        go_on(_enter(tracer, value, item))
    _leave(tracer, value, item)


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
    disabled = stack.jit_disabled
    if name == python_api.DISABLES_JIT:
        stack.jit_disabled = _disables(tracer, context, disabled)
    muted = name in python_api.UNTRACED_CONTEXTS or name in python_api.EXPECTS_ERRORS
    stack.muted += muted
    with tracer.trail.keeping() as mark:
        yield
        if muted and frame.stopped:
            # The exception is swallowed: what follows runs.
            frame.stopped = False
            tracer.trail.weaken(mark)
    stack.muted -= muted
    stack.jit_disabled = disabled


def _enter(tracer: Tracer, value: Value, item: n.WithItem) -> Value:
    method = value.cls.find("__enter__") if isinstance(value, Instance) else None
    if isinstance(method, Function):
        return tracer.call(method, Arguments((value,)), item.context)
    return value if isinstance(value, (Instance, Ref)) else UNKNOWN


def _leave(tracer: Tracer, value: Value, item: n.WithItem) -> None:
    method = value.cls.find("__exit__") if isinstance(value, Instance) else None
    if isinstance(method, Function) and not tracer.stack.frame.stopped:
        tracer.call(method, Arguments((value, NONE, NONE, NONE)), item.context)


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
            return "pytest.raises"
    value = tracer.evaluate(context.function)
    return value.name if isinstance(value, Qualified) else ""


# --------------------------------------------------------------------- definitions


def _function(tracer: Tracer, node: n.FunctionDefinition) -> None:
    for each in node.function.parameters:
        if each.annotation is not None:
            tracer.analyses.on_annotation(each.annotation)
    if node.function.returns is not None:
        tracer.analyses.on_annotation(node.function.returns)
    made = make_function(tracer, node.function)
    store(tracer, node.target, decorate(tracer, made, node.function.decorators), node)


def _class(tracer: Tracer, node: n.ClassDefinition) -> None:
    store(tracer, node.target, define_class(tracer, node), node)


def _import(tracer: Tracer, node: n.Import) -> None:
    tracer.analyses.on_import(node)
    if node.target is not None:
        store(tracer, node.target, imported(tracer, node), node)
        return
    for name, value in star(tracer, node).items():
        bind(tracer, tracer.stack.frame, name, value, node)


def _definition(tracer: Tracer, node: n.Node) -> None:
    """A node that does nothing by itself."""


STATEMENTS: dict[type[n.Node], Callable[[Tracer, Any], None]] = {
    n.ExpressionStatement: _expression,
    n.Assign: _assign,
    n.AnnotatedAssign: _annotated,
    n.AugmentedAssign: _augmented,
    n.Return: _return,
    n.Raise: _raise,
    n.Assert: _assert,
    n.Delete: _delete,
    n.Jump: _jump,
    n.If: _if,
    n.While: while_,
    n.For: for_,
    n.Try: _try,
    n.RaisingCell: _raising_cell,
    n.With: _with,
    n.Match: _match,
    n.FunctionDefinition: _function,
    n.ClassDefinition: _class,
    n.Import: _import,
    n.Opaque: _definition,
}
