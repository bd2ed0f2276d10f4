"""Functions of the program: making them, binding their parameters, running their bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jaxlint.events import Reason, Site
from jaxlint.knowledge.libraries import MESH, MESHES
from jaxlint.program import nodes as n
from jaxlint.tracer.borders import entering_program, is_called_by_library
from jaxlint.tracer.callables import function_like, function_under
from jaxlint.tracer.language.classes import annotated, plain_data, static_by_annotation, traced_data
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.items import fresh_keys
from jaxlint.tracer.operations.truth import ASKED, agrees, forget_variables, knowing, known
from jaxlint.tracer.parameters import Hint, gather, gather_keys
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.state.memo import Remembered
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.annotated import annotated_aval
from jaxlint.tracer.values.arrays import ANY, Array, Key, Tree
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    mapping,
    sequence,
)
from jaxlint.tracer.values.derivations import rebased
from jaxlint.tracer.values.joins import join, join_all, one_of
from jaxlint.tracer.values.objects import Choice, External, Function, Instance, Qualified
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Host, Unknown, Value

_MOST_CONTEXTS = 48


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
    _note_run(tracer, function, node)
    if stack.too_deep(code) or not agrees(tracer, function.facts):
        return tracer.unseen(*arguments.all())
    names = bind_parameters(tracer, function, arguments, node)
    if names is None:
        return UNKNOWN
    if function.cached:
        for value in names.values():
            if isinstance(value, Tree) and not value.container and not value.optional:
                value = value.as_array()
            hashed(tracer, value, node, "lru_cache")
        if stack.frame.certain:
            return _from_cache(tracer, function, arguments, names, node)
    return _invoke(tracer, function, arguments, names, node)


def _from_cache(
    tracer: Tracer,
    function: Function,
    arguments: Arguments,
    names: dict[str, Value],
    node: n.Node,
) -> Value:
    """What ``functools.cache`` keeps: the result of the first call, whoever made it."""
    key = (id(function), *(value.key() for value in names.values()))
    found = tracer.memo.cached.get(key)
    if found is None:
        found = _invoke(tracer, function, arguments, names, node)
        tracer.memo.cached[key] = found
    return found


def _invoke(
    tracer: Tracer,
    function: Function,
    arguments: Arguments,
    names: dict[str, Value],
    node: n.Node,
) -> Value:
    code = function.code
    loop = _loop_on_host(tracer)
    key = _memo_key(tracer, function, names, loop)
    hit = tracer.memo.calls.get(key)
    if hit is not None and hit.holds_in(loop):
        return _from_memory(tracer, hit, names, node)
    tracer.memo.contexts[id(code)] += 1
    if tracer.memo.contexts[id(code)] > _MOST_CONTEXTS:
        return UNKNOWN
    inputs, operations = (function, *names.values()), tracer.operations
    newest, before = Key.newest, tracer.analyses.before_call()
    with tracer.trail.keeping() as mark:
        result, frame = _run(tracer, function, _with_keys(tracer, function, names), node)
        writes = tracer.trail.written(mark)
    made = isinstance(result, (Sequence, Mapping)) and (
        result.made is not None and result.made.frame is frame
    )
    record = tracer.analyses.after_call(before)
    result = _about(function, arguments, result)
    tracer.memo.calls[key] = Remembered(
        result, made, inputs, newest, record, writes, tracer.operations - operations, loop,
        frame.raised,
    )  # fmt: skip
    return result


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
    if names is not None and not stack.too_deep(function.code):
        _run(tracer, function, _with_keys(tracer, function, names), node, around)
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
    tracer.trail.write(hit.writes)
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
    tracer: Tracer, function: Function, names: dict[str, Value], loop: Loop | None
) -> object:
    stack = tracer.stack
    frame = stack.frame
    return (
        id(function),
        id(stack.level),
        (id(loop.node), loop.count, loop.precise) if loop is not None else None,
        tracer.version,
        _seen_from(function, *names.values()),
        _facts_about(tracer, function, names),
        frame.certain,
        stack.muted > 0,
        frame.guards > 0,
        stack.raising,
        stack.catching > 0,
        frame.api_guards > 0,
        tuple(value.key() for value in names.values()),
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
    return isinstance(symbol, tuple) and symbol[0] == ASKED


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
        known_before = set(tracer.facts)
        with knowing(tracer, function.facts):
            tracer.execute(code.body)
            _leave(tracer, frame)
        forget_variables(tracer, known_before)
        tracer.trail.forget(frame.names, mark)
    frame.raised = frame.raised and not (frame.returns or code.is_async or code.is_generator)
    if frame.raised and (stack.level is None or stack.level.tracing):
        tracer.raises()
    return _returned(tracer, code, frame), frame


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
        if isinstance(receiver, Instance) and receiver.open and (frame.stopped or _is_stub(code)):
            # A class that derives from this one says what it does.
            return tracer.unseen(*given)
        return UNKNOWN if frame.stopped else NONE
    result = join_all(frame.returns)
    return result if frame.stopped else join(result, NONE)


def _is_stub(code: n.Function) -> bool:
    """Whether a body is ``...`` or a docstring alone, as in a protocol."""
    return all(
        isinstance(statement, n.ExpressionStatement) and isinstance(statement.value, n.Constant)
        for statement in code.body
    )


# ---------------------------------------------------------------------- parameters


def bind_parameters(
    tracer: Tracer, function: Function, arguments: Arguments, node: n.Node
) -> dict[str, Value] | None:
    """Parameter name -> value; None when the call does not fit the signature."""
    names: dict[str, Value] = {}
    args, kwargs = list(arguments.args), dict(arguments.kwargs)
    for parameter in function.code.parameters:
        name, kind = parameter.name, parameter.kind
        if kind == "star":
            contents = contents_of(args)
            if arguments.open_args is not None:
                contents = contents_like(one_of([*args, arguments.open_args]))
            names[name] = Sequence("tuple", contents, tracer.stack.moment())
            args = []
            continue
        if kind == "double_star":
            names[name] = mapping(kwargs, arguments.open_kwargs, tracer.stack.moment())
            kwargs = {}
            continue
        found: Value | None = None
        if kind != "keyword_only" and args:
            found = args.pop(0)
        elif name in kwargs and kind != "positional_only":
            found = kwargs.pop(name)
        elif _is_given_for_good(function.defaults.get(name)):
            pass
        elif kind != "keyword_only" and arguments.open_args is not None:
            found = arguments.open_args if parameter.default is None else UNKNOWN
        elif arguments.open_kwargs is not None:
            found = arguments.open_kwargs
            inside = found is not UNKNOWN or tracer.stack.running
            if parameter.default is not None and inside:
                # Passed or left out: in this call it is the same wherever it is asked for.
                found = Unknown(symbol=(id(function.code), name, id(node)))
        if found is None:
            names[name] = function.defaults.get(name, UNKNOWN)
        else:
            names[name] = _received(tracer, function, parameter, found, node)
    return None if args or kwargs else names


def _is_given_for_good(default: Value | None) -> bool:
    """Whether callers out of view leave a default as it is: a function, a transform."""
    return isinstance(default, Qualified) or function_like(default)


def _received(
    tracer: Tracer, function: Function, parameter: n.Parameter, value: Value, node: n.Node
) -> Value:
    stated = _stated_object(tracer, function, parameter, value)
    if stated is not None:
        return stated
    if is_called_by_library(tracer.stack, function):
        value = entering_program(tracer.stack, function, parameter, value)
    if value is UNKNOWN and not tracer.stack.running and tracer.stack.frame.parent is None:
        return Unknown(symbol=(id(function.code), parameter.name))
    if isinstance(value, Tree):
        value = assume(tracer, function, parameter, value)
    if isinstance(value, Unknown) and _is_none(parameter.default):
        if not _may_be_none(tracer, value):
            return replace(value, present=True)
        return value if _is_optional(tracer, value) else replace(value, passed=True)
    if not isinstance(value, (Array, Tree)):
        return value
    reason = value.reason
    if reason is None or (reason.role == "parameter" and reason.subject == parameter.name):
        return value
    name = function.code.name
    link = Reason("argument", parameter.name, Site(node.origin), name, parent=reason)
    return replace(value, reason=link, derived=tracer.named(value))


def _stated_object(
    tracer: Tracer, function: Function, parameter: n.Parameter, value: Value
) -> External | None:
    """The object of a library that the annotation of an unknown argument promises."""
    if parameter.annotation is None or not isinstance(value, (Unknown, Tree)):
        return None
    if isinstance(parameter.default, n.Constant):
        return None  # ``mesh: Mesh = None``
    name = qualified_name(tracer, parameter.annotation, function.frame)
    return External(MESH) if name in MESHES else None


def _is_none(default: n.Node | None) -> bool:
    return isinstance(default, n.Constant) and default.value is None


def _may_be_none(tracer: Tracer, value: Unknown) -> bool:
    """Whether a caller may pass on a None in place of leaving a parameter out.

    Not what its own caller must give, nor an attribute of something.
    """
    symbol = value.symbol
    if isinstance(symbol, tuple) and symbol[0] == "attribute":
        return False
    parameter = _parameter_passed_on(tracer, value)
    return parameter is None or parameter.default is not None


def _is_optional(tracer: Tracer, value: Unknown) -> bool:
    """Whether it is a parameter of the caller that may itself be left out."""
    return _parameter_passed_on(tracer, value) is not None


def _parameter_passed_on(tracer: Tracer, value: Unknown) -> n.Parameter | None:
    """The parameter of the caller that an unknown argument is."""
    function = tracer.stack.frame.function
    if function is None:
        return None
    code = function.code
    return next((p for p in code.parameters if value.symbol == (id(code), p.name)), None)


def assume(tracer: Tracer, function: Function, parameter: n.Parameter, value: Tree) -> Value:
    """What a traced parameter of unknown structure is, going by its function's body."""
    data = None if value.optional else plain_data(tracer, parameter.annotation, function.frame)
    if data is not None:
        return traced_data(tracer, data, value)
    stated = hints(tracer, function).get(parameter.name)
    if stated == "container":
        return replace(value, container=True)
    if stated == "number":
        return replace(value.as_array(), aval=ANY)
    if stated in ("array", "arithmetic"):
        aval = annotated_aval(
            parameter.annotation, lambda node: qualified_name(tracer, node, function.frame)
        )
        arithmetic = stated == "arithmetic"
        return replace(value.as_array(), assumed=True, no_list=arithmetic, aval=aval)
    cls = annotated(tracer, parameter.annotation, function.frame)
    return replace(value, static=static_by_annotation(tracer, cls)) if cls is not None else value


def hints(tracer: Tracer, function: Function) -> dict[str, Hint]:
    """What the body says of the parameters of a function, gathered once."""
    found = tracer.hints.get(id(function.code))
    if found is None:
        frame = function.frame
        found = gather(function.code, lambda node: qualified_name(tracer, node, frame))
        tracer.hints[id(function.code)] = found
    return found


def _with_keys(tracer: Tracer, function: Function, names: dict[str, Value]) -> dict[str, Value]:
    """Parameters that nobody in view passes, and that the body uses as PRNG keys."""
    if not tracer.keys_about:
        return names
    unknown = [name for name, value in names.items() if _may_be_key(value)]
    if not unknown:
        return names
    found = dict(names)
    for name in _key_parameters(tracer, function).intersection(unknown):
        value = names[name]
        reason = value.reason if isinstance(value, (Array, Tree)) else None
        kind = value.concreteness if isinstance(value, (Array, Tree)) else "abstract"
        found[name] = Array(
            True if reason is not None else None, Aval(None, "key"), reason, kind,
            assumed=True, prng=tracer.keys.new(), symbol=symbol_of(value),
        )  # fmt: skip
    return found


def _key_parameters(tracer: Tracer, function: Function) -> frozenset[str]:
    found = tracer.key_hints.get(id(function.code))
    if found is None:
        frame = function.frame
        found = gather_keys(function.code, lambda node: qualified_name(tracer, node, frame))
        tracer.key_hints[id(function.code)] = found
    return found


def _may_be_key(value: Value) -> bool:
    if isinstance(value, Array):
        return value.assumed and value.prng is None
    return isinstance(value, Unknown) or (isinstance(value, Tree) and not value.container)
