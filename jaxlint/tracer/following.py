"""Which calls in other modules are followed: those that the linted file has a part in.

What a module does by itself, on the host and with values of its own, is found where that module
is linted, unless it is the file that knows the values: a script says which model a trainer trains,
a test makes the objects whose methods it compiles. So what gives back something to be called is
followed first, and of the calls inside, and of what is traced there, as much as is cheap; of what
gives numbers there is little to learn. A call that is told by a name what to do (``train("deep")``)
is followed once for each name. A call with something of the linted file in its hands is followed,
and so is everything under a transform of the file, as long as the file has not had its share of
steps; what is traced on the way has a share of its own. Calls like one that was dear, with objects
of the same classes and the same functions, show little more than that: less is spent on them, and
more on those that are new.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from jaxlint.knowledge import jax_api, python_api
from jaxlint.program import nodes as n
from jaxlint.program.attributes import CONSTRUCTORS
from jaxlint.program.walk import last_name, walk
from jaxlint.tracer.callables import free_variables, function_under, is_code
from jaxlint.tracer.state.away import Errand
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.pytrees import children
from jaxlint.tracer.values.value import Const, Host, Unknown, Value

_CHEAP = 1_000
"""Steps inside of one call into another module after which its own calls are left alone."""

_SHARE = {
    "plain": 2_000, "alone": 9_000, "named": 6_000, "handed": 12_000, "own": 9_000, "traced": 25_000
}  # fmt: skip
"""Steps that a file may spend in other modules: on calls with nothing of its own, which have given
numbers or which may give something to be called; on those that it tells by a name what to do; on
those with functions that it hands from one of them to another; on those with something of its own
in their hands; and under a transform."""

_ALTOGETHER = 30_000
"""Steps that a file may spend in other modules on all of them."""

_AGAIN: dict[Errand, int] = {"handed": 4_000, "own": 3_000, "traced": 12_000}
"""Where less of a share may be spent by calls like one that was dear: how much."""

_FOR_A_RUN, _FOR_RUNS = 800, 20_000
"""Steps that a test with rows of values may spend besides under a transform: for each run, at most.
It makes what it traces anew."""

_DEAR = 300
"""Steps of a call that make it dear."""

_BY_THEMSELVES: tuple[Errand, ...] = ("plain", "alone")

_PLAIN = frozenset({Const, Host, NumpyArray, Qualified, Tree, Unknown})
"""Values with nothing of the program in them."""

_NESTING = 3
"""Containers inside of containers in which something of the file is looked for."""


def goes_away(tracer: Tracer, function: Function) -> bool:
    """Whether a call runs a function of another module; what stands in for a library is short."""
    library = function.frame.globals.library
    return not library and tracer.is_elsewhere(function.code.origin)


def errand(tracer: Tracer, function: Function, arguments: Iterable[Value]) -> Errand:
    """What a call that goes away is made for."""
    away, stack = tracer.away, tracer.stack
    by_itself = away.what_for in _BY_THEMSELVES
    if stack.level is not None:
        return away.what_for if by_itself else "traced"
    given = list(arguments)
    if any(_is_of_the_file(tracer, value, _NESTING, keys=True) for value in given):
        return "own"
    handed = away.handed
    if handed and any(_is_of_the_file(tracer, each, _NESTING, False, handed) for each in given):
        return "handed"
    if stack.frame.globals is not stack.globals:
        if by_itself or away.what_for == "named":
            return away.what_for
    elif any(_told(given, _NESTING)):
        known = away.costs.get(_like(function, given), 0)
        return "plain" if known >= _CHEAP else "named"
    return "plain" if id(function.code) in away.plain else "alone"


def _told(values: Iterable[Value], depth: int) -> Iterator[str]:
    """The names, and other texts, by which a call is told what to do."""
    for value in values:
        if isinstance(value, Const) and isinstance(value.value, str):
            yield value.value
        elif depth and isinstance(value, Instance) and not value.cls.traits.pytree:
            yield from _told(value.listed().values(), depth - 1)


def is_new(tracer: Tracer, function: Function, arguments: Iterable[Value]) -> bool:
    """Whether a call that goes away shows something new: one like it was not dear."""
    return tracer.away.costs.get(_like(function, arguments), 0) < _DEAR


def note_cost(tracer: Tracer, function: Function, arguments: Iterable[Value], steps: int) -> None:
    """A call that went away took so many steps: one like it shows little more."""
    which = _like(function, arguments)
    tracer.away.costs[which] = max(steps, tracer.away.costs.get(which, 0))


def _like(function: Function, arguments: Iterable[Value]) -> object:
    """The same for calls of a function that are told the same names, with things of one kind.

    What a closure was made with is as good as what it is handed.
    """
    return (*kinds([function], _NESTING), *kinds(arguments, _NESTING))


def kinds(values: Iterable[Value], depth: int) -> Iterator[object]:
    """What values are, as far as it says what is called: names, functions, classes of objects."""
    for value in values:
        function = function_under(value)
        if isinstance(value, Const) and isinstance(value.value, (str, bool, type(None))):
            yield value.value
        elif isinstance(value, (Instance, Class)):
            cls = value.cls if isinstance(value, Instance) else value
            yield id(cls.definition)
            if isinstance(value, Instance) and depth:
                yield from kinds(value.listed().values(), depth - 1)
        elif function is not None:
            yield id(function.code)
            if depth:
                yield from kinds((each for _, each in free_variables(function)), depth - 1)
        elif isinstance(value, (Sequence, Mapping)) and depth:
            yield from kinds(children(value), depth - 1)


def note_result(tracer: Tracer, function: Function, result: Value) -> None:
    """A call that went away gave this: the next one of that function may be worth less."""
    if function.code.name not in CONSTRUCTORS and not _is_called(result, _NESTING):
        tracer.away.plain.add(id(function.code))


def _is_called(value: Value, depth: int) -> bool:
    """Whether a value is called, or asked for methods: it, or something in it.

    An object without methods, such as the state of an optimizer, is what is in it.
    """
    inside: Iterable[Value] = ()
    if isinstance(value, Instance) and _only_holds(value.cls):
        inside = value.listed().values()
    elif isinstance(value, (Class, Instance, Choice)) or function_under(value) is not None:
        return True
    elif isinstance(value, (Sequence, Mapping)):
        inside = children(value)
    return depth > 0 and any(_is_called(each, depth - 1) for each in inside)


def note_handed(
    tracer: Tracer, called: Function, arguments: Iterable[Value], depth: int = _NESTING
) -> None:
    """The file hands functions of other modules to one of them: they are its own from here on.

    So are objects with methods that one module gets of another.
    """
    if tracer.stack.frame.globals is not tracer.stack.globals:
        return
    for value in arguments:
        function = function_under(value)
        if function is not None and tracer.is_elsewhere(function.code.origin):
            tracer.away.handed.add(id(function.code))
        elif isinstance(value, Instance):
            definition, home = value.cls.definition, value.cls.frame.globals
            plugged = home not in (called.frame.globals, tracer.stack.globals)
            if plugged and not home.library and _has_methods(value.cls):
                tracer.away.handed.add(id(definition))
        elif depth and isinstance(value, (Sequence, Mapping)):
            note_handed(tracer, called, children(value), depth - 1)


def _only_holds(cls: Class) -> bool:
    """Whether a class is a named tuple or dataclass that adds nothing to its fields."""
    if cls.traits.library or cls.traits.fields is None or cls.traits.module:
        return False
    values = [value for each in (cls, *cls.above) for value in each.attributes.values()]
    return not any(isinstance(value, Descriptor) or is_code(value) for value in values)


def _has_methods(cls: Class) -> bool:
    """Whether objects of a class are there to be called for what they do."""
    return any(
        isinstance(value, Function) and not name.startswith("_")
        for each in (cls, *cls.above)
        for name, value in each.attributes.items()
    )


def is_followed(tracer: Tracer, what_for: Errand, new: bool) -> bool:
    """Whether a call that goes away is run; ``new``: it, or the one around it, shows more."""
    away, here = tracer.away, tracer.stack.frame.globals is tracer.stack.globals
    tracer.count_away()
    if not here and what_for in _BY_THEMSELVES and away.made_for not in (None, *_BY_THEMSELVES):
        return (
            tracer.away.paid(tracer.steps) < _CHEAP
        )  # It is on the share of the call that it is part of.
    other = 0 if here or what_for == away.made_for else tracer.away.paid(tracer.steps)
    share = _SHARE[what_for] if new else _AGAIN.get(what_for, _SHARE[what_for])
    if what_for == "traced":
        share += min(away.runs * _FOR_A_RUN, _FOR_RUNS)
    if away.spent[what_for] + other >= share or away.all_spent >= _ALTOGETHER:
        return False
    return here or what_for not in _BY_THEMSELVES or tracer.away.paid(tracer.steps) < _CHEAP


def is_question(code: n.Function) -> bool:
    """Whether a function only asks what it is given: ``return isinstance(x, Tracer)``.

    It, or what is in it. Whoever guards something by it hears the answer, whatever share is spent.
    """
    if len(code.body) != 1 or not isinstance(code.body[0], n.Return):
        return False
    called = [last_name(each.function) for each in walk(code.body) if isinstance(each, n.Call)]
    asks = not python_api.ASKS_KIND.isdisjoint(called)
    return asks and _QUESTION.issuperset(called)


_QUESTION = frozenset(
    {*python_api.ASKS_KIND, "any", "all"}
    | {name.rpartition(".")[2] for name in jax_api.TREE_LEAVES}
)
"""What a function that only asks calls, by the last part of the name."""


def traced_for(
    tracer: Tracer, transformed: Value, function: Function, arguments: Iterable[Value]
) -> Errand | None:
    """What a call of a transformed function that goes away is traced for; None: it is not.

    One with nothing of the file's own is as long as that is cheap, or the file hands on what is in
    it and has steps left. ``function``: what is under the transforms.
    """
    stack, away = tracer.stack, tracer.away
    if stack.level is not None:
        return away.what_for
    if stack.frame.globals is stack.globals:
        return "traced"
    known = [function, *(value for _, value in free_variables(function))]
    known += [*_receivers(transformed), *arguments]
    if any(_is_of_the_file(tracer, value, _NESTING, keys=False) for value in known):
        return "traced"
    if any(_is_of_the_file(tracer, value, _NESTING, False, away.handed) for value in known):
        return "traced" if is_followed(tracer, "traced", away.new) else None
    if away.what_for == "named":
        return "traced"
    what_for: Errand = away.what_for if away.what_for in _BY_THEMSELVES else "alone"
    cheap = tracer.away.taken(tracer.steps) < _CHEAP and is_followed(tracer, what_for, away.new)
    return what_for if cheap else None


def _receivers(value: Value) -> Iterator[Value]:
    """The objects of which methods are transformed."""
    while isinstance(value, (Transformed, Partial, BoundMethod)):
        if isinstance(value, BoundMethod):
            yield value.receiver
        value = value.function


def _is_of_the_file(
    tracer: Tracer, value: Value, depth: int, keys: bool, handed: Collection[int] = ()
) -> bool:
    """Whether the file may see what becomes of a value: its own code, or a PRNG key.

    ``handed``: functions of other modules that count as its own.
    """
    if type(value) is Array:
        return keys and value.prng is not None
    if type(value) in _PLAIN:
        return False
    if isinstance(value, Class):
        return not tracer.is_elsewhere(value.definition.origin)
    if isinstance(value, Instance):
        definition = value.cls.definition
        if id(definition) in handed or not tracer.is_elsewhere(definition.origin):
            return True
    function = function_under(value)
    if function is not None:
        if not tracer.is_elsewhere(function.code.origin) or id(function.code) in handed:
            return True
        # What it closes over it calls.
        inside, keys = [each for _, each in free_variables(function)], False
    elif isinstance(value, Instance) and not value.cls.traits.pytree:
        inside, keys, depth = list(value.listed().values()), False, min(depth, 2)
    elif isinstance(value, (Sequence, Mapping, Instance)):
        inside = list(children(value))
    else:
        inside, depth = list(value.options) if isinstance(value, Choice) else [], depth + 1
    return depth > 0 and any(
        _is_of_the_file(tracer, each, depth - 1, keys, handed) for each in inside
    )
