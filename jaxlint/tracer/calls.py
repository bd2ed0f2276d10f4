"""``function(*arguments)``, by the kind of value that is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jaxlint.knowledge import python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.tracer.borders import calls_library, leaving_library, name_in_library
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.following import (
    errand,
    goes_away,
    is_followed,
    is_new,
    is_question,
    note_cost,
    note_handed,
    note_result,
    traced_for,
)
from jaxlint.tracer.language.classes import instantiate
from jaxlint.tracer.language.functions import invoke
from jaxlint.tracer.language.placing import called_unbound
from jaxlint.tracer.models.dispatching import chosen
from jaxlint.tracer.models.external import call_external, call_object, call_stateful
from jaxlint.tracer.models.keys import use_by_method
from jaxlint.tracer.models.methods import call_method
from jaxlint.tracer.models.modules import set_up
from jaxlint.tracer.models.patches import replace_by_method
from jaxlint.tracer.models.raising import must_raise
from jaxlint.tracer.operations.forgetting import (
    forget,
    forget_given,
)
from jaxlint.tracer.operations.misuse import misused_call
from jaxlint.tracer.operations.parts import forget_parts
from jaxlint.tracer.operations.truth import agrees, knowing
from jaxlint.tracer.state.arguments import Arguments, called_as
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import apply
from jaxlint.tracer.transforms.axes_checks import lacks_axes, other_axes
from jaxlint.tracer.values import arrays, containers, externals, objects
from jaxlint.tracer.values.joins import chosen_where
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Method,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.value import UNKNOWN, Clock, Const, Host, Unknown, Value, replace


def _function(tracer: Tracer, function: Function, arguments: Arguments, node: n.Node) -> Value:
    if calls_library(tracer.stack, function):
        tracer.analyses.on_call(name_in_library(function), arguments, node)
        with _in_library(tracer):
            result = invoke(tracer, function, arguments, node)
        return leaving_library(tracer.stack, result, called_as(node), node)
    if tracer.stack.frame.globals.library and not function.frame.globals.library:
        with tracer.paying(tracer.away.called_library):
            return _in_project(tracer, function, arguments, node)
    return _in_project(tracer, function, arguments, node)


@contextmanager
def _in_library(tracer: Tracer) -> Iterator[None]:
    """Run what stands in for a library: its steps are on no share of the file."""
    away = tracer.away
    outer, away.called_library = away.called_library, away.payer
    try:
        with tracer.paying(None):
            yield
    finally:
        away.called_library = outer


def _in_project(tracer: Tracer, function: Function, arguments: Arguments, node: n.Node) -> Value:
    """A function of this file, or of another one."""
    if not goes_away(tracer, function):
        return invoke(tracer, function, arguments, node)
    given = arguments.all()
    note_handed(tracer, function, given)
    what_for = errand(tracer, function, given)
    here = tracer.stack.frame.globals is tracer.stack.globals
    new = is_new(tracer, function, given) if here else tracer.away.new
    if not is_followed(tracer, what_for, new) and not once(is_question, function.code):
        return _left_alone(tracer, function, arguments, node)
    if not here:
        return invoke(tracer, function, arguments, node)
    left = tracer.steps - tracer.away.given
    with tracer.going_away(what_for, new):
        result = invoke(tracer, function, arguments, node)
    note_cost(tracer, function, given, left - (tracer.steps - tracer.away.given))
    note_result(tracer, function, result)
    return result


def _transformed(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> Value:
    if not agrees(tracer, function.facts):
        return _unseen(tracer, function, arguments, node)  # It is not there: something else is.
    inner = function_under(function)
    if inner is None or not goes_away(tracer, inner):
        return apply(tracer, function, arguments, node)
    what_for = traced_for(tracer, function, inner, arguments.all())
    if what_for is not None:
        with tracer.away.going_on(what_for):
            return apply(tracer, function, arguments, node)
    tracer.analyses.on_apply(function, arguments, node)
    return _left_alone(tracer, function, arguments, node)


def _left_alone(tracer: Tracer, function: Value, arguments: Arguments, node: n.Node) -> Value:
    """A call in another module that is not run: what it does to objects is unknown."""
    forget_given(tracer, function_under(function), arguments)
    return _unseen(tracer, function, arguments, node)


def _bound(tracer: Tracer, function: BoundMethod, arguments: Arguments, node: n.Node) -> Value:
    return tracer.call(function.function, arguments.prepend(function.receiver), node)


def _partial(tracer: Tracer, function: Partial, arguments: Arguments, node: n.Node) -> Value:
    kwargs = {**function.kwargs, **arguments.kwargs}
    whole = replace(arguments, args=(*function.args, *arguments.args), kwargs=kwargs)
    return tracer.call(function.function, whole, node)


def _descriptor(tracer: Tracer, function: Descriptor, arguments: Arguments, node: n.Node) -> Value:
    if function.kind == "contextmanager":
        return UNKNOWN  # It runs around the body of a `with` statement.
    if function.cell is None:
        return tracer.call(function.function, arguments, node)
    implementation = chosen(tracer, function, arguments)
    if implementation is None:
        return _unseen(tracer, function, arguments, node)
    return tracer.call(implementation, arguments, node)


def _instance(tracer: Tracer, function: Instance, arguments: Arguments, node: n.Node) -> Value:
    method = function.cls.find("__call__")
    # An instance as `__call__` may be an instance of this very class.
    if method is not None and not isinstance(method, Instance):
        if called_unbound(tracer, function, node):
            return UNKNOWN
        receiver: Value = set_up(tracer, function, node)
        if isinstance(method, Descriptor) and method.kind == "staticmethod":
            return tracer.call(method, arguments, node)
        if isinstance(method, Descriptor) and method.kind == "classmethod":
            receiver = function.cls
        return tracer.call(method, arguments.prepend(receiver), node)
    return _unseen(tracer, function, arguments, node)


def _choice(tracer: Tracer, function: Choice, arguments: Arguments, node: n.Node) -> Value:
    """Each from the same state, as the branches of an ``if`` are run.

    What one function of JAX refuses may be meant for another; a mapped function that names axes
    for another number of arguments is not the one that gets these. Nor is one that maps more axes
    than they have: a loop wraps a function as often as there are axes, or not at all.
    """
    results: list[Value] = []
    stack = tracer.stack
    possible = function.possible(tracer.facts)
    possible = [each for each in possible if _fits(each[0], arguments)] or possible
    with tracer.fork() as fork:
        for option, when in possible:
            outside = _too_deep(option, arguments) or _of_a_library(option)
            with fork.arm(option), knowing(tracer, dict(when)):
                stack.muted += outside
                results.append(tracer.call(option, arguments, node))
                stack.muted -= outside
    return chosen_where(results, [when for _, when in possible])


def _fits(option: Value, arguments: Arguments) -> bool:
    if _too_deep(option, arguments):
        return False
    return not isinstance(option, Transformed) or other_axes(option, arguments) is None


def _too_deep(option: Value, arguments: Arguments) -> bool:
    return isinstance(option, Transformed) and lacks_axes(option, arguments)


def _of_a_library(option: Value) -> bool:
    return isinstance(option, Qualified) and option.name not in TRANSFORMS


def _unknown(tracer: Tracer, function: Unknown, arguments: Arguments, node: n.Node) -> Value:
    called = node.function if isinstance(node, n.Call) else None
    if isinstance(called, n.Attribute):
        if called.attr in python_api.EXPECTS_ERRORS_METHODS:
            return must_raise(tracer, called.attr, arguments, node)
        if called.attr in python_api.CHANGES_CONTAINERS:
            forget_parts(tracer, function, called.value)
        replace_by_method(tracer, called, arguments)
    return _unseen(tracer, function, arguments, node)


def _unseen(tracer: Tracer, function: Value, arguments: Arguments, node: n.Node) -> Value:
    """Code out of view may wait for what it is given, or for anything."""
    use_by_method(tracer, arguments, node)
    tracer.analyses.on_wait(None, node, "")
    given = arguments.all()
    forget(tracer, given)
    return tracer.unseen(function, *given)


def _no_function(tracer: Tracer, function: Value, arguments: Arguments, node: n.Node) -> Value:
    """What can only be called by mistake."""
    if misused_call(tracer, function, node):
        return UNKNOWN
    return _unseen(tracer, function, arguments, node)


CALLS: dict[type[Value], Callable[[Tracer, Any, Arguments, n.Node], Value]] = {
    Unknown: _unknown,
    Const: _no_function,
    Host: _no_function,
    Clock: _unseen,
    arrays.Array: _no_function,
    arrays.Tree: _unseen,
    arrays.NumpyArray: _unseen,
    arrays.Ref: _unseen,
    arrays.AtProperty: _no_function,
    arrays.Bounds: _unseen,
    arrays.Donated: _unseen,
    containers.Contents: _unseen,
    containers.Entries: _unseen,
    containers.Sequence: _no_function,
    containers.Mapping: _unseen,
    objects.Traits: _unseen,
    Class: instantiate,
    Instance: _instance,
    Function: _function,
    BoundMethod: _bound,
    Partial: _partial,
    Transformed: _transformed,
    Qualified: call_external,
    objects.Imported: _unseen,
    objects.Module: _unseen,
    externals.External: call_object,
    externals.Stateful: call_stateful,
    Descriptor: _descriptor,
    objects.Super: _unseen,
    Choice: _choice,
    Method: call_method,
}
