"""Statements: one function for each node, named after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted
from jaxlint.tracer.language.classes import define_class
from jaxlint.tracer.language.contexts import with_
from jaxlint.tracer.language.counters import asks_how_far, counted, may_ask_for_last, stepped
from jaxlint.tracer.language.exceptions import goes_on_anyway, never_comes_back, raising_cell, try_
from jaxlint.tracer.language.expressions import ask, is_donated
from jaxlint.tracer.language.functions import decorate, make_function
from jaxlint.tracer.language.loops import for_, is_of_this_pass, while_
from jaxlint.tracer.language.matching import match
from jaxlint.tracer.language.narrowing import narrow, never_in_trace, sizes_taken, unproven
from jaxlint.tracer.language.sorting import leave_open, sorted_by
from jaxlint.tracer.modules import imported, star
from jaxlint.tracer.names import once_more
from jaxlint.tracer.operations.arithmetic import binary, in_place
from jaxlint.tracer.operations.stores import assign, augment_item, bind, delete_item, mutate, store
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Sequence, mutable_kind
from jaxlint.tracer.values.objects import Instance, Qualified
from jaxlint.tracer.values.value import (
    DEFAULT,
    NONE,
    Host,
    Unknown,
    Value,
    is_number,
    replace,
)

# -------------------------------------------------------------------------- simple


def _expression(tracer: Tracer, node: n.ExpressionStatement) -> None:
    value, frame = tracer.evaluate(node.value), tracer.stack.frame
    if isinstance(node.value, n.Call):
        if not node.shown:
            tracer.analyses.on_discard(node.value)
        if type(value) is Unknown and never_comes_back(tracer, node.value):
            frame.stop()


def _assign(tracer: Tracer, node: n.Assign) -> None:
    value = tracer.evaluate(node.value)
    if tracer.stack.frame.stopped:
        return
    if len(node.targets) == 1 and isinstance(value, (Array, NumpyArray)):
        value = _grown(tracer, node.targets[0], node.value, value)
    elif len(node.targets) == 1 and isinstance(node.value, (n.BinaryOperation, n.Call)):
        value = counted(tracer, node.targets[0], node.value, value)
    elif len(node.targets) == 1 and isinstance(node.value, n.Attribute):
        value = sizes_taken(tracer, node.targets[0], node.value, value)
    for target in node.targets:
        assign(tracer, target, value, node)


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
    function = once_more(tracer, call.function)
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
    changed = in_place(tracer, node.operator, old, value, node)
    if changed is not None:
        assign(tracer, target, changed, node)
        return
    if mutable_kind(old) is not None and not _answers(value):
        mutate(tracer, old, f"{node.operator}=", [value], node, target)
        if not isinstance(target, n.Name):
            assign(tracer, target, old, node)
        return
    if isinstance(old, NumpyArray):
        tracer.analyses.on_mutate(old, f"{node.operator}=", [value], node, target)
    result = binary(tracer, node.operator, old, value, node)
    result = stepped(tracer, node.operator, target, (old, value), result)
    if isinstance(result, Unknown) and isinstance(target, n.Attribute) and is_number(value):
        # A counter: what matters of it is that it is no fact of the trace.
        result = Host("float")
    assign(tracer, target, result, node)


def _answers(operand: Value) -> bool:
    """Whether an operand is an array, which Python asks for the result before it asks a list."""
    return isinstance(operand, NumpyArray) or (isinstance(operand, Array) and not operand.assumed)


def _delete(tracer: Tracer, node: n.Delete) -> None:
    for target in node.targets:
        if isinstance(target, n.Subscript):
            if not is_donated(tracer, target.value):  # A key goes; the arrays had gone before.
                delete_item(tracer, target)
        elif isinstance(target, n.Name):
            tracer.trail.drop(tracer.stack.frame.names, target.id)
        elif isinstance(target, n.Attribute):
            owner = tracer.evaluate(target.value)
            if isinstance(owner, Instance):
                tracer.trail.drop(owner.attributes, target.attr)


# --------------------------------------------------------------------------- jumps


def _return(tracer: Tracer, node: n.Return) -> None:
    frame = tracer.stack.frame
    value = tracer.evaluate(node.value) if node.value is not None else NONE
    if type(value) is Unknown and isinstance(node.value, n.Call):
        frame.stopped = frame.stopped or never_comes_back(tracer, node.value)
    if frame.stopped:
        return
    frame.returns.append(value)
    frame.returned = tracer.trail.kept_for == frame.kept_for
    if not frame.returned:
        frame.exits.append(tracer.trail.written(frame.mark))
    frame.stopped = True


def _raise(tracer: Tracer, node: n.Raise) -> None:
    if node.value is not None and _is_type_error(tracer, node.value):
        tracer.raises()
    tracer.stack.frame.stopped = True


def _is_type_error(tracer: Tracer, node: n.Node) -> bool:
    """Whether an expression makes a TypeError."""
    tracer.evaluate(node)
    kind = node.function if isinstance(node, n.Call) else node
    value = tracer.evaluate(kind) if is_dotted(kind) else None
    return isinstance(value, Qualified) and value.name == python_api.TYPE_ERROR


def _jump(tracer: Tracer, node: n.Jump) -> None:
    frame = tracer.stack.frame
    frame.jumps.append((node.kind, tracer.trail.written(frame.loop_mark)))
    frame.stopped = True


def _assert(tracer: Tracer, node: n.Assert) -> None:
    if ask(tracer, node.test, "assert") is not False:
        narrow(tracer, node.test, True)
    elif not goes_on_anyway(tracer):
        tracer.stack.frame.stop()


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
    if tracer.stack.frame.stopped:
        return
    if found is not None:
        narrow(tracer, node.test, found)
        demo, tracer.stack.demo = tracer.stack.demo, tracer.stack.demo or _is_demo(node.test)
        frame, passing = tracer.stack.frame, is_of_this_pass(tracer, node.test)
        frame.conditional += passing
        tracer.execute(node.body if found else node.orelse)
        frame.conditional -= passing
        tracer.stack.demo = demo
        return
    outer = tracer.stack.latent
    about, negative = _asked(tracer, node.test)
    frame, doubt = tracer.stack.frame, unproven(tracer, node.test)
    doubtful, left = frame.doubtful, {True: False, False: False}
    apart = sorted_by(tracer, node)
    with tracer.fork(about) as fork:
        fork.at_last = may_ask_for_last(tracer, node.test)
        for holds, body in ((True, node.body), (False, node.orelse)):
            frame.doubtful = doubtful or doubt is holds
            with fork.arm(holds is not negative):
                muted = never_in_trace(tracer, node.test, holds)
                narrow(tracer, node.test, holds)
                leave_open(tracer, apart)
                tracer.stack.latent = outer or (_needs(tracer, node.test) if holds else "")
                tracer.stack.muted += muted
                tracer.execute(body)
                tracer.stack.muted -= muted
                left[holds] = frame.stopped
    for holds in (True, False):
        if left[not holds] and not left[holds] and never_in_trace(tracer, node.test, holds):
            frame.stop()
    # Where the other arm has left, the rest of the function is this one.
    frame.doubtful = doubtful or (doubt is not None and left[not doubt] and not left[doubt])
    tracer.stack.latent = outer


def _asked(tracer: Tracer, test: n.Node) -> tuple[object, bool]:
    """What a test asks that has the same answer ever after, and whether it negates.

    A flag, or a comparison of a parameter with a constant: a container may be filled in between.
    Of a counter, whether it has passed a number: many passes of its loop give the same answer.
    """
    if asks_how_far(tracer, test):
        return ("how far", id(test)), False
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


def _opaque(tracer: Tracer, node: n.Opaque) -> None:
    if node.reason == n.TOO_DEEP and not tracer.is_elsewhere(node.origin):
        tracer.left_out = tracer.left_out or node


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
    n.Try: try_,
    n.RaisingCell: raising_cell,
    n.With: with_,
    n.Match: match,
    n.FunctionDefinition: _function,
    n.ClassDefinition: _class,
    n.Import: _import,
    n.Opaque: _opaque,
}
