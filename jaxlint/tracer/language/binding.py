"""The parameters of a call: what each is given, and what the function itself says of it."""

from __future__ import annotations

from jaxlint.events import Reason, Site
from jaxlint.knowledge.libraries import MESH, MESHES
from jaxlint.program import nodes as n
from jaxlint.tracer.borders import entering_program, is_called_by_library
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.language.classes import annotated, plain_data, static_by_annotation, traced_data
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.operations.items import fresh_keys
from jaxlint.tracer.parameters import Hint, gather, gather_keys
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.annotated import annotated_aval
from jaxlint.tracer.values.arrays import ANY, Array, Tree
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import (
    Sequence,
    contents_like,
    contents_of,
    mapping,
)
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.joins import one_of
from jaxlint.tracer.values.objects import Function, Qualified
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import UNKNOWN, Unknown, Value, replace


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
            if name in kwargs and kind != "positional_only":
                return None  # It is given twice.
        elif name in kwargs and kind != "positional_only":
            found = kwargs.pop(name)
        elif _is_given_for_good(function.defaults.get(name)):
            pass
        elif kind != "keyword_only" and arguments.open_args is not None:
            further = len(names) > len(arguments.args)
            star = arguments.open_args
            # Another element than that which the parameter before gets.
            star = fresh_keys(tracer, star) if further else star
            found = _of_a_star(parameter, arguments, star, further)
        elif arguments.open_kwargs is not None:
            found = arguments.open_kwargs
            inside = found is not UNKNOWN or tracer.stack.running
            if parameter.default is not None and inside:
                # Passed or left out: in this call it is the same wherever it is asked for.
                found = Unknown(symbol=(id(function.code), name, id(node)))
        if found is None and name not in function.defaults and arguments.closed:
            return None  # It is not given.
        if found is None:
            names[name] = function.defaults.get(name, UNKNOWN)
        else:
            names[name] = _received(tracer, function, parameter, found, node)
    return None if args or kwargs else names


def _of_a_star(parameter: n.Parameter, arguments: Arguments, star: Value, further: bool) -> Value:
    """What a parameter gets where a ``*args`` of unknown length may reach it.

    Of those ``further`` on, a ``**kwargs`` may give some: traced values or others.
    """
    if parameter.default is not None:
        return UNKNOWN
    rest = arguments.open_kwargs
    apart = further and rest is not None and bool(tracers(star)) and not tracers(rest)
    return UNKNOWN if apart else star


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
        value = assume(tracer, function, parameter, value, node)
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


def assume(
    tracer: Tracer, function: Function, parameter: n.Parameter, value: Tree, node: n.Node
) -> Value:
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
            parameter.annotation, lambda part: qualified_name(tracer, part, function.frame)
        )
        if _is_passed_in_view(tracer, node):
            aval = replace(aval, shape=None)
        arithmetic = stated == "arithmetic"
        return replace(value.as_array(), assumed=True, no_list=arithmetic, aval=aval)
    cls = annotated(tracer, parameter.annotation, function.frame)
    return replace(value, static=static_by_annotation(tracer, cls)) if cls is not None else value


def _is_passed_in_view(tracer: Tracer, node: n.Node) -> bool:
    """Whether the program calls the function, and not only whoever imports it.

    What it passes nobody checks: it may have another shape than the annotation says.
    """
    level = tracer.stack.level
    return level is None or node.origin is not level.site.origin


def hints(tracer: Tracer, function: Function) -> dict[str, Hint]:
    """What the body says of the parameters of a function, gathered once."""
    found = tracer.hints.get(id(function.code))
    if found is None:
        frame = function.frame
        found = gather(function.code, lambda node: qualified_name(tracer, node, frame))
        tracer.hints[id(function.code)] = found
    return found


def with_keys(tracer: Tracer, function: Function, names: dict[str, Value]) -> dict[str, Value]:
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
