"""Questions about callables: what they take, what is at the bottom of their wrappers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.knowledge.libraries import MODULE_METHODS
from jaxlint.knowledge.measured import signature_of
from jaxlint.knowledge.python_api import RECEIVERS
from jaxlint.knowledge.transforms import DONATED_FROM
from jaxlint.program import nodes as n
from jaxlint.tracer.state.frames import Frame, Moment
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Method,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.value import NONE, Const, Value, immutable


def function_under(value: Value) -> Function | None:
    """The function of the program at the bottom of wrappers and partials."""
    while True:
        if isinstance(value, Function):
            return value
        if isinstance(value, (BoundMethod, Partial, Transformed, Descriptor)):
            value = value.function
        else:
            found = _called_by(value)
            if found is None:
                return None
            value = found


def does_nothing(value: Value | None) -> bool:
    """Whether the body of a function of the program is ``...``, ``pass`` or a docstring alone."""
    function = function_under(value) if value is not None else None
    return function is not None and all(
        isinstance(statement, n.ExpressionStatement) and isinstance(statement.value, n.Constant)
        for statement in function.code.body
    )


def _called_by(value: Value) -> Value | None:
    """The function of the program that an instance, or a method of a library's, calls."""
    if isinstance(value, Instance):
        method = value.cls.find("__call__")
        return None if isinstance(method, Instance) else method
    if not isinstance(value, Method):
        return None
    receiver = value.receiver
    if isinstance(receiver, Transformed) and receiver.transform.entry(value.name) is not None:
        return receiver.function
    if isinstance(receiver, Instance):
        known = (receiver.cls.traits.module, value.name) in MODULE_METHODS
        return receiver.cls.find("__call__") if known else None
    return None


def function_like(value: Value | None) -> bool:
    """Whether a decorator can be applied to it."""
    kinds = (Function, Transformed, Partial, BoundMethod, Class, Descriptor, Choice)
    return isinstance(value, kinds)


def takes(function: Value, count: int) -> str:
    """How many arguments by position a function takes, where it is not that number of them.

    Empty where it takes them, or nobody can see that.
    """
    if not isinstance(function, Function) or function.wraps is not None:
        return ""
    parameters = function.code.parameters
    if any(each.kind in ("star", "double_star") for each in parameters):
        return ""
    positional = [each for each in parameters if each.kind != "keyword_only"]
    least = sum(each.default is None for each in positional)
    if least <= count <= len(positional):
        return ""
    return str(least) if least == len(positional) else f"{least} to {len(positional)}"


def is_code(value: Value) -> bool:
    """Whether it is a class, or a function of the program, however wrapped."""
    return isinstance(value, Class) or function_under(value) is not None


def name_of(function: Value) -> str:
    """What messages call a function."""
    found = function_under(function)
    if found is not None:
        under = function_under(found.wraps) if found.wraps is not None else None
        return name_of(under) if under is not None else found.code.name
    while isinstance(function, (Transformed, Partial, BoundMethod)):
        function = function.function
    return function.name.rpartition(".")[2] if isinstance(function, Qualified) else "the function"


def signature(function: Value) -> list[n.Parameter] | None:
    """The parameters a callable still takes; None when nobody can see them."""
    if isinstance(function, Function):
        if function.wraps is not None and _hands_on(function):
            return signature(function.wraps)
        return function.code.parameters
    if isinstance(function, BoundMethod):
        inner = signature(function.function)
        return inner[1:] if inner else inner
    if isinstance(function, Partial):
        inner = signature(function.function)
        if inner is None:
            return None
        left = inner[len(function.args) :]
        return [parameter for parameter in left if parameter.name not in function.kwargs]
    if isinstance(function, Transformed):
        return signature(function.function)
    if isinstance(function, Instance):
        method = function.cls.find("__call__")
        if method is None or isinstance(method, Instance):
            return None
        inner = signature(method)
        return inner[1:] if inner else inner
    return None


def is_method(function: Transformed) -> bool:
    """Whether a class has it: its first argument is an object of that."""
    target = function.function
    return isinstance(target, Function) and target.owner is not None and takes_receiver(target)


def takes_receiver(function: Function) -> bool:
    """Whether a function of a class that nobody in view calls is meant for an object of it.

    What is called otherwise may lie in a class for its name alone: ``Beam.stiffness(x)``.
    """
    parameters = function.code.parameters
    first = next((p for p in parameters if p.kind in ("positional", "positional_only")), None)
    return function.owner is not None and first is not None and first.name in RECEIVERS


def _hands_on(function: Function) -> bool:
    """Whether a function takes any arguments: those of what it wraps."""
    return any(parameter.kind == "star" for parameter in function.code.parameters)


def parameter_names(function: Value) -> list[str] | None:
    """Names of the parameters a callable still takes by position, in their order."""
    if isinstance(function, Qualified):
        return _measured_names(function.name)
    parameters = signature(function)
    if parameters is None:
        return None
    return [each.name for each in parameters if each.kind in ("positional_only", "positional")]


def _measured_names(name: str) -> list[str] | None:
    """Names of the parameters that a function of JAX takes by position."""
    measured = signature_of(name)
    if measured is None or measured.starred:
        return None
    return [each for each in measured.parameters if each not in measured.keyword_only]


def has_parameters(function: Value, names: Iterable[str]) -> bool:
    """Whether a callable in view has parameters of all these names."""
    parameters = signature(function) or ()
    return set(names) <= {parameter.name for parameter in parameters}


def wrapped(function: Value) -> tuple[str, Moment | None]:
    """What a transform was given, and when that was made; None for a lasting object."""
    if isinstance(function, Function):
        return ("lambda" if function.code.is_lambda else "inner function"), function.made
    if isinstance(function, Partial):
        return "partial", function.made
    if isinstance(function, BoundMethod):
        return "bound method", function.made
    if isinstance(function, Transformed):
        return "transformed function", function.made
    if isinstance(function, Qualified):
        return ("bound method" if function.made is not None else "same function"), function.made
    return "", None


def compiled(function: Transformed) -> tuple[str, Moment | None]:
    """What a transform that compiles tells from other functions, as :func:`wrapped` says it.

    Some see through what is a pytree: of a method they compare the object that it is bound to.
    """
    inner = function.function
    if isinstance(inner, BoundMethod) and function.transform.knows_methods:
        owner = inner.receiver
        return "bound method", owner.made if isinstance(owner, Instance) else None
    while function.transform.by_parts:
        if isinstance(inner, BoundMethod):
            receiver = inner.receiver
            if isinstance(receiver, Instance) and not receiver.cls.traits.pytree:
                return "bound method", receiver.made
        elif not (
            (isinstance(inner, Transformed) and inner.transform.by_parts)
            or (isinstance(inner, Partial) and inner.pytree)
        ):
            break
        inner = inner.function
    return wrapped(inner)


def free_variables(function: Function) -> Iterator[tuple[str, Value]]:
    """Name and value of each variable of the functions around it."""
    for name, holder in captured(function):
        yield name, holder.names[name]


def captured(function: Function) -> Iterator[tuple[str, Frame]]:
    """The variables of the functions around it that it reads, and the frame that holds each."""
    scope = function.code.scope
    for name in sorted((scope.reads | scope.inner_reads) - scope.bound):
        holder: Frame | None = function.frame
        while holder is not None and name not in holder.names:
            holder = holder.parent
        if holder is not None and holder.parent is not None:
            yield name, holder


# ------------------------------------------------------------------- chosen by options


def not_differentiated(function: Transformed) -> list[object]:
    """Positions of the parameters that no rule differentiates; None for each unknown one."""
    found = listed(function.options.get("nondiff_argnums", NONE))
    names = parameter_names(function.function) or []
    for name in listed(function.options.get("nondiff_argnames", NONE)):
        found.append(names.index(name) if isinstance(name, str) and name in names else None)
    return found


@immutable
class Chosen:
    """Parameters that options choose.

    Attributes:
        positions, names: which ones.
        known: False when the options cannot be read.
        apart: both options are given: what the one says of arguments by position says nothing of
            those by keyword, and the other way round. JAX finds one from the other only where
            that is left out.
    """

    positions: frozenset[int]
    names: frozenset[str]
    known: bool = True
    apart: bool = False

    def has(self, position: int, names: list[str] | None) -> bool:
        """Whether the argument at a position is chosen, by position or by name."""
        if position in self.positions:
            return True
        known = names is not None and position < len(names) and not self.apart
        return known and names is not None and names[position] in self.names

    def has_name(self, name: str, names: list[str] | None) -> bool:
        """Whether a keyword argument is chosen, by name or by position."""
        if name in self.names:
            return True
        known = names is not None and name in names and not self.apart
        return known and names is not None and names.index(name) in self.positions


def statics_of(function: Transformed) -> Chosen:
    """The static parameters of a transformed function."""
    transform = function.transform
    return chosen_by(function, transform.static_positions, transform.static_names)


def donated_by(function: Transformed) -> Chosen:
    """The donated parameters of a compiled function."""
    transform = function.transform
    if not transform.donate_from:
        return chosen_by(function, transform.donate_positions, transform.donate_names)
    word = listed(function.options.get(transform.donate_from, NONE))
    first = DONATED_FROM.get(str(word[0])) if word else None
    count = len(parameter_names(function.function) or ())
    return Chosen(frozenset(range(first, count) if first is not None else ()), frozenset())


def chosen_by(function: Transformed, positions_option: str, names_option: str) -> Chosen:
    """The parameters that two options of a transform choose."""
    positions, known_positions = _listed(function.options.get(positions_option) or NONE, int)
    names, known_names = _listed(function.options.get(names_option) or NONE, str)
    if any(position < 0 for position in positions):
        count = len(parameter_names(function.function) or ())
        positions = {p if p >= 0 else count + p for p in positions}
    given = [function.options.get(each, NONE) for each in (positions_option, names_option)]
    known = known_positions and known_names
    return Chosen(frozenset(positions), frozenset(names), known, NONE not in given)


def _listed(option: Value, kind: type) -> tuple[set, bool]:  # type: ignore[type-arg]
    found = listed(option)
    return {item for item in found if isinstance(item, kind)}, all(
        isinstance(item, kind) for item in found
    )


def listed(option: Value) -> list[object]:
    """The constants in an option that takes one or several; None for each unknown one."""
    if isinstance(option, Const):
        return [] if option.value is None else [option.value]
    if isinstance(option, Sequence) and option.items is not None:
        return [item.value if isinstance(item, Const) else None for item in option.items]
    return [None]
