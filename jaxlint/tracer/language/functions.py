"""Functions of the program: making them, binding their parameters, running their bodies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeGuard

from jaxlint.program import nodes as n
from jaxlint.tracer.callables import does_nothing, free_variables, function_under
from jaxlint.tracer.language.alike import blank, can_be_shared, is_own, moved
from jaxlint.tracer.language.binding import bind_parameters, with_keys
from jaxlint.tracer.language.kept_results import from_cache
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.forgetting import forget_given
from jaxlint.tracer.operations.items import fresh_keys
from jaxlint.tracer.operations.truth import ASKED, agrees, forget_variables, knowing, known
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.state.memo import Remembered
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key, Tree
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    mapping,
    sequence,
)
from jaxlint.tracer.values.derivations import rebased
from jaxlint.tracer.values.gates import number_asked
from jaxlint.tracer.values.joins import join, one_of, returned, same
from jaxlint.tracer.values.objects import Choice, Function, Instance
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Again,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)

_MOST_CONTEXTS = 48
"""With how many different arguments a function runs, whatever that costs."""

_MOST_STEPS = 8_000
"""The steps of a function after which it runs with no more than those."""


def make_function(tracer: Tracer, code: n.Function) -> Function:
    """The function object that a ``def`` or ``lambda`` makes here and now."""
    defaults = {
        parameter.name: tracer.evaluate(parameter.default)
        for parameter in code.parameters
        if parameter.default is not None
    }
    made, facts = tracer.stack.moment(), known(tracer)
    function = Function(code, tracer.stack.frame, defaults, made, facts=facts)
    tracer.functions[id(code)] = function
    return function


def decorate(tracer: Tracer, value: Value, decorators: list[n.Node]) -> Value:
    """Apply decorators, the one nearest to the function first."""
    for decorator in reversed(decorators):
        function = tracer.evaluate(decorator)
        value = tracer.call(function, Arguments((value,)), decorator)
    return value


# ------------------------------------------------------------------------- calling


def invoke(tracer: Tracer, function: Function, arguments: Arguments, node: n.Node) -> Value:
    """Run the body of a function of the program."""
    code, stack = function.code, tracer.stack
    deep = stack.too_deep(code, function.frame) and not _counts(tracer, function, arguments)
    if deep or not agrees(tracer, function.facts):
        _note_run(tracer, function, node)
        return _cut_short(tracer, function, arguments, node)
    names = bind_parameters(tracer, function, arguments, node)
    if names is None:
        # It raises: what follows was written for a call that fits.
        forget_given(tracer, function, arguments)
        tracer.raises()
        return UNKNOWN
    _note_run(tracer, function, node)
    if function.cached:
        for value in names.values():
            if isinstance(value, Tree) and not value.container and not value.optional:
                value = value.as_array()
            hashed(tracer, value, node, "lru_cache")
        if stack.frame.certain:
            run = partial(_invoke, tracer, function, arguments, names, node)
            return from_cache(tracer, function, names, run)
    return _invoke(tracer, function, arguments, names, node)


def _counts(tracer: Tracer, function: Function, arguments: Arguments) -> bool:
    """Whether a call of a function inside of itself is given another number than those around it.

    It comes to an end as Python's does.
    """
    around = tracer.stack.calls_of(function.code, function.frame)
    if len(around) >= _LONGEST_COUNT or tracer.stack.is_full:
        return False
    for place, value in enumerate(arguments.args):
        given = [each.given[place] for each in around if place < len(each.given)]
        numbers = {each.value for each in (*given, value) if _is_count(each)}
        if len(numbers) == len(around) + 1:
            return True
    return False


_LONGEST_COUNT = 8
"""Calls inside of one another that a function is followed through while it counts."""


def _is_count(value: Value) -> TypeGuard[Const]:
    return isinstance(value, Const) and type(value.value) is int


def _cut_short(tracer: Tracer, function: Function, arguments: Arguments, node: n.Node) -> Value:
    """What a call that is not run gives: of a function that runs with the like, what that gives."""
    unseen = tracer.unseen(*arguments.all())
    running = tracer.stack.innermost(function.code, function.frame)
    names = bind_parameters(tracer, function, arguments, node) if running is not None else None
    if running is None or names is None:
        return unseen
    pairs = zip(running.given, names.values(), strict=True)
    alike = all(_stands_for(one, other, running) for one, other in pairs)
    return replace(unseen, again=Again(function.code)) if alike else unseen


def _stands_for(one: Value, other: Value, running: Frame) -> bool:
    """Whether a call that runs with the one shows what becomes of the other."""
    symbol = symbol_of(one)
    if one is other or symbol is None:
        return same(join(one, other), one)
    if any(_speaks_of(said, symbol) for said in running.told):
        return False
    nameless: Value = replace(one, symbol=None)  # type: ignore[type-var]
    return same(join(nameless, other), nameless)


def _speaks_of(said: object, symbol: object) -> bool:
    if isinstance(said, tuple) and said != symbol:
        return any(_speaks_of(part, symbol) for part in said)
    return said == symbol


def _invoke(
    tracer: Tracer,
    function: Function,
    arguments: Arguments,
    names: dict[str, Value],
    node: n.Node,
) -> Value:
    loop = _loop_on_host(tracer)
    made_here = blank(tracer, function, names)
    key = _memo_key(tracer, function, names, loop, made_here)
    hit = tracer.memo.calls.get(key)
    if hit is not None and hit.holds_in(loop) and not _reads_deleted(tracer, names):
        return _from_memory(tracer, hit, names, node)
    runs, steps, which = tracer.memo.contexts, tracer.memo.steps, _which(function)
    runs[which] += 1
    if runs[which] > _MOST_CONTEXTS and steps[which] > _MOST_STEPS:
        return UNKNOWN
    left = tracer.steps - tracer.away.given
    inputs, operations = (function, *names.values()), tracer.operations
    newest, before = Key.newest, tracer.analyses.before_call()
    with tracer.trail.keeping() as mark:
        result, frame = _run(tracer, function, with_keys(tracer, function, names), node)
        writes = tracer.trail.written(mark)
    steps[which] += left - (tracer.steps - tracer.away.given)
    made = isinstance(result, (Sequence, Mapping)) and (
        result.made is not None and result.made.frame is frame
    )
    again = tracer.analyses.on_returned(frame, arguments, node)
    record = tracer.analyses.after_call(before)
    result = _about(function, arguments, result)
    if made_here is not None and (
        Key.newest > newest or not can_be_shared(tracer, made_here, names.values(), writes)
    ):
        return result
    if again or is_own(tracer, result, frame) or _makes_buffers(tracer, result, writes):
        return result
    tracer.memo.calls[key] = Remembered(
        result, made, inputs, newest, record, writes, tracer.operations - operations, loop,
        frame.raised,
    )  # fmt: skip
    return result


def _reads_deleted(tracer: Tracer, names: dict[str, Value]) -> bool:
    """Whether a call may read arrays that are gone: what they are it has not been asked before."""
    return bool(tracer.trail.gone) and any(tracer.buffers.deleted_in(names.values()))


def _makes_buffers(tracer: Tracer, result: Value, writes: Writes) -> bool:
    """Whether a call leaves arrays on the host, in a program that donates some: each its own."""
    if not tracer.buffers.followed or tracer.stack.level is not None:
        return False
    written = [value for _, _, value, _ in writes.values() if isinstance(value, Value)]
    return any(map(tracer.buffers.are_in, [result, *written]))


def _which(function: Function) -> tuple[int, ...]:
    """The code that runs: what a decorator makes of one function is other code than of another."""
    if function.frame.parent is None:
        return (id(function.code),)  # It closes over nothing.
    around = [function_under(value) for _, value in free_variables(function)]
    return (id(function.code), *(id(each.code) for each in around if each is not None))


def run_around(
    tracer: Tracer,
    function: Function,
    arguments: Arguments,
    node: n.Node,
    body: Callable[[Value], None],
) -> None:
    """Run a generator that is a context manager; ``body`` is what goes on at its ``yield``."""
    stack = tracer.stack
    caller, chain, ran = stack.frame, stack.chain, False

    def around(value: Value) -> None:
        nonlocal ran
        ran = True
        with stack.back_in(caller, chain):
            body(value)

    _note_run(tracer, function, node)
    names = bind_parameters(tracer, function, arguments, node)
    if names is not None and not stack.too_deep(function.code, function.frame):
        _run(tracer, function, with_keys(tracer, function, names), node, around)
    if not ran:
        body(UNKNOWN)


def _note_run(tracer: Tracer, function: Function, node: n.Node) -> None:
    runs, level, which = tracer.runs, tracer.stack.level, id(function.code)
    runs.all.add(which)
    if level is not None and level.tracing:
        runs.traced.add(which)
    elif tracer.stack.frame.certain:
        runs.certain.add(which)
    if level is None and not function.cached:
        runs.sites.setdefault(which, set()).add(id(node))


def _about(function: Function, arguments: Arguments, result: Value) -> Value:
    """A predicate asked of the same unknown values again gives the same answer."""
    if not isinstance(result, (Unknown, Host)) or symbol_of(result) is not None:
        return result
    if isinstance(result, Host) and result.type != "bool":
        return result
    values = arguments.all()
    symbols = [value.key() if isinstance(value, Const) else symbol_of(value) for value in values]
    if not symbols or None in symbols:
        return result
    symbol = ("call", id(function.code), tuple(symbols))
    return replace(result, symbol=symbol) if isinstance(result, Unknown) else Unknown(symbol=symbol)


def _from_memory(tracer: Tracer, hit: Remembered, names: dict[str, Value], node: n.Node) -> Value:
    """What a call gives that has run before, with keys and arguments of its own."""
    with tracer.stack.reached(node):
        tracer.analyses.replay(hit.record)
    tracer.trail.write(_for_this_object(hit, names))
    tracer.operations += hit.operations
    if hit.raises:
        tracer.raises()
    result = _with_arguments(tracer, hit, names)
    result = fresh_keys(tracer, result, hit.newest_key)
    if not hit.made_by_call or result is not hit.result:
        return result
    # The same contents, another object.
    if isinstance(result, Sequence):
        return sequence(result.kind, result.contents, result.made)
    assert isinstance(result, Mapping)
    return mapping(result.entries.known, result.entries.rest, result.made)


def _for_this_object(hit: Remembered, names: dict[str, Value]) -> Writes:
    """What a call changed; what a constructor set of one object, it sets of another."""
    old, new = hit.inputs[1] if names else None, next(iter(names.values()), None)
    if isinstance(old, Instance) and isinstance(new, Instance) and old.key() != new.key():
        return moved(hit.writes, old, new)
    return hit.writes


def _with_arguments(tracer: Tracer, hit: Remembered, names: dict[str, Value]) -> Value:
    """The result as it is derived from the arguments of this call."""
    if not tracer.tracks_cotangents:
        return hit.result
    given = zip(hit.inputs[1:], names.values(), strict=True)
    other = {id(old): new for old, new in given if old is not new}
    return map_leaves(hit.result, lambda leaf: rebased(leaf, other)) if other else hit.result


def _loop_on_host(tracer: Tracer) -> Loop | None:
    loops = tracer.stack.frame.loops
    return loops[-1] if loops and tracer.stack.level is None else None


def _memo_key(
    tracer: Tracer,
    function: Function,
    names: dict[str, Value],
    loop: Loop | None,
    made_here: Instance | None,
) -> object:
    """Equal for calls that give the same; whatever object a constructor fills."""
    given = [value.key() for value in names.values()]
    if made_here is not None:
        given[0] = ("made here", id(made_here.cls), made_here.open)
    stack = tracer.stack
    frame = stack.frame
    return (
        id(function),
        id(stack.level),
        (id(loop.node), loop.count, loop.precise) if loop is not None else None,
        tracer.version - (tracer.unfinished if made_here is not None else 0),
        _seen_from(function, *names.values()),
        _facts_about(tracer, function, names),
        frame.certain,
        stack.muted > 0,
        bool(frame.guards),
        stack.expected,
        stack.catching > 0,
        frame.api_guards > 0,
        tuple(given),
    )


def _facts_about(tracer: Tracer, function: Function, names: dict[str, Value]) -> object:
    """What has been said of values that the function can ask about."""
    if not tracer.facts:
        return None
    nested = function.frame.parent is not None
    about = (Unknown, Host, Array, Tree, Instance, Choice)
    if nested or any(isinstance(value, about) and _has_facts(value) for value in names.values()):
        return frozenset(tracer.facts.items())
    return frozenset(fact for fact in tracer.facts.items() if _of_module(fact[0]))


def _of_module(symbol: object) -> bool:
    """Whether every function can ask for what a symbol stands for."""
    asked = isinstance(symbol, tuple) and symbol[0] == ASKED
    return asked or number_asked(symbol) is not None


def _has_facts(value: Value) -> bool:
    return isinstance(value, (Instance, Choice)) or symbol_of(value) is not None


def _seen_from(*values: Value) -> int:
    """Changes whenever a variable does that a function among some values closes over."""
    total = 0
    for value in values:
        function = function_under(value)
        frame = function.frame if function is not None else None
        while frame is not None:
            total += frame.version
            frame = frame.parent
    return total


def _run(
    tracer: Tracer,
    function: Function,
    names: dict[str, Value],
    node: n.Node,
    around: Callable[[Value], None] | None = None,
) -> tuple[Value, Frame]:
    code, stack = function.code, tracer.stack
    frame = stack.open(code.scope, function.frame)
    frame.names, frame.around = names, around
    frame.function, frame.owner = function, function.owner
    if function.cached:
        frame.loops, frame.conditional, frame.entered = (), 0, 0
    with tracer.trail.keeping() as mark, stack.calling(frame, node):
        frame.mark, frame.kept_for = mark, tracer.trail.kept_for
        frame.given = tuple(names.values())
        frame.told = known_before = frozenset(tracer.facts)
        _own_keywords(tracer, frame, code)
        with knowing(tracer, function.facts):
            tracer.execute(code.body)
            _leave(tracer, frame)
        forget_variables(tracer, known_before)
        tracer.trail.forget(frame.names, mark)
    frame.raised = frame.raised and not (frame.returns or code.is_async or code.is_generator)
    if frame.raised and (stack.level is None or stack.level.tracing):
        tracer.raises()
    return _returned(tracer, code, frame), frame


def _own_keywords(tracer: Tracer, frame: Frame, code: n.Function) -> None:
    """The dict of ``**kwargs`` is made when the body begins, and nobody else has it."""
    for parameter in code.parameters:
        given = frame.names.get(parameter.name)
        if parameter.kind == "double_star" and isinstance(given, Mapping):
            entries = given.entries
            frame.names[parameter.name] = mapping(
                entries.known, entries.rest, tracer.stack.moment()
            )


def _leave(tracer: Tracer, frame: Frame) -> None:
    """Join the states in which the function may be left."""
    if not frame.exits:
        return
    now = _without(tracer.trail.written(frame.mark), frame)
    ends = [_without(end, frame) for end in frame.exits]
    if frame.returned or not frame.stopped:
        ends.append(now)
    if now or any(ends):
        # Functions that were made here still read its variables.
        own = dict(frame.names)
        tracer.trail.undo(frame.mark)
        tracer.trail.join(ends)
        for name, value in own.items():
            tracer.trail.set(frame.names, name, value)


def _without(writes: Writes, frame: Frame) -> Writes:
    return {where: write for where, write in writes.items() if write[0] is not frame.names}


def _returned(tracer: Tracer, code: n.Function, frame: Frame) -> Value:
    if code.is_async:
        return UNKNOWN
    if code.is_generator:
        contents = contents_like(one_of(frame.yielded))
        return Sequence("iterator", contents, tracer.stack.moment())
    if not frame.returns:
        given = [frame.names.get(parameter.name, UNKNOWN) for parameter in code.parameters]
        receiver = given[0] if given else None
        if does_nothing(frame.function) or (
            isinstance(receiver, Instance) and receiver.open and frame.stopped
        ):
            # Nobody has written it yet, or a class that derives from this one says what it does.
            return tracer.unseen(*given)
        return UNKNOWN if frame.stopped else NONE
    result = returned(code, frame.returns)
    return result if frame.stopped else join(result, NONE)
