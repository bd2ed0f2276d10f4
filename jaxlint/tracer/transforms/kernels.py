"""What a kernel of Pallas is given: a reference for each argument, and one for each result."""

from __future__ import annotations

from jaxlint.knowledge.pallas import CUTS_ARGUMENTS, CUTS_RESULTS, MORE_REFS
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import signature
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.values.arrays import ANY, Array, NumpyArray, Ref
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import NONE, UNKNOWN, Value


def parameters_of_results(function: Transformed, arguments: Arguments) -> list[n.Parameter]:
    """The parameters that are references for results: those after the arguments."""
    after = (signature(function.function) or [])[len(arguments.args) :]
    shapes = function.options.get("out_shape")
    count: int | None = None
    if isinstance(shapes, Sequence):
        count = len(shapes.items) if shapes.items is not None else 1
    elif not MORE_REFS.isdisjoint(function.options):
        count = 1
    return [each for each in after if each.kind in ("positional", "positional_only")][:count]


def for_argument(function: Transformed, value: Value) -> Ref:
    """The reference to an argument, of which each step of a grid may get a block."""
    if isinstance(value, Array):
        aval = value.aval
    elif isinstance(value, NumpyArray):
        aval = Aval(value.aval.shape)
    else:
        aval = ANY
    return Ref(_cut(aval, function, CUTS_ARGUMENTS))


def for_results(function: Transformed, arguments: Arguments) -> tuple[Value, ...]:
    """The references to the results of a call whose arguments are all in view."""
    if not arguments.closed:
        return ()
    shapes = function.options.get("out_shape")
    several = shapes.items if isinstance(shapes, Sequence) else (shapes,)
    found = tuple(_for_result(function, each) for each in several or ())
    takes = len(parameters_of_results(function, arguments))
    return found if takes_more(function) and not has_more(function) else found[:takes]


def takes_more(function: Transformed) -> bool:
    """Whether a kernel takes any number of references: ``*refs``."""
    return any(each.kind == "star" for each in signature(function.function) or ())


def has_more(function: Transformed) -> bool:
    """Whether nobody in view knows how many references a kernel gets."""
    shapes = function.options.get("out_shape")
    several = isinstance(shapes, Sequence) and shapes.items is None
    return several or not MORE_REFS.isdisjoint(function.options)


def _for_result(function: Transformed, shape: Value | None) -> Value:
    """The reference to a result; of a container of results a container, and None of None."""
    if shape is NONE:
        return NONE
    if isinstance(shape, (Sequence, Mapping)):
        return UNKNOWN
    aval = shape.aval if isinstance(shape, External) else None
    return Ref(_cut(aval or ANY, function, CUTS_RESULTS))


def _cut(aval: Aval, function: Transformed, by: frozenset[str]) -> Aval:
    """What is known of a block, where an option may say of which."""
    return aval if by.isdisjoint(function.options) else Aval(None, aval.dtype, aval.weak)
