"""Values that a test sorts: what nobody in view can tell of each, the test tells."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import Value

_PUTS = frozenset({"append", "add"})

_DEEPEST = 3
"""Tests in an arm, ``elif`` among them, that are looked into."""

_Names = dict[str, Value]


def sorted_by(tracer: Tracer, node: n.If) -> _Names:
    """What both arms of a test put into containers of their own: which one says what it is.

    ``if i in static: fixed.append(value)``, ``else: traced.append(value)``.
    """
    if not node.orelse:
        return {}
    (yes, into), (no, other) = map(_put, (node.body, node.orelse))
    return _held(tracer, yes & no) if not into & other else {}


def selected_by(tracer: Tracer, target: n.Node, test: n.Node) -> _Names:
    """What a comprehension takes along with a place that lies in a container that nobody knows.

    ``[value for i, value in enumerate(values) if i in static]``.
    """
    if not isinstance(test, n.Comparison) or test.operators != ["in"]:
        return {}
    asked = test.left.id if isinstance(test.left, n.Name) else ""
    names = {each.id for each in walk([target]) if isinstance(each, n.Name)}
    return _held(tracer, names - {asked}) if asked in names else {}


def leave_open(tracer: Tracer, names: _Names) -> None:
    """Nobody knows whether a value that a test has sorted is an array, if nothing is told of it."""
    frame = tracer.stack.frame
    for name, value in names.items():
        if frame.names.get(name) is value:
            tracer.trail.refine(frame.names, name, tracer.unseen(value))


def _held(tracer: Tracer, names: set[str]) -> _Names:
    """Those of the names that hold arrays."""
    held = tracer.stack.frame.names
    return {name: held[name] for name in sorted(names) if name in held and _is_array(held[name])}


def _is_array(value: Value) -> bool:
    return isinstance(value, Array) or bool(tracers(value))


def _put(body: list[n.Node]) -> tuple[set[str], set[str]]:
    """The names that an arm puts into containers, and the containers' names."""
    pairs = list(_pairs(body))
    return {name for name, _ in pairs}, {container for _, container in pairs}


def _pairs(body: list[n.Node], depth: int = _DEEPEST) -> Iterator[tuple[str, str]]:
    for each in body:
        if isinstance(each, n.If) and depth:
            yield from _pairs([*each.body, *each.orelse], depth - 1)
        call = each.value if isinstance(each, n.ExpressionStatement) else None
        if not isinstance(call, n.Call) or not isinstance(call.function, n.Attribute):
            continue
        container, given = call.function.value, [item.value for item in call.arguments]
        if call.function.attr in _PUTS and isinstance(container, n.Name):
            yield from ((each.id, container.id) for each in given if isinstance(each, n.Name))
