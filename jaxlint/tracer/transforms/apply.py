"""Wrapping a function by a transform, and calling what comes of it."""

from __future__ import annotations

from jaxlint.events import Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.transform import Entry, Transform
from jaxlint.knowledge.transforms import VMAP
from jaxlint.program import nodes as n
from jaxlint.tracer.borders import is_of_library, lies_in_library, name_in_library
from jaxlint.tracer.callables import (
    does_nothing,
    function_like,
    function_under,
    is_method,
    listed,
    name_of,
    parameter_names,
    statics_of,
)
from jaxlint.tracer.language.fields import annotated_statics
from jaxlint.tracer.operations.truth import knowing, known
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.state.memo import Trace
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.axis_names import axes_of, is_everywhere, told_apart, unchecked
from jaxlint.tracer.transforms.caching import as_cached, compiled_key, trace_key
from jaxlint.tracer.transforms.callee_checks import is_no_key
from jaxlint.tracer.transforms.checks import (
    note_result,
    refused_arguments,
    refused_options,
)
from jaxlint.tracer.transforms.entering import enter
from jaxlint.tracer.transforms.hashing import refused_hash
from jaxlint.tracer.transforms.leave import leave
from jaxlint.tracer.transforms.lift import Lifting
from jaxlint.tracer.transforms.rules import call_with_rules, call_without_cotangents
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.containers import tuple_of
from jaxlint.tracer.values.joins import chosen_where
from jaxlint.tracer.values.objects import (
    MOST_WRAPPERS,
    Choice,
    Class,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
    partial_of,
    wrappers_of,
)
from jaxlint.tracer.values.pytrees import keys_in, leaves
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Unknown,
    Value,
    replace,
)

_OPTIONS = ("argnums", "in_axes")
"""Ways of choosing what is traced that are the name of an option."""

_OTHER_NAMES = frozenset({"f", "fn", "fun", "func", "function", "kernel"})
"""What the parameter of the function is called in some release, of some transform."""


def wrap(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> Value:
    """``jax.jit(f, ...)``; without a function, something that waits for one."""
    function = arguments.get(0, transform.function)
    if isinstance(function, Choice):
        possible = function.possible(tracer.facts)
        given = [_with_function(arguments, transform, option) for option, _ in possible]
        each_made = [wrap(tracer, name, transform, each, node) for each in given]
        return chosen_where(each_made, [when for _, when in possible])
    options = {k: v for k, v in arguments.kwargs.items() if k != transform.function}
    if arguments.open_kwargs is not None:
        # Options that nobody can see may make anything static, or unmapped.
        chosen = transform.traced if transform.traced in _OPTIONS else ""
        unseen = (
            transform.static_positions, transform.static_names, chosen, transform.axis_name,
        )  # fmt: skip
        options = {**{option: UNKNOWN for option in unseen if option}, **options}
    options.update(zip(transform.options, arguments.args[1:], strict=False))
    if function is None:
        if any(name in _OTHER_NAMES and function_like(value) for name, value in options.items()):
            return UNKNOWN
        return partial_of(Qualified(name), (), options, tracer.stack.moment())
    called = _called_at_last(function)
    if transform.lifts_classes and isinstance(called, Class):
        lifted = _lifted_class(tracer, name, transform, called, options, node)
        return _calling(function, lifted)
    if _stays_unseen(called, transform):
        return UNKNOWN
    if transform.annotated_statics:
        options = {**options, transform.static_names: annotated_statics(tracer, function)}
    moment, facts = tracer.stack.moment(), known(tracer)
    depth = wrappers_of(function)
    if depth > MOST_WRAPPERS:
        return UNKNOWN
    made = Transformed(transform, name, function, options, node, moment, facts, depth)
    if refused_options(tracer, made, node):
        return UNKNOWN
    tracer.analyses.on_transform(made, node)
    if tracer.stack.level is None and not tracer.stack.muted:
        tracer.made.append(made)
    return made


def _with_function(arguments: Arguments, transform: Transform, function: Value) -> Arguments:
    """The arguments of a transform with another function to transform."""
    if transform.function in arguments.kwargs:
        return replace(arguments, kwargs={**arguments.kwargs, transform.function: function})
    return replace(arguments, args=(function, *arguments.args[1:]))


def _called_at_last(function: Value) -> Value:
    """What a chain of partials calls."""
    while isinstance(function, Partial):
        function = function.function
    return function


def _calling(function: Value, called: Value) -> Value:
    """A chain of partials that calls something else at last."""
    if not isinstance(function, Partial):
        return called
    return replace(function, function=_calling(function.function, called))


def _stays_unseen(function: Value, transform: Transform) -> bool:
    """Whether nothing is known of what comes of a function or class.

    What compiles a function dispatches work, whatever the function is.
    """
    if isinstance(function, Qualified) or transform.lifts_classes:
        # What nobody can see may be a class.
        return transform.lifts_classes and isinstance(function, (Qualified, Unknown))
    unknown = isinstance(function, Unknown) and not transform.statics_by_option
    return unknown or (isinstance(function, Class) and function.traits.pytree is None)


def _lifted_class(
    tracer: Tracer,
    name: str,
    transform: Transform,
    cls: Class,
    options: dict[str, Value],
    node: n.Node,
) -> Class:
    """A module class whose calls go through the transform: ``nn.remat(Net)``."""
    lifted = dict(cls.attributes)
    for method in listed(options.get("methods") or Const("__call__")):
        function = cls.find(method) if isinstance(method, str) else None
        if isinstance(method, str) and isinstance(function, (Function, Transformed)):
            made = Transformed(transform, name, function, options, node, tracer.stack.moment())
            lifted[method] = made
    return replace(cls, attributes=lifted)


# --------------------------------------------------------------------- application


def apply(tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node) -> Value:
    """Call a transformed function."""
    with knowing(tracer, function.facts):
        return _apply(tracer, function, arguments, node)


def _apply(tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node) -> Value:
    transform, stack = function.transform, tracer.stack
    _note_call(tracer, function, arguments)
    if transform.plain:
        return _call_plainly(tracer, function, arguments, node)
    if transform.compiles and stack.jit_disabled:
        if transform.unjitted:
            return apply(tracer, replace(function, transform=VMAP), arguments, node)
        return tracer.call(function.function, arguments, node)
    tracer.analyses.on_apply(function, arguments, node)
    if not transform.computes:
        tracer.analyses.on_shapes_alone(arguments.all())
    looked_up = transform.statics_by_option
    if looked_up and refused_hash(tracer, function.name, function.function, node):
        return UNKNOWN
    if refused_arguments(tracer, function, arguments, node):
        return UNKNOWN
    inner = as_cached(function, arguments)
    result = _cached_or_traced(tracer, function, inner, arguments, node)
    if tracer.buffers.followed and stack.level is None:
        result = tracer.buffers.renewed(result, transform.compiles)
    if transform.compiles and result is not NONE and not does_nothing(function):
        # Transforms of other libraries may change what they are given, and return nothing.
        pure = function.name.startswith(jax_api.PACKAGE)
        tracer.analyses.on_dispatch(node, pure or not isinstance(result, Unknown))
    tracer.analyses.on_applied(function, arguments, result, node)
    return result


def _note_call(tracer: Tracer, function: Transformed, arguments: Arguments) -> None:
    """What is called in view need not be asked what it does when anybody calls it."""
    made = id(function.node.origin)
    tracer.runs.applied[made].append(_traced_constants(function, arguments))
    if is_method(function) and arguments.args:
        receiver = arguments.args[0]
        for each in receiver.options if isinstance(receiver, Choice) else (receiver,):
            cls = each.cls if isinstance(each, Instance) else None
            tracer.runs.receivers[made].append(cls)


def _traced_constants(function: Transformed, arguments: Arguments) -> object:
    """What is the same for two calls with the same constants; another object where there is more.

    Static arguments make another program: it is of no account how often that draws the same.
    """
    statics, names = statics_of(function), parameter_names(function.function)
    given: list[tuple[object, Value]] = [
        (position, value)
        for position, value in enumerate(arguments.args)
        if not statics.has(position, names)
    ]
    given += [
        (name, value)
        for name, value in arguments.kwargs.items()
        if not statics.has_name(name, names)
    ]
    if not (arguments.closed and all(isinstance(value, Const) for _, value in given)):
        return object()
    return tuple((where, value.key()) for where, value in given)


def _cached_or_traced(
    tracer: Tracer, function: Transformed, inner: Arguments, arguments: Arguments, node: n.Node
) -> Value:
    key = trace_key(tracer, function, inner)
    if key is None:
        return _trace(tracer, function, inner, arguments, node, None)[1]
    memo, compiled = tracer.memo, compiled_key(tracer, function, inner)
    first = memo.compiled.get(compiled)
    cached = memo.traces.get(key)
    with tracer.stack.reached(node):
        if first is not None:
            tracer.analyses.on_cache_hit(first)
        if cached is not None:
            tracer.analyses.replay(cached.record, cached.level)
            return cached.result
    level, result = _trace(tracer, function, inner, arguments, node, key)
    memo.compiled.setdefault(compiled, level)
    return result


def _trace(
    tracer: Tracer,
    function: Transformed,
    inner: Arguments,
    arguments: Arguments,
    node: n.Node,
    key: object,
) -> tuple[Level, Value]:
    newest, before = Key.newest, tracer.analyses.before_call()
    level = level_of_call(tracer, function, function.transform, node)
    level.lasting, level.everywhere = is_lasting(function), is_everywhere(function)
    lifted = Lifting(tracer, function, level).arguments(inner)
    result = enter(tracer, level, function.function, lifted, node, inner)
    note_result(tracer, function, result, node)
    result = leave(tracer, function, result, arguments, node)
    if key is not None:
        tracer.analyses.on_traced(level)
        record = tracer.analyses.after_call(before)
        inputs = (*inner.all(), function.function)
        makes_keys = any(each.serial > newest for each in keys_in(result))
        if not makes_keys or not _is_unknown(inner):
            tracer.memo.traces[key] = Trace(result, level, inputs, record)
    return level, result


def _is_unknown(arguments: Arguments) -> bool:
    """Whether an argument may be another one where it looks the same: keys made of it differ."""
    return any(
        isinstance(each, Unknown) or (isinstance(each, Array) and each.prng is None)
        for value in arguments.all()
        for each in leaves(value)
    )


def _call_plainly(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> Value:
    """A wrapper that changes no value, such as ``jax.custom_vjp``."""
    transform = function.transform
    if transform.takes_rules or transform.own_rule:
        return call_with_rules(tracer, function, arguments, node)
    if transform.unseen_rules:
        return call_without_cotangents(tracer, function, arguments, node)
    result = tracer.call(function.function, arguments, node)
    return UNKNOWN if transform.result == "unknown" else result


def call_entry(
    tracer: Tracer, function: Transformed, entry: Entry, arguments: Arguments, node: n.Node
) -> Value:
    """A method of a transformed function that calls it: ``jax.jit(f).lower(x)``."""
    _note_call(tracer, function, arguments)
    if not function.transform.plain:
        row = replace(function.transform, computes=entry.computes)
        level = level_of_call(tracer, function, row, node)
        lifted = Lifting(tracer, function, level).arguments(arguments)
        enter(tracer, level, function.function, lifted, node, arguments)
        return UNKNOWN
    inner, entry = _behind(function, entry)
    if entry.keyed and is_no_key(tracer, entry, arguments, node):
        return UNKNOWN
    given = replace(arguments, args=arguments.args[entry.first :])
    result = tracer.call(inner, given, node)
    if entry.returns == "with_state":
        return tuple_of([result, UNKNOWN])
    if entry.returns == "same":
        return result
    tracer.analyses.on_dummy_run(node)
    return UNKNOWN


def _behind(function: Transformed, entry: Entry) -> tuple[Value, Entry]:
    """The function that an entry calls at last, and the entry as it is there."""
    inner = function.function
    if not isinstance(inner, Transformed):
        return inner, entry
    same = inner.transform.entry(entry.name)
    if same is None:
        return inner, entry
    found, entry_there = _behind(inner, same)
    keyed = entry_there.keyed and not entry.one_less
    return found, replace(entry_there, first=entry_there.first - entry.one_less, keyed=keyed)


# --------------------------------------------------------------------------- parts


def level_of_call(tracer: Tracer, function: Transformed, row: Transform, called: n.Node) -> Level:
    """The level of a transformed function, with what its options say of the axes of a mesh.

    A method that a library compiles is known by its name, and where the program reaches it.
    """
    name, made, inner = function.name, function.node, function_under(function)
    if inner is not None and is_of_library(inner) and lies_in_library(made.origin):
        name, made = name_in_library(inner), called
    level = level_of(tracer, row, name, function.function, made)
    level.axes = axes_of(function)
    level.told_apart, level.unchecked = told_apart(function), unchecked(function)
    return level


def level_of(
    tracer: Tracer, transform: Transform, name: str, function: Value, node: n.Node
) -> Level:
    """The level of a function that is about to be traced."""
    stack = tracer.stack
    if stack.frame.globals.library:
        # The program knows the function of the library, and not what that is made of.
        name, node = stack.library, stack.seen(node)
    level = Level(transform, name, name_of(function), Site(node.origin), stack.level)
    inner = function_under(function)
    level.wrapped = inner is not None and is_of_library(inner)
    return level


def is_lasting(function: Transformed) -> bool:
    """Whether the same compiled function serves again after other code has run.

    One made by a decorator, at module level or in a constructor lasts; one of a
    module-level function is found in the cache again by that function.
    """
    maker = function.made.frame.function
    if maker is None or maker.code.name == "__init__":
        return True
    wrapped = function.function
    return isinstance(wrapped, Function) and wrapped.made.frame.function is None
