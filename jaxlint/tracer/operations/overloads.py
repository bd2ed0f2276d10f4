"""Methods of the program's classes that Python calls on behalf of an operator or a builtin."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Function, Instance
from jaxlint.tracer.values.value import Value

_COMPARES = {
    "==": ("__eq__", "__eq__"),
    "!=": ("__ne__", "__ne__"),
    "<": ("__lt__", "__gt__"),
    "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"),
    ">=": ("__ge__", "__le__"),
}
"""The method of the left operand that compares, and that of the right one where it has none."""

_CHANGES_SIGN = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def overloaded(
    tracer: Tracer, value: Value, name: str, others: tuple[Value, ...], node: n.Node
) -> Value | None:
    """What a method gives of an object whose class has it; None for anything else."""
    method = value.cls.find(name) if isinstance(value, Instance) else None
    if not isinstance(method, Function):
        return None
    return tracer.call(method, Arguments((value, *others)), node)


def compared_by_class(
    tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node
) -> Value | None:
    """``left operator right`` where a class says what that is."""
    if operator not in _COMPARES:
        return None
    own, reflected = _COMPARES[operator]
    found = overloaded(tracer, left, own, (right,), node)
    return found if found is not None else overloaded(tracer, right, reflected, (left,), node)


def negated_by_class(tracer: Tracer, operator: str, operand: Value, node: n.Node) -> Value | None:
    """``-operand``, ``+operand``, ``~operand`` where a class says what that is."""
    name = _CHANGES_SIGN.get(operator, "")
    return overloaded(tracer, operand, name, (), node) if name else None
