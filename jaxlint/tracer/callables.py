"""Questions about callables: what they take, what is at the bottom of their wrappers."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.frames import Moment
from jaxlint.tracer.values import (
    BoundMethod,
    Descriptor,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
    Value,
)


def function_under(value: Value) -> Function | None:
    """The function of the program at the bottom of wrappers and partials."""
    while True:
        if isinstance(value, Function):
            return value
        if isinstance(value, (BoundMethod, Partial, Transformed, Descriptor)):
            value = value.function
        else:
            return None


def signature(function: Value) -> list[n.Parameter] | None:
    """The parameters a callable still takes; None when nobody can see them."""
    if isinstance(function, Function):
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


def parameter_names(function: Value) -> list[str] | None:
    """Names of the parameters a callable still takes."""
    parameters = signature(function)
    return None if parameters is None else [parameter.name for parameter in parameters]


def wrapped(function: Value) -> tuple[str, Moment | None]:
    """What a transform was given, and when that was made; None for a lasting object."""
    if isinstance(function, Function):
        return ("lambda" if function.code.is_lambda else "inner function"), function.moment
    if isinstance(function, Partial):
        return "partial", function.moment
    if isinstance(function, BoundMethod):
        return "bound method", function.moment
    if isinstance(function, Transformed):
        return "transformed function", function.moment
    return ("same function", None) if isinstance(function, Qualified) else ("", None)
