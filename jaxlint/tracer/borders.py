"""Values that cross the border between the program and what stands in for a library.

The program does not see the code on the other side: why a value is traced is told as the
function of the library that does it, and where the program calls that.
"""

from __future__ import annotations

from jaxlint.events import Reason, Site
from jaxlint.knowledge.stand_ins import is_stand_in
from jaxlint.program import nodes as n
from jaxlint.program.spots import Spot
from jaxlint.tracer.state.stack import Stack
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.objects import Function
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.value import Value, replace


def lies_in_library(origin: object) -> bool:
    """Whether an origin lies in what stands in for a library."""
    return type(origin) is Spot and is_stand_in(origin.source)


def is_of_library(function: Function) -> bool:
    """Whether a function stands in for one of a library."""
    return bool(function.frame.globals.library)


def name_in_library(function: Function) -> str:
    """The qualified name of what stands in for a function of a library."""
    owner = f"{function.owner.name}." if function.owner is not None else ""
    return f"{function.frame.globals.library}.{owner}{function.code.name}"


def is_called_by_library(stack: Stack, function: Function) -> bool:
    """Whether a library calls a function of the program here."""
    return bool(stack.frame.globals.library) and not is_of_library(function)


def calls_library(stack: Stack, function: Function) -> bool:
    """Whether the program calls a function of a library here."""
    return is_of_library(function) and not stack.frame.globals.library


def entering_program(
    stack: Stack, function: Function, parameter: n.Parameter, value: Value
) -> Value:
    """An argument that a library passes to a function of the program."""
    level = stack.level
    if level is None:
        return value
    if level.wrapped:
        level.function = function.code.name
    reason = Reason(
        "parameter", parameter.name, Site(parameter.origin), level.function, level.name, level.site
    )
    return map_leaves(value, lambda leaf: _for_reason(leaf, reason))


def leaving_library(stack: Stack, value: Value, name: str, node: n.Node) -> Value:
    """What a call of a library's function gives back, called at ``node``."""
    level = stack.level
    if level is None:
        return value
    reason = Reason("result", name, Site(node.origin), level.function, level.name, level.site)
    return map_leaves(value, lambda leaf: _for_reason(leaf, reason))


def _for_reason(leaf: Value, instead: Reason) -> Value:
    """A leaf without the links of its reason that lie in a library; ``instead`` of them all."""
    if not isinstance(leaf, (Array, Tree)) or leaf.reason is None:
        return leaf
    reason: Reason | None = leaf.reason
    while reason is not None and lies_in_library(reason.site.origin):
        reason = reason.parent
    return leaf if reason is leaf.reason else replace(leaf, reason=reason or instead)
