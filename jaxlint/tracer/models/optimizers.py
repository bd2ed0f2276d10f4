"""What makes the optimizers of libraries, the links of their chains, and schedules."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge.chains import ADDS_WEIGHTS, DECAYS, MASKS
from jaxlint.knowledge.optax_api import (
    CHAIN,
    KEEPS_SIGN,
    KEEPS_STATE,
    KEEPS_STATE_WITH,
    MADE_OF,
    MAKES_ALIKE,
    OPTIMIZER,
    OPTIMIZERS,
    OWN_OPTIMIZERS,
    SCALES,
)
from jaxlint.knowledge.schedules import SCALES_BY_SCHEDULE, SCHEDULES, TAKES_SCHEDULE
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping
from jaxlint.tracer.values.externals import External, Part
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Unknown, Value, replace

_POSITIVE = ("a schedule above zero",)
"""The symbol of one."""


def _optimizer(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    made = tracer.stack.moment()
    if name != CHAIN:
        part = Part(
            name,
            _keeps_state(name, arguments),
            _keeps_sign(name, arguments),
            name in ADDS_WEIGHTS and _is_above_zero(arguments.get(*ADDS_WEIGHTS[name])),
            decays=_decays(name, arguments),
        )
        given = arguments.get(*TAKES_SCHEDULE[name]) if name in TAKES_SCHEDULE else None
        schedule = (given,) if given is not None and function_like(given) else None
        return External(OPTIMIZER, parts=(part,), made=made, each=schedule)
    links = [
        value.parts if isinstance(value, External) and value.type == OPTIMIZER else ()
        for value in arguments.args
    ]
    known = arguments.closed and all(links)
    parts = tuple(part for link in links for part in link) if known else ()
    asked = tuple(each for value in arguments.args for each in _called(value))
    return External(OPTIMIZER, parts=parts, made=made, each=asked or None)


def _called(value: Value) -> tuple[Value, ...]:
    """What a link of a chain calls: schedules, and those links in it that the program has made."""
    if not isinstance(value, External) or value.type != OPTIMIZER:
        return ()
    return (value,) if value.functions else value.each or ()


def call_links(tracer: Tracer, function: Qualified, arguments: Arguments, node: n.Node) -> None:
    """Updates ask each schedule, with the count of a state: an array, traced where all are.

    A link of the program gets what those before it made of the updates, and its part of the state.
    """
    for link in function.links:
        if isinstance(link, External):
            given = [tracer.unseen(value) for value in arguments.args[:2]]
            weights = arguments.get(2, "params") or NONE
            tracer.call(link.functions[-1], Arguments((*given, weights)), node)
        else:
            count = tracer.array([], node, function.name, Aval((), "int32"))
            tracer.call(link, Arguments((count,)), node)


def _own(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """An optimizer made of functions of the program."""
    given = [arguments.get(place, keyword) for place, keyword in enumerate(MADE_OF)]
    functions = tuple(each for each in given if each is not None and function_like(each))
    if len(functions) < len(given):
        return tracer.unseen(*arguments.all())
    return External(OPTIMIZER, made=tracer.stack.moment(), functions=functions)


def _makes_alike(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return arguments.args[0] if arguments.args else UNKNOWN


def _masked(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The same for some leaves; the others are passed on as they are."""
    inner, mask = arguments.get(0, "inner"), arguments.get(*MASKS[name])
    if not isinstance(inner, External) or inner.type != OPTIMIZER:
        return tracer.unseen(*arguments.all())
    flags = [each.value if isinstance(each, Const) else None for each in leaves(mask or UNKNOWN)]
    known = isinstance(mask, Mapping) and all(type(flag) is bool for flag in flags)
    left_out = frozenset(place for place, flag in enumerate(flags) if flag is False)
    passed_on = left_out if known else None
    parts = tuple(
        replace(part, masked=True, passed_on=None if part.masked else passed_on)
        for part in inner.parts
    )
    return External(OPTIMIZER, parts=parts, made=tracer.stack.moment())


def _keeps_state(name: str, arguments: Arguments) -> bool:
    """Whether an optimizer made of these arguments counts on its state; False when unclear."""
    if name not in KEEPS_STATE_WITH:
        return name in KEEPS_STATE
    given = arguments.get(*KEEPS_STATE_WITH[name])
    return isinstance(given, Const) and bool(given.value)


def _keeps_sign(name: str, arguments: Arguments) -> bool:
    """Whether updates of a link of a chain have the sign of what it is given, for certain."""
    given = arguments.args[0] if arguments.args else None
    if name in SCALES:
        return _is_above_zero(given)
    if name in SCALES_BY_SCHEDULE:
        return isinstance(given, Unknown) and given.symbol == _POSITIVE
    return name in KEEPS_SIGN


def _decays(name: str, arguments: Arguments) -> bool:
    """Whether updates of a link make all parameters smaller, for certain."""
    if name not in DECAYS or not arguments.closed:
        return False
    number, mask, always = DECAYS[name]
    given, left_out = arguments.get(*number), arguments.get(*mask)
    everything = left_out is None or left_out is NONE
    return everything and (always if given is None else _is_above_zero(given))


def _is_above_zero(value: Value | None) -> bool:
    number = value.value if isinstance(value, Const) else None
    return isinstance(number, (int, float)) and number > 0


def _schedule(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A schedule; one that is above zero is known for that."""
    numbers = [value.value for value in arguments.all() if isinstance(value, Const)]
    known = arguments.closed and len(numbers) == len(arguments.all())
    above = known and all(isinstance(each, (int, float)) and each >= 0 for each in numbers)
    return Unknown(present=True, symbol=_POSITIVE) if above else tracer.unseen(*arguments.all())


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    **dict.fromkeys(OPTIMIZERS, _optimizer),
    **dict.fromkeys(OWN_OPTIMIZERS, _own),
    **dict.fromkeys(MAKES_ALIKE, _makes_alike),
    **dict.fromkeys(MASKS, _masked),
    **dict.fromkeys(SCHEDULES, _schedule),
}
"""Functions by their qualified names."""
