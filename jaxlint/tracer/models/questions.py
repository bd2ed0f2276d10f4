"""Functions of Python that ask: for a truth value, for an order, for a type or an attribute."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import BoolConversion
from jaxlint.knowledge import array_names, jax_api, python_api
from jaxlint.knowledge.history import came_in, change_of
from jaxlint.knowledge.libraries import LISTS, SAYS_DATA
from jaxlint.knowledge.library_history import came_in_library, change_in_library
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.operations.comparison import symbol_of
from jaxlint.tracer.operations.iteration import element_of, iterate
from jaxlint.tracer.operations.truth import truth
from jaxlint.tracer.operations.types import (
    has_attribute,
    is_bare,
    is_called,
    is_given,
    is_instance,
    lacks,
    may_be_tracer,
    plain_attribute,
    type_names,
)
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree, refuses_bool
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    sequence,
)
from jaxlint.tracer.values.joins import join_all
from jaxlint.tracer.values.objects import Instance, Qualified
from jaxlint.tracer.values.value import (
    FALSE,
    LIKELY,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    likely,
    replace,
    type_name,
)


def _bool(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if not arguments.args:
        return FALSE
    tracer.analyses.on_wait(arguments.args[0], node, "bool()")
    found = truth(tracer, arguments.args[0], node, "bool()")
    return Host("bool") if found is None else (TRUE if found else FALSE)


def _any_all(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    elements = _compared(tracer, arguments.args[0], node) if len(arguments.args) == 1 else None
    _ask_truth(tracer, name, elements or [], node, _one_array(arguments))
    answers = _in_view(arguments.args[0]) if len(arguments.args) == 1 else None
    if answers is not None:
        return Const(any(answers) if name == "any" else all(answers))
    found = {_likely(element) for element in elements or ()}
    sure = next(iter(found)) if len(found) == 1 else None
    if sure is None:
        return Host("bool")
    about = (LIKELY, id(node))
    return Unknown(symbol=about if sure else ("not", about))


def _in_view(answers: Value) -> list[bool] | None:
    """Several answers, if each of them is in view."""
    items = answers.items if isinstance(answers, Sequence) else None
    known = [item.value for item in items or () if isinstance(item, Const)]
    every = items is not None and len(known) == len(items)
    return known if every and all(isinstance(each, bool) for each in known) else None


def _likely(answer: Value) -> bool | None:
    """Whether an answer is yes, but for what nobody in view shows; None when that is open."""
    if isinstance(answer, Const) and isinstance(answer.value, bool):
        return answer.value
    return likely(symbol_of(answer))


def _one_array(arguments: Arguments) -> bool:
    return len(arguments.args) == 1 and isinstance(arguments.args[0], Array)


def _ask_truth(
    tracer: Tracer, name: str, values: list[Value], node: n.Node, of_array: bool = False
) -> Value | None:
    refusing = next((value for value in values if refuses_bool(value)), None)
    if refusing is not None:
        context = tracer.context(node, node, refusing)
        tracer.emit(BoolConversion(context, f"{name}()", of_array=of_array))
    return refusing


def _extremum(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    values = list(arguments.args)
    if len(values) == 1 and arguments.open_args is None:
        elements = _compared(tracer, values[0], node)
        if elements is None:
            return UNKNOWN
        values = elements
    key = arguments.kwargs.get("key", NONE)
    if key is not NONE:
        keys = [tracer.call(key, Arguments((value,)), node) for value in values[:2]]
        if len(values) > 1:
            _ask_truth(tracer, name, keys[:1], node)
        return _in_order(tracer, name, values)
    if any(is_number(value) or isinstance(value, Array) for value in values):
        # What is compared with a number is one: no container can be.
        values = [value.as_array() if isinstance(value, Tree) else value for value in values]
    of_array = _one_array(arguments)
    compared = [_comparison(tracer, value, node) for value in values]
    refusing = _ask_truth(tracer, name, compared, node, of_array) if len(values) > 1 else None
    if name != "sorted" and len(values) > 1 and all(isinstance(v, (Const, Host)) for v in values):
        return _extreme_number(name, values)
    return (
        refusing if refusing is not None and name != "sorted" else _in_order(tracer, name, values)
    )


def _in_order(tracer: Tracer, name: str, values: list[Value]) -> Value:
    """One of several, or all of them: which comes first, nobody knows."""
    if not values:
        return UNKNOWN
    found = join_all(values)
    if name != "sorted":
        return found
    return sequence("list", contents_like(found), tracer.stack.moment())


def _comparison(tracer: Tracer, value: Value, node: n.Node) -> Value:
    """What a comparison gives whose truth is asked: in a trace also of an array with data."""
    known = isinstance(value, Array) and value.traced is False
    return tracer.array([value], node, "") if known else value


def _extreme_number(name: str, values: list[Value]) -> Value:
    """The greatest or least of some Python numbers: what a counter leads to keeps changing.

    The least of that and another, as in ``min(start + size, n)``, does not for ever.
    """
    loops = [value.varies for value in values if isinstance(value, Host) and value.varies]
    found = join_all(values)
    if loops and is_number(found):
        capped = name == "min" and len(loops) < len(values)
        return Host(type_name(found), varies=loops[0], capped=capped)
    return found


def _compared(tracer: Tracer, value: Value, node: n.Node) -> list[Value] | None:
    """What ``max``, ``any`` and the like look at one by one; None when unknown."""
    if isinstance(value, Array):
        if value.rank == 0:
            return []
        element = replace(value, aval=element_of(value), prng=None)
        return [element, element]
    if isinstance(value, (Sequence, Mapping, NumpyArray)):
        elements = iterate(tracer, value, node)
        return elements if isinstance(elements, list) else [elements, elements]
    return None


def _isinstance(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) != 2:
        return Host("bool")
    value, types = arguments.args
    if type_names(types) <= python_api.CALLABLE_TYPES:
        return _callable(tracer, name, Arguments((value,)), node)
    found = is_instance(value, types)
    if found is not None:
        return TRUE if found else FALSE
    if is_given(value) and type_names(types) <= jax_api.TRACER_TYPES:
        return Unknown(symbol=(LIKELY, id(node)))
    symbol = symbol_of(value)
    if symbol is not None and isinstance(value, (Unknown, Host)):
        return Unknown(symbol=("isinstance", symbol, types.key()))
    return Host("bool")


def _issubclass(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) != 2:
        return Host("bool")
    cls, types = arguments.args
    if isinstance(cls, Qualified) and cls.name in type_names(types):
        return TRUE
    found = is_instance(cls.of, types) if isinstance(cls, Host) and cls.of is not None else None
    if found is not None:
        return TRUE if found else FALSE
    return _host_bool(tracer, name, arguments, node)


def _hasattr(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if len(arguments.args) == 2 and isinstance(arguments.args[1], Const):
        owner, attribute = arguments.args[0], arguments.args[1].value
        there = (
            has_attribute(owner, attribute)
            if isinstance(owner, Instance)
            else plain_attribute(owner, attribute)
        )
        if there is not None:
            return TRUE if there else FALSE
        if lacks(owner, attribute):
            return FALSE
        if tracer.stack.frame.certain and isinstance(owner, Instance) and is_bare(owner, attribute):
            return FALSE
        certain = isinstance(owner, Array) and not owner.assumed
        if certain and attribute in jax_api.ARRAY_EVIDENCE | jax_api.ARRAY_PROTOCOL:
            return TRUE
        if isinstance(owner, Array) and certain and owner.aval.shape is not None:
            if isinstance(attribute, str) and not array_names.ever_on_arrays(attribute):
                return FALSE
        if isinstance(owner, Qualified) and _is_newer(f"{owner.name}.{attribute}"):
            return Unknown(symbol=(LIKELY, id(node)))  # What lacks it is an older release.
        if attribute in jax_api.TRACER_EVIDENCE and may_be_tracer(owner):
            return Unknown(symbol=(LIKELY, id(node)))
    return _host_bool(tracer, name, arguments, node)


def _is_newer(name: str) -> bool:
    """Whether a release of JAX, or of a library, was the first with a name that is still there."""
    if change_of(name) is not None or change_in_library(name) is not None:
        return False
    return bool(came_in(name) or came_in_library(name)[1]) or name in LISTS | SAYS_DATA


def _callable(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    value = arguments.args[0] if arguments.args else UNKNOWN
    if function_like(value):
        return TRUE
    if isinstance(value, (Const, NumpyArray)) or (isinstance(value, Array) and not value.assumed):
        return FALSE
    called = is_called(value) if isinstance(value, Instance) else None
    if called is not None:
        return TRUE if called else FALSE
    return _host_bool(tracer, name, arguments, node)


def _host_bool(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    symbols = [symbol_of(value) for value in arguments.args[:1]]
    if (
        symbols
        and symbols[0] is not None
        and all(isinstance(value, Const) for value in arguments.args[1:])
    ):
        rest = tuple(value.key() for value in arguments.args[1:])
        return Unknown(symbol=(name, symbols[0], rest))
    return Host("bool")


QUESTIONS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "bool": _bool,
    "min": _extremum,
    "max": _extremum,
    "sorted": _extremum,
    "any": _any_all,
    "all": _any_all,
    "isinstance": _isinstance,
    "callable": _callable,
    "hasattr": _hasattr,
    "issubclass": _issubclass,
}
"""Name -> its model."""
