"""What nobody in view calls: it is traced with what may be passed to it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under, is_method, name_of, signature
from jaxlint.tracer.language.classes import some_instance
from jaxlint.tracer.operations.truth import knowing
from jaxlint.tracer.state.arguments import ANYTHING, Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import is_lasting, level_of_call
from jaxlint.tracer.transforms.checks import refused_callables, refused_receiver
from jaxlint.tracer.transforms.entering import enter
from jaxlint.tracer.transforms.lift import Lifting
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import BoundMethod, Class, Function, Partial, Transformed
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import NONE, UNKNOWN, Value, replace

_MOST_HEIRS = 8


def trace_unseen(tracer: Tracer, function: Transformed) -> None:
    """Trace a transformed function that nobody in view calls."""
    with knowing(tracer, function.facts):
        _trace_unseen(tracer, function)


def _trace_unseen(tracer: Tracer, function: Transformed) -> None:
    if function.transform.plain:
        tracer.call(function.function, ANYTHING, function.node)
        return
    refused_callables(tracer, function)
    arguments, latent = _unseen_arguments(function)
    if not is_method(function) or not arguments.args:
        _enter_unseen(tracer, function, arguments, latent, function.node)
        return
    for cls in _uncalled(tracer, function):
        receiver = some_instance(tracer, cls)
        refused_receiver(tracer, function, receiver)
        whole = replace(arguments, args=(receiver, *arguments.args[1:]))
        _enter_unseen(tracer, function, whole, latent, cls.definition)


def is_called(tracer: Tracer, function: Transformed) -> bool:
    """Whether a function is called in view; a method, with objects of all classes that have it."""
    called = bool(tracer.runs.applied[id(function.node.origin)])
    return called and not (is_method(function) and _uncalled(tracer, function))


def _uncalled(tracer: Tracer, function: Transformed) -> list[Class]:
    """Classes with a method that nobody in view calls with one of their objects, or of heirs."""
    target = function.function
    owner = target.owner if isinstance(target, Function) else None
    if owner is None:
        return []
    elsewhere = tracer.is_elsewhere(function.node.origin)
    classes = heirs_here(tracer, function)
    if not elsewhere:
        classes = [owner, *_heirs(function, owner, tracer.classes)]
    called = tracer.runs.receivers[id(function.node.origin)]
    if None in called:
        return []
    return [cls for cls in classes if not any(each.is_subclass(cls) for each in called if each)]


def heirs_here(tracer: Tracer, function: Transformed) -> list[Class]:
    """Classes of the linted file that inherit a transformed method of another module."""
    target = function.function
    owner = target.owner if isinstance(target, Function) else None
    here = (each for each in tracer.classes if not tracer.is_elsewhere(each.definition.origin))
    return _heirs(function, owner, here) if owner is not None else []


def _heirs(function: Transformed, owner: Class, classes: Iterable[Class]) -> list[Class]:
    """Those of some classes that inherit a method: it may call what they override."""
    heirs = (
        cls
        for cls in classes
        if cls.definition is not owner.definition
        and cls.is_subclass(owner)
        and function_under(cls.find(name_of(function)) or NONE) is function.function
    )
    return list(islice(heirs, _MOST_HEIRS))


def _enter_unseen(
    tracer: Tracer, function: Transformed, given: Arguments, latent: frozenset[str], at: n.Node
) -> None:
    level = level_of_call(tracer, function, function.transform, at)
    level.lasting = is_lasting(function)
    lifted = Lifting(tracer, function, level).arguments(given, latent)
    enter(tracer, level, function.function, lifted, function.node, given)


def _unseen_arguments(function: Transformed) -> tuple[Arguments, frozenset[str]]:
    """What somebody may pass, and which parameters with defaults are among it.

    A default that is a number or None is what people pass another one for, where that can be
    traced, and so is a PRNG key; another default is what the function was given for good.
    """
    passed, mapped = not _maps(function), _axes_listed(function)
    code = function_under(function.function)
    keys = {name for name, value in code.defaults.items() if keys_in(value)} if code else set()
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    open_args: Value | None = None
    open_kwargs: Value | None = None
    latent = set()
    left_out = False
    parameters = signature(function.function)
    if parameters is None:
        return ANYTHING, frozenset()
    for parameter in parameters:
        if parameter.kind == "star":
            open_args = None if left_out else UNKNOWN
        elif parameter.kind == "double_star":
            open_kwargs = UNKNOWN
        elif len(args) < mapped and parameter.kind != "keyword_only":
            args.append(UNKNOWN)
        elif parameter.name not in keys and _is_for_good(parameter.default, passed):
            left_out = True
        else:
            if parameter.default is not None and parameter.name not in keys:
                latent.add(parameter.name)
            if parameter.kind == "keyword_only" or left_out:
                kwargs[parameter.name] = UNKNOWN
            else:
                args.append(UNKNOWN)
    return Arguments(tuple(args), kwargs, open_args, open_kwargs), frozenset(latent)


def _axes_listed(function: Value) -> int:
    """For how many arguments axes are listed: so many are passed; 0 where nobody can see."""
    while isinstance(function, Transformed):
        axes = function.options.get("in_axes") if function.transform.counts_axes else None
        if isinstance(axes, Sequence) and axes.items is not None:
            return len(axes.items)
        function = function.function
    return 0


def _maps(function: Value) -> bool:
    """Whether it maps its arguments: a number has no axis for that."""
    while isinstance(function, (Transformed, Partial, BoundMethod)):
        if isinstance(function, Transformed) and function.transform.concreteness == "mapped":
            return True
        function = function.function
    return False


def _is_for_good(default: n.Node | None, passed: bool) -> bool:
    """Whether a parameter keeps its default; ``passed``: others are passed where they can be."""
    if isinstance(default, n.UnaryOperation):
        default = default.operand
    plain = isinstance(default, n.Constant) and not isinstance(default.value, (str, bytes))
    return default is not None and not (passed and plain)
