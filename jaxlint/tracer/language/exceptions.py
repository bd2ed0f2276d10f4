"""``try``, and cells of notebooks that are meant to raise: what is caught, and what runs then."""

from __future__ import annotations

from operator import or_

from jaxlint.knowledge import exceptions, python_api
from jaxlint.program import nodes as n
from jaxlint.program.endings import handed_on, never_returns
from jaxlint.program.once import once
from jaxlint.program.walk import assigned_names, is_dotted, statements
from jaxlint.tracer.language.leaving import WayOut
from jaxlint.tracer.modules import may_be_missing
from jaxlint.tracer.names import meaning, once_more
from jaxlint.tracer.operations.stores import store
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance, Qualified
from jaxlint.tracer.values.value import UNKNOWN, Value

_DEEPEST = 3
"""Functions that end in calls of each other."""


def try_(tracer: Tracer, node: n.Try) -> None:
    """The body, then what catches its exceptions, as one alternative each."""
    frame, stack = tracer.stack.frame, tracer.stack
    caught = [_caught(tracer, handler) for handler in node.handlers]
    catches = any(names & python_api.CATCHES_TYPE_ERRORS for names in caught)
    guards = tuple(
        handler
        for names, handler in zip(caught, node.handlers, strict=True)
        if names & python_api.CATCHES_TRACER_ERRORS and not _raises(handler)
    )
    missing = any(names & python_api.CATCHES_MISSING_NAMES for names in caught)
    unbound = any(names & python_api.CATCHES_UNBOUND_AXES for names in caught)
    way_out = WayOut(tracer)
    with tracer.trail.keeping() as mark:
        around, frame.guards = frame.guards, (*frame.guards, *guards)
        frame.api_guards += missing
        frame.axis_guards += unbound
        stack.catching += catches
        with stack.arm(node, "body"), stack.expecting(_expected(tracer, node, caught)):
            tracer.execute(node.body)
        stack.catching -= catches
        frame.guards = around
        frame.api_guards -= missing
        frame.axis_guards -= unbound
        if node.handlers:
            _after_body(tracer, node, caught, mark)
        elif not frame.stopped:
            tracer.execute(node.orelse)
    if node.final:
        way_out.begins()
        stopped, frame.stopped = frame.stopped, False
        tracer.execute(node.final)
        frame.stopped = frame.stopped or stopped
        way_out.ends()


def _expected(tracer: Tracer, node: n.Try, caught: list[set[str]]) -> frozenset[str]:
    """What may be raised in the functions that the body calls, and is meant to be caught here.

    Whoever only shows it, or ends the program or the test, says that it went wrong.
    """
    if node.exhibits:
        return exceptions.ANYTHING
    handlers = zip(caught, node.handlers, strict=True)
    meant = [names for names, handler in handlers if _stands_in(node, handler)]
    return exceptions.expected(set().union(*meant))


def _stands_in(node: n.Try, handler: n.Handler) -> bool:
    """Whether a handler gives what the body would have given: returns something, or binds it.

    Or goes on with the next of what a loop tries, where the body leaves that.
    """
    tried = [*node.body, *node.orelse]
    if _raises(handler):
        return False
    if _leaves_by(tried, "break") and _leaves_by(handler.body, "continue"):
        return True
    return not assigned_names(tried).isdisjoint(assigned_names(handler.body))


def _leaves_by(body: list[n.Node], jump: str) -> bool:
    """Whether statements return somewhere, or jump that way."""
    return any(
        isinstance(each, n.Return) or (isinstance(each, n.Jump) and each.kind == jump)
        for each in statements(body)
    )


def _raises(handler: n.Handler) -> bool:
    """Whether an exception that it catches becomes another, or the same again."""
    return bool(handler.body) and isinstance(handler.body[-1], n.Raise)


def raising_cell(tracer: Tracer, node: n.RaisingCell) -> None:
    """What it does may have happened or not; the cells after it run."""
    stack = tracer.stack
    with tracer.trail.keeping() as mark, stack.arm(node, "body"):
        with stack.expecting(exceptions.ANYTHING):
            tracer.execute(node.body)
        stack.frame.stopped = False
        tracer.trail.weaken(mark)


def goes_on_anyway(tracer: Tracer) -> bool:
    """Whether what raises here stops nothing: a notebook goes on with the next cell."""
    return tracer.settings.in_cells and tracer.stack.frame.parent is None


def never_comes_back(tracer: Tracer, call: n.Call) -> bool:
    """Whether a call only raises, or ends the program.

    Not that of a method which a class below may define anew.
    """
    if not is_dotted(call.function) or goes_on_anyway(tracer):
        return False
    function = once_more(tracer, call.function)
    if isinstance(function, BoundMethod):
        receiver, function = function.receiver, function.function
        if not isinstance(receiver, Instance) or receiver.heir:
            return False
    return _never_returns(tracer, function)


def _never_returns(tracer: Tracer, function: Value, depth: int = _DEEPEST) -> bool:
    if isinstance(function, Qualified):
        return function.name in python_api.NEVER_RETURN
    if not isinstance(function, Function):
        return False
    if once(never_returns, function.code):
        return True
    call = once(handed_on, function.code)
    if call is None or not depth:
        return False
    return _never_returns(tracer, meaning(tracer, call.function, function.frame), depth - 1)


def _after_body(tracer: Tracer, node: n.Try, caught: list[set[str]], mark: int) -> None:
    frame = tracer.stack.frame
    left, frame.stopped = frame.stopped, False
    raised, frame.raised = frame.raised, False
    imports = [each for each in node.body if isinstance(each, n.Import)]
    there = imports != [] and not any(may_be_missing(tracer, each) for each in imports)
    alone = there and _only_imports(node.body)
    with tracer.fork() as fork:
        with fork.arm("body"):
            frame.stopped = left
            if not left:
                frame.conditional -= 1
                tracer.execute(node.orelse)
                frame.conditional += 1
        for handler, names in zip(node.handlers, caught, strict=True):
            if alone or (there and names and names <= python_api.CATCHES_IMPORT_ERRORS):
                continue  # Imports of what is there are taken to succeed.
            if raised and not _may_catch(names):
                continue
            # What does without a name is for the releases that lack it.
            without = bool(names & python_api.FOR_OTHER_RELEASES)
            with fork.arm(handler):
                tracer.trail.weaken(mark)
                if handler.name is not None:
                    store(tracer, handler.name, UNKNOWN, handler)
                frame.api_guards += without
                tracer.execute(handler.body)
                frame.api_guards -= without


def _may_catch(names: set[str]) -> bool:
    """Whether a handler may be for a TypeError: of JAX's own, too, or of a class out of view."""
    return not names or bool(names & (python_api.CATCHES_TRACER_ERRORS - {"builtins.ValueError"}))


def _only_imports(body: list[n.Node]) -> bool:
    """Whether nothing but an import can fail: ``import jax``, ``HAS_JAX = True``."""
    imports = [isinstance(statement, n.Import) for statement in body]
    flags = [
        isinstance(statement, n.Assign) and isinstance(statement.value, n.Constant)
        for statement in body
    ]
    return any(imports) and all(map(or_, imports, flags))


def _caught(tracer: Tracer, handler: n.Handler) -> set[str]:
    """Qualified names of the exceptions a handler catches."""
    if handler.type is None:
        return {"builtins.BaseException"}
    value = tracer.evaluate(handler.type)
    if isinstance(value, Sequence) and value.items is not None:
        return {item.name for item in value.items if isinstance(item, Qualified)}
    return {value.name} if isinstance(value, Qualified) else set()
