"""What a loop goes over, and whether each thing in it needs a program of its own."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.knowledge.measured import array_methods
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.callables import captured
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.values.objects import Function, Transformed
from jaxlint.tracer.values.value import Unknown, Value


def goes_over_few(loop: Loop) -> bool:
    """Whether a loop goes over a few things that are written out: variants that are compared."""
    return loop.few and _goes_over_things(loop)


def _goes_over_things(loop: Loop) -> bool:
    """Whether a loop goes over something else than numbers."""
    return isinstance(loop.node, n.For) and not _counts(loop.node)


def is_variant(where: n.Node, loop: Loop) -> bool:
    """Whether an object is made of one of a few things that a loop goes over.

    Each is another program, and what is seen of one is not seen of the others.
    """
    names = {name.id for name in walk([where]) if isinstance(name, n.Name)}
    return goes_over_few(loop) and not names.isdisjoint(loop.binds)


def is_for_object(function: Value, loop: Loop) -> bool:
    """Whether what is wrapped calls methods of an object that a loop makes for each thing.

    No argument could stand for it, as one could for a number or an array.
    """
    if isinstance(function, Transformed):
        return is_for_object(function.function, loop)
    if not isinstance(function, Function) or not _goes_over_things(loop):
        return False
    return not loop.binds.isdisjoint(objects(function.code))


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
    if not isinstance(call, n.Call) or not isinstance(node, n.For) or _counts(node):
        return False
    targets = {name.id for name in walk([node.target]) if isinstance(name, n.Name)}
    given = walk([argument.value for argument in call.arguments])
    told = any(isinstance(name, n.Name) and name.id in targets for name in given)
    return told and any(part is call for part in walk(node.body))


def _counts(loop: n.For) -> bool:
    """Whether a loop goes over a range."""
    names = walk([loop.iterable])
    return any(isinstance(name, n.Name) and name.id == "range" for name in names)


def is_told(maker: Frame, loop: Loop) -> bool:
    """Whether the call of a factory depends on what changes in a loop, or may do so."""
    call = maker.called_at
    if not isinstance(call, n.Call) or not any(node is call for node in walk([loop.node])):
        return True
    given = [argument.value for argument in call.arguments]
    names = {name.id for name in walk([call.function, *given]) if isinstance(name, n.Name)}
    return bool(names & loop.binds)


def objects(code: n.Function) -> Iterator[str]:
    """Variables of which a function calls a method that no array has: they hold objects."""
    for call in walk(code.body):
        method = call.function if isinstance(call, n.Call) else None
        if isinstance(method, n.Attribute) and isinstance(method.value, n.Name):
            if method.attr not in array_methods():
                yield method.value.id
