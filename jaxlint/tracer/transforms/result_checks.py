"""What the functions of ``scan``, ``cond`` and loops return, against what they must."""

from __future__ import annotations

from jaxlint.events import StructureMismatch, Untraceable, VaryingAxis
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.transform import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.leaf_types import without_type
from jaxlint.tracer.values.arrays import ANY, Array, NumpyArray, aval_of_number
from jaxlint.tracer.values.avals import Aval, describe
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.dtypes import DType, promote, same
from jaxlint.tracer.values.placement import varying_in
from jaxlint.tracer.values.pytrees import parts_of, side_by_side
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.structures import other_structure
from jaxlint.tracer.values.value import NONE, Value, is_number, type_name

Types = tuple[str, str]
"""Two types in JAX's short form."""

_PAIR = 2


def note_structure(
    tracer: Tracer,
    name: str,
    transform: Transform,
    results: list[Value],
    arguments: Arguments,
    node: n.Node,
) -> None:
    """What the functions of ``scan``, ``cond`` and loops return, against what they must."""
    if tracer.stack.jit_disabled and not transform.always:
        return
    if any(_has_no_type(tracer, name, transform, result, node) for result in results):
        return
    if transform.goes_on is not None:
        for result in results[transform.goes_on : transform.goes_on + 1]:
            _note_condition(tracer, name, result, node)
    pair = carried(transform, arguments, results)
    if transform.pair and results and _is_no_pair(results[0], pair):
        tracer.emit(StructureMismatch(tracer.context(node), "scan", name))
    elif pair is not None:
        _note_pair(tracer, name, transform, pair, "carry", node)
    elif transform.same_structure:
        for result in results[1:]:
            _note_pair(tracer, name, transform, (results[0], result), "branches", node)


def _has_no_type(
    tracer: Tracer, name: str, transform: Transform, result: Value, node: n.Node
) -> bool:
    """Whether a function returns what JAX has no type for; the event is recorded.

    Those of libraries may take apart what is no array by themselves.
    """
    compiled = transform.pair or transform.carry is not None or transform.exclusive
    if not compiled or not name.startswith(f"{jax_api.PACKAGE}."):
        return False
    kind, _ = without_type(result)
    if kind:
        tracer.emit(Untraceable(tracer.context(node), kind, name))
    return bool(kind)


def _note_condition(tracer: Tracer, name: str, given: Value, node: n.Node) -> None:
    """What says whether a loop goes on, and is not one boolean."""
    found = _type_of(tracer, given)
    container = isinstance(given, (Sequence, Mapping)) or parts_of(given) is not None
    wrong = "a container" if container else ""
    wrong = "None" if given is NONE else wrong
    if not wrong and (found.shape or DType(found.dtype).name not in ("bool", None)):
        wrong = describe(found)
    if wrong:
        event = StructureMismatch(tracer.context(node), "condition", name, "bool[]", wrong)
        tracer.emit(event)


def _note_pair(
    tracer: Tracer,
    name: str,
    transform: Transform,
    pair: tuple[Value, Value],
    part: str,
    node: n.Node,
) -> None:
    """Two pytrees that must be alike in structure, shapes and dtypes."""
    if other_structure(*pair):
        tracer.emit(StructureMismatch(tracer.context(node), part, name))  # type: ignore[arg-type]
    elif transform.same_types and not tracer.stack.unchecked() and (axis := _differs_along(*pair)):
        tracer.emit(VaryingAxis(tracer.context(node), axis, part, name))  # type: ignore[arg-type]
    elif transform.same_types:
        types = _different_types(tracer, *pair, carried=part == "carry")
        if types is not None:
            event = StructureMismatch(tracer.context(node), part, name, *types)  # type: ignore[arg-type]
            tracer.emit(event)


def carried(
    transform: Transform, arguments: Arguments, results: list[Value]
) -> tuple[Value, Value] | None:
    """What a loop takes in at first, and what its body hands on to the next iteration."""
    returned = _first_of_pair(results[0]) if transform.pair and results else results
    carry = transform.carry
    if carry is None or carry.callee >= len(returned):
        return None
    before = arguments.get(carry.position, carry.keyword)
    return None if before is None else (before, returned[carry.callee])


def _first_of_pair(result: Value) -> list[Value]:
    """The carry that the body of a scan returns, if it is in view: any container of two is a pair.

    JAX takes the values of a dict by their sorted keys.
    """
    parts = parts_of(result) or {}
    names = sorted(parts, key=str) if isinstance(result, Mapping) else list(parts)
    return [parts[name] for name in names[:1]] if len(parts) == _PAIR else []


def _is_no_pair(result: Value, pair: tuple[Value, Value] | None) -> bool:
    """Whether the body of a scan returns no pair; the new carry alone may be of two parts."""
    if pair is not None:
        return other_structure(*pair) and not other_structure(pair[0], result)
    parts = parts_of(result)
    if parts is not None:
        return len(parts) != _PAIR
    return isinstance(result, Array) or result is NONE or is_number(result)


def _differs_along(one: Value, other: Value) -> str:
    """The axis of a mesh along which one of two pytrees differs, and the other does not."""
    for left, right in side_by_side(one, other):
        before, after = varying_in(left), varying_in(right)
        if before is not None and after is not None and before != after:
            return min(before ^ after)
    return ""


def _different_types(tracer: Tracer, one: Value, other: Value, carried: bool) -> Types | None:
    """The first two arrays in one place of two pytrees whose types JAX cannot make equal.

    It makes the weak type of a carry strong, and promotes nothing in branches.
    """
    for left, right in side_by_side(one, other):
        before, after = _type_of(tracer, left), _type_of(tracer, right)
        differ = _differ_in_dtype(before.typed, after.typed, carried, tracer.settings.x64)
        if differ or unequal(before.shape, after.shape):
            return describe(before), describe(after)
    return None


def _differ_in_dtype(before: DType, after: DType, carried: bool, x64: bool | None) -> bool:
    """Whether two dtypes cannot be made equal: a weak carry becomes what promotion says."""
    if carried and before.weak is None:
        return False
    begins = promote((before, after), x64) if carried and before.weak else before
    return not same(DType(begins.name), DType(after.name))


def _type_of(tracer: Tracer, value: Value) -> Aval:
    """The type that JAX gives a leaf, as far as it is known."""
    if isinstance(value, Array) and not value.assumed:
        return value.aval
    if isinstance(value, NumpyArray):
        return Aval(value.aval.shape)
    if is_number(value):
        return aval_of_number(type_name(value), tracer.settings.x64)
    return ANY
