"""What is no array, given to a function of JAX that takes arrays."""

from __future__ import annotations

from jaxlint.events import ListArgument, RefusedArgument
from jaxlint.knowledge.foreign import IN_LISTS, Foreign, refuses
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Given
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.functions import is_function
from jaxlint.tracer.values.value import Const, Value, is_string

_WORDS: dict[Foreign, str] = {
    "None": "None",
    "string": "a string",
    "dict": "a dict",
    "function": "a function",
    "list": "a list",
}


def refuses_foreign(tracer: Tracer, name: str, given: list[Given], node: n.Node) -> bool:
    """Whether an argument is no array where one is wanted, for certain; the event is recorded.

    None is believed in what the program runs alone: elsewhere it stands for what is set later, or
    passed by somebody out of view.
    """
    if tracer.stack.in_branch():
        return False
    for item in given:
        inside = _list_in(item.value)
        if inside is not None and refuses(name, item.parameter + IN_LISTS, "list"):
            tracer.emit(ListArgument(tracer.context(node, item.node), name, inside.kind, True))
            return True
        what = _refused(name, item)
        if what and (tracer.stack.frame.certain or not what.endswith(_WORDS["None"])):
            context = tracer.context(node, item.node)
            tracer.emit(RefusedArgument(context, name, what, "array"))
            return True
    return False


def _refused(name: str, item: Given) -> str:
    """What an argument is, or holds, that the function does not take; empty for nothing."""
    kind = _kind(item.value)
    if kind is not None:
        return f"is {_WORDS[kind]}" if refuses(name, item.parameter, kind) else ""
    if isinstance(item.value, Sequence) and item.value.kind in ("list", "tuple"):
        for each in item.value.items or ():
            kind = _kind(each)
            if kind is not None and refuses(name, item.parameter + IN_LISTS, kind):
                return f"holds {_WORDS[kind]}"
    return ""


def _list_in(value: Value) -> Sequence | None:
    """A list or tuple in a list or tuple; None where there is none."""
    if not isinstance(value, Sequence) or value.kind not in ("list", "tuple"):
        return None
    found = (each for each in value.items or () if isinstance(each, Sequence))
    return next((each for each in found if each.kind in ("list", "tuple")), None)


def _kind(value: Value) -> Foreign | None:
    """What a value is that is no array for certain."""
    if isinstance(value, Const) and value.value is None:
        return "None"
    if is_string(value):
        return "string"
    if isinstance(value, Mapping):
        return "dict"
    return "function" if is_function(value) else None
