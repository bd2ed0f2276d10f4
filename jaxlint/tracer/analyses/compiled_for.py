"""What tells one compilation from another: what no cache could serve, however it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeGuard

from jaxlint.knowledge.libraries import OF_FUNCTIONS
from jaxlint.tracer.analyses.repeating import (
    called_in,
    is_for_object,
    lies_within,
    objects_in,
    what_changes,
)
from jaxlint.tracer.callables import captured, free_variables
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Class,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.pytrees import children, leaves
from jaxlint.tracer.values.sizes import SizeOfPass
from jaxlint.tracer.values.value import ELEMENT, Const, Host, Unknown, Value, type_name

CHANGES = "another value at each call"

_NEVER_SIZES = frozenset({"float", "complex"})
"""Python numbers that are data wherever they stand."""

_Parts: TypeAlias = "list[tuple[str, Value]]"


def closed_over(function: Value, frame: Frame, loop: Loop | None) -> Iterator[object]:
    """What a function knows of the call ``frame``: shapes, and what is no data.

    Data could be arguments.
    """
    given = what_changes(frame, loop)

    def inside(value: Function) -> _Parts | None:
        if lies_within(value.frame, frame):
            return list(free_variables(value))
        return _of_this_pass(value, loop) if loop is not None else None

    for name, value in _brought_along(function, inside):
        if not isinstance(value, Function):
            yield from _told_by(name, value, loop)
        elif inside(value) is None:
            yield name, id(value.code)
        elif not given.isdisjoint({*objects_in(value.code), *called_in(value.code)}):
            yield CHANGES
        elif loop is not None and not lies_within(value.frame, frame):
            if is_for_object(value, loop):
                yield CHANGES


def known_of_pass(function: Value, loop: Loop) -> Iterator[object]:
    """What a function knows of one pass of a loop, in the same way; what it counts is data."""

    def inside(value: Function) -> _Parts | None:
        return _of_this_pass(value, loop)

    for name, value in _brought_along(function, inside):
        if isinstance(value, Function):
            if inside(value) is None:
                yield name, id(value.code)
        elif not (isinstance(value, Host) and value.varies):
            yield from _told_by(name, value, loop)


def could_be_given(function: Value, maker: Frame) -> bool:
    """Whether arguments could stand for what a function knows of the call that made it.

    Floats and arrays are data; what is told of an ``int`` may be a size.
    """
    while isinstance(function, Transformed):
        function = function.function
    return isinstance(function, Function) and all(
        _is_data(holder.names[name])
        for name, holder in captured(function)
        if lies_within(holder, maker)
    )


def shapes_of(values: Iterable[Value], loop: Loop | None) -> Iterator[object]:
    """What JAX asks of arrays before it runs what it has compiled."""
    for number, value in enumerate(values):
        if loop is not None and varying(value) is loop.node:
            yield CHANGES
        for place, leaf in enumerate(leaves(value)):
            yield from _told_by(f"{number}.{place}", leaf, loop) if is_array(leaf) else ()


def texts_given(frame: Frame, loop: Loop | None) -> Iterator[object]:
    """The texts that a call in a loop is given: they say which of several variants it is."""
    if loop is None or frame.function is None:
        return
    for parameter in frame.function.code.parameters:
        value = frame.names.get(parameter.name)
        if isinstance(value, Const) and isinstance(value.value, str):
            yield parameter.name, value.value
        elif isinstance(value, Host) and value.type == "str" and _is_element(value, loop):
            yield CHANGES


def varying(value: Value) -> object:
    """The loop at whose every iteration an argument has another shape."""
    if isinstance(value, Sequence):
        return value.contents.varies
    return value.varies if isinstance(value, (Array, NumpyArray, Unknown)) else None


def compared(value: Value) -> list[Value] | None:
    """What is compared of a container, pytree or dataclass; None: it has no parts."""
    if not isinstance(value, Instance):
        return children(value) if isinstance(value, (Mapping, Sequence)) else None
    cls, fields = value.cls, value.cls.traits.fields or {}
    if cls.traits.pytree is not None:
        return children(value)
    own = cls.find("__eq__") is not None or cls.find("__hash__") is not None
    if own or value.open or not cls.traits.plain_dataclass:
        return None
    kept = value.listed().items()
    return [each for name, each in kept if name in fields and fields[name].compared]


def same_by_identity(value: Value) -> bool:
    """Whether a value equals no other: two of them are two entries of the cache."""
    if isinstance(value, Instance):
        cls = value.cls
        own = cls.traits.library or cls.traits.plain_dataclass or cls.traits.pytree
        return not own and cls.find("__eq__") is None and cls.find("__hash__") is None
    if isinstance(value, Transformed):
        return value.transform.compiles and not value.transform.by_parts
    return isinstance(value, (Function, Partial))


def _brought_along(
    function: Value, inside: Callable[[Function], _Parts | None]
) -> Iterator[tuple[str, Value]]:
    """A callable and all that it brings along, each under the names that lead to it."""
    waiting: list[tuple[str, Value]] = [("", function)]
    seen: set[int] = set()
    while waiting:
        name, value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        parts = inside(value) if isinstance(value, Function) else _parts(value)
        waiting += [(f"{name}.{part}", each) for part, each in parts or ()]
        if isinstance(value, Function) or parts is None:
            yield name, value


def _parts(value: Value) -> _Parts | None:
    """The values that a callable brings along which is no function; None for what is none."""
    if isinstance(value, Partial):
        given = [*enumerate(value.args), *value.kwargs.items()]
        return [("", value.function), *((str(which), each) for which, each in given)]
    if isinstance(value, Transformed):
        return [("", value.function), *value.options.items()]
    if isinstance(value, External) and value.type in OF_FUNCTIONS and value.calls:
        return [(str(place), each) for place, each in enumerate(value.calls)]
    return [("", value.receiver)] if isinstance(value, BoundMethod) else None


def _of_this_pass(function: Function, loop: Loop) -> _Parts | None:
    """What a function that a pass of a loop makes knows of what the pass binds; else None."""
    if loop not in function.made.loops:
        return None
    scope = function.code.scope
    read = sorted(((scope.reads | scope.inner_reads) - scope.bound) & loop.binds)
    names = loop.frame.names
    return [*function.defaults.items(), *((name, names[name]) for name in read if name in names)]


def _told_by(name: str, value: Value, loop: Loop | None) -> Iterator[object]:
    """What a value tells from others that need a compilation of their own."""
    if is_array(value):
        if loop is not None and _has_another_shape(value, loop):
            yield CHANGES
        elif (shape := _known_shape(value)) is not None:
            yield name, shape
        return
    found = _python_value(value, loop)
    if found is not None:
        yield found if found is CHANGES else (name, found)


def _is_data(value: Value) -> bool:
    return is_array(value) or type_name(value) in _NEVER_SIZES


def is_array(value: Value) -> TypeGuard[Array | NumpyArray]:
    """Whether JAX looks at shape and dtype of a value alone."""
    return isinstance(value, (Array, NumpyArray))


def _has_another_shape(value: Array | NumpyArray, loop: Loop) -> bool:
    """Whether an array has another shape at each pass of a loop."""
    sizes = value.aval.shape or ()
    at_each = any(isinstance(size, SizeOfPass) and size.loop is loop.node for size in sizes)
    return at_each or value.varies is loop.node


def _known_shape(value: Array | NumpyArray) -> object:
    """Shape and dtype, if all of the sizes are known."""
    shape = value.aval.shape
    known = shape is not None and all(isinstance(size, int) for size in shape)
    return (shape, value.aval.dtype) if known else None


def _is_element(value: Host, loop: Loop | None) -> bool:
    """Whether it is another one of several that are known, at each pass of a loop."""
    symbol = value.symbol
    if not isinstance(symbol, tuple) or symbol[0] != ELEMENT:
        return False
    return loop is None or loop.node in symbol


def _python_value(value: Value, loop: Loop | None) -> object:
    """What tells a value from others that need a compilation of their own; None for data."""
    if isinstance(value, Host):
        changes = value.varies or value.type == "str" or _is_element(value, loop)
        return CHANGES if changes and value.type not in _NEVER_SIZES else None
    if isinstance(value, Const) and type_name(value) in _NEVER_SIZES:
        return None
    if isinstance(value, (Const, Class, Qualified)):
        return value.key()
    if isinstance(value, Instance) and not value.cls.traits.pytree:
        return value.key()
    return None
