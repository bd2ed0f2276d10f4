"""Loops of the host around what is made and called: whether it is made, or called, each time."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.knowledge.measured import array_methods
from jaxlint.program import nodes as n
from jaxlint.program.branches import branches_for_good, set_inside
from jaxlint.program.once import once
from jaxlint.program.walk import assigned_names, walk
from jaxlint.tracer.callables import captured
from jaxlint.tracer.state.frames import Frame, Loop, Moment
from jaxlint.tracer.values.objects import BoundMethod, Function, Transformed
from jaxlint.tracer.values.value import Unknown, Value

_BY_POSITION = frozenset({"positional_only", "positional"})


def goes_on(frame: Frame) -> Loop | None:
    """The innermost loop that is not over in a few iterations, which are few compilations."""
    return next((loop for loop in reversed(frame.loops) if not loop.brief), None)


def put_away(loop: n.Node) -> frozenset[int]:
    """The expressions whose values the body of a loop names and puts away, beside calling them.

    Wrappers among them are made for each thing that the loop goes over, for later.
    """
    body = list(walk(loop.body)) if isinstance(loop, (n.For, n.While)) else []
    assigned = [each for each in body if isinstance(each, n.Assign)]
    apart = {id(call.function) for call in body if isinstance(call, n.Call)}
    apart |= {id(target) for each in assigned for target in each.targets}
    named = {each.id for each in body if isinstance(each, n.Name) and id(each) not in apart}
    return frozenset(
        id(each.value)
        for each in assigned
        if any(isinstance(target, n.Name) and target.id in named for target in each.targets)
    )


def goes_over_few(loop: Loop) -> bool:
    """Whether a loop goes over a few things that are written out: variants that are compared."""
    return loop.few and goes_over_things(loop)


def goes_over_things(loop: Loop) -> bool:
    """Whether a loop goes over something else than numbers."""
    node = loop.node
    if isinstance(node, n.Comprehension):
        return not any(map(counts, node.clauses))
    return isinstance(node, n.For) and not counts(node)


def is_variant(where: n.Node, loop: Loop) -> bool:
    """Whether an object is made of one of a few things that a loop goes over.

    Each is another program, and what is seen of one is not seen of the others.
    """
    return goes_over_few(loop) and not names_of(where).isdisjoint(loop.binds)


def is_for_object(function: Value, loop: Loop) -> bool:
    """Whether what is wrapped calls methods of an object that a loop makes for each thing.

    Or is such a method. No argument could stand for it, as one could for a number or an array.
    """
    if isinstance(function, Transformed):
        return is_for_object(function.function, loop)
    if not goes_over_things(loop):
        return False
    if isinstance(function, BoundMethod):
        bound = (loop.frame.names.get(name) for name in loop.binds)
        return any(value is function.receiver for value in bound)
    if not isinstance(function, Function):
        return False
    return not loop.binds.isdisjoint(objects_in(function.code))


def is_another_program(value: Value, loop: Loop) -> bool:
    """Whether a function closes over what nobody knows, and what a loop binds anew.

    That may be another function or option in each iteration: nothing made once would do.
    """
    return isinstance(value, Function) and any(
        isinstance(holder.names[name], Unknown)
        and (name in loop.binds if holder is loop.frame else loop in holder.loops)
        for name, holder in captured(value)
    )


def is_made_for(maker: Frame, loop: Loop) -> bool:
    """Whether a factory makes a function for one of the things that a loop goes over.

    It is another program for each. Numbers that a loop counts could be arguments.
    """
    call, node = maker.called_at, loop.node
    if not isinstance(call, n.Call) or not isinstance(node, n.For) or counts(node):
        return False
    targets = names_of(node.target)
    given = walk([argument.value for argument in call.arguments])
    told = any(isinstance(name, n.Name) and name.id in targets for name in given)
    return told and any(part is call for part in walk(node.body))


def counts(loop: n.For | n.Clause) -> bool:
    """Whether a loop goes over a range."""
    names = walk([loop.iterable])
    return any(isinstance(name, n.Name) and name.id == "range" for name in names)


def is_told(maker: Frame, loop: Loop) -> bool:
    """Whether the call of a factory depends on what changes in a loop, or may do so.

    The loop may call it by way of other functions, which hand on what they are given.
    """
    inside = {id(node) for node in walk([loop.node])}
    calls = maker.chain
    while calls and id(calls[0].node) not in inside:
        calls = calls[1:]
    told: frozenset[str] = loop.binds
    for call, opened in zip(calls, [*(each.frame for each in calls[1:]), maker], strict=True):
        if not isinstance(call.node, n.Call) or not told.isdisjoint(names_of(call.node.function)):
            return True
        if opened is maker:
            return any(not told.isdisjoint(names_of(each.value)) for each in call.node.arguments)
        if opened.function is None:
            return True
        told = _told_inside(opened.function, call.node, told)
    return True


def _told_inside(function: Function, call: n.Call, told: frozenset[str]) -> frozenset[str]:
    """The variables of a function that depend on what a call of it is told, or may do so."""
    code, given = function.code, call.arguments
    names = [each.name for each in code.parameters if each.kind in _BY_POSITION]
    if function.owner is not None:
        names = names[1:]
    ordered = [each for each in given if each.keyword is None]
    hidden = any(each.star for each in given) or len(ordered) > len(names)
    if hidden or (function.owner is not None and code.decorators):
        return frozenset(code.scope.bound)
    taken = {*zip(names, ordered, strict=False), *((each.keyword, each) for each in given)}
    changing = {name for name, each in taken if name and not told.isdisjoint(names_of(each.value))}
    parameters = {each.name for each in code.parameters}
    own = (code.scope.bound - parameters) | assigned_names(code.body)
    return frozenset(own | changing)


def what_changes(frame: Frame, loop: Loop | None) -> frozenset[str]:
    """The parameters, of unknown values, that a call in a loop gives what the loop changes."""
    call = frame.called_at
    if loop is None or frame.function is None or not isinstance(call, n.Call):
        return frozenset()
    changing = loop.binds
    names = [each.name for each in frame.function.code.parameters]
    given = zip(names, (each for each in call.arguments if each.keyword is None), strict=False)
    named = ((each.keyword, each) for each in call.arguments if each.keyword is not None)
    return frozenset(
        name
        for name, argument in (*given, *named)
        if not changing.isdisjoint(names_of(argument.value))
        if isinstance(frame.names.get(name), Unknown)
    )


def names_of(node: n.Node) -> set[str]:
    """The names in an expression."""
    return {name.id for name in walk([node]) if isinstance(name, n.Name)}


def objects_in(code: n.Function) -> Iterator[str]:
    """Variables of which a function calls a method that no array has: they hold objects."""
    for call in walk(code.body):
        method = call.function if isinstance(call, n.Call) else None
        if isinstance(method, n.Attribute) and isinstance(method.value, n.Name):
            if method.attr not in array_methods():
                yield method.value.id


def called_in(code: n.Function) -> Iterator[str]:
    """Variables that a function calls: they hold functions."""
    for call in walk(code.body):
        if isinstance(call, n.Call) and isinstance(call.function, n.Name):
            yield call.function.id


def lies_within(holder: Frame | None, frame: Frame) -> bool:
    """Whether a frame is another one, or was opened inside of it."""
    while holder is not None and holder is not frame:
        holder = holder.parent
    return holder is frame


def innermost_shared(moment: Moment, frame: Frame) -> Loop | None:
    """The innermost running loop in which something was made, and may be made again."""
    for loop in reversed(moment.loops):
        if loop in frame.loops and loop.elements != 1:
            return loop
    return None


def made_each_time(moment: Moment, loop: Loop, node: n.Node | None = None) -> bool:
    """Whether the making, at ``node``, does not hang on a branch that some iterations may skip.

    Those before the first that does not are of no account. A function called under a condition
    still makes it at each of its calls.
    """
    if same_function(loop.frame, moment.frame):
        around = moment.conditional - loop.conditional
        if around and node is not None and isinstance(loop.node, n.For | n.While):
            return branches_for_good(node, loop.node, _set_by_others(loop.frame)) == around
        return not around
    return moment.conditional == moment.frame.entered


def _set_by_others(frame: Frame) -> frozenset[str]:
    """The variables of a function, or of the module, that functions inside of it may set."""
    if frame.function is None:
        return frozenset(frame.scope.captured)
    return once(set_inside, frame.function.code).union(frame.scope.outer)


def same_function(one: Frame, other: Frame) -> bool:
    """Whether two frames belong to one call of a function, or to the module."""
    return function_frame(one) is function_frame(other)


def function_frame(frame: Frame) -> Frame:
    """The frame of the function that a comprehension stands in."""
    while frame.scope.kind == "comprehension" and frame.parent is not None:
        frame = frame.parent
    return frame
