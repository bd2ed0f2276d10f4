"""Methods of strings."""

from __future__ import annotations

import string

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.conversions import number
from jaxlint.tracer.operations.types import answer, modules_named, names_tracer
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence, contents_of, sequence, tuple_of
from jaxlint.tracer.values.value import LIKELY, Const, Host, Unknown, Value

_GIVES_STRINGS = frozenset(
    ["format", "join", "strip", "lstrip", "rstrip", "lower", "upper", "replace", "title",
     "capitalize", "zfill", "ljust", "rjust"]
)  # fmt: skip


def string_method(
    tracer: Tracer, receiver: Const | Host, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """What a method of a string gives, or of another value of Python with methods like it."""
    if name == "format" and isinstance(receiver, Const) and isinstance(receiver.value, str):
        _format_fields(tracer, receiver.value, arguments, node)
    if arguments.args and names_tracer(receiver, arguments.args[0]):
        return Unknown(symbol=(LIKELY, id(node)))
    found = _of_constant(tracer, receiver, name, arguments)
    found = found or _of_module(tracer, receiver, name, arguments, node)
    if found is not None:
        return found
    return Host("str") if name in _GIVES_STRINGS else Host("object")


def _of_module(
    tracer: Tracer, receiver: Const | Host, name: str, arguments: Arguments, node: n.Node
) -> Value | None:
    """What a method gives of the name of the module that the type of an array comes from."""
    modules, certain = modules_named(receiver)
    each = [_of_constant(tracer, Const(module), name, arguments) for module in modules]
    found = {one.value if isinstance(one, Const) else None for one in each}
    only = found.pop() if len(found) == 1 else None
    return answer(only, certain, node) if isinstance(only, bool) else None


def _of_constant(
    tracer: Tracer, receiver: Const | Host, name: str, arguments: Arguments
) -> Value | None:
    """What a method gives of a string in view; None where that, or an argument, is not."""
    given = [_plain(each) for each in arguments.args]
    if name not in python_api.STRING_ANSWERS or None in given or arguments.kwargs:
        return None
    if not arguments.closed or not isinstance(receiver, Const):
        return None
    try:
        found = getattr(receiver.value, name)(*given)
    except (AttributeError, TypeError, ValueError):
        return None
    if isinstance(found, list):
        return sequence("list", contents_of(map(Const, found)), tracer.stack.moment())
    return tuple_of(map(Const, found)) if isinstance(found, tuple) else Const(found)


def _plain(value: Value) -> object:
    """A constant, or a tuple or list of them, as Python has it; None for anything else."""
    if isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items is not None:
        items = [_plain(item) for item in value.items]
        return None if None in items else tuple(items)
    return value.value if isinstance(value, Const) else None


def _format_fields(tracer: Tracer, text: str, arguments: Arguments, node: n.Node) -> None:
    """``"{:.2f}".format(value)``: a format spec asks for a Python number."""
    try:
        fields = [field for field in string.Formatter().parse(text) if field[1] is not None]
    except ValueError:
        return
    for position, (_, name, spec, conversion) in enumerate(fields):
        if spec and not conversion:
            key = name or str(position)
            value = arguments.get(int(key)) if key.isdigit() else arguments.kwargs.get(key)
            if value is not None:
                number(tracer, value, node, "format spec")
