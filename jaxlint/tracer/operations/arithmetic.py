"""``left operator right`` and ``-value``."""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any

from jaxlint.events import ListArgument
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.floats import added
from jaxlint.tracer.operations.integers import negative, operated
from jaxlint.tracer.operations.misuse import misused_at
from jaxlint.tracer.operations.operands import DUNDER, refuses_operand
from jaxlint.tracer.operations.overloads import overloaded
from jaxlint.tracer.operations.ranges import note_operand
from jaxlint.tracer.operations.unfit import refuses_dtype, refuses_dtypes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import (
    ANY,
    Array,
    AtProperty,
    NumpyArray,
    Ref,
    Tree,
    aval_of_number,
    differing,
    kind_of,
)
from jaxlint.tracer.values.avals import Aval, Computed, elementwise, matmul
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    mapping,
    sequence,
)
from jaxlint.tracer.values.joins import any_element, join
from jaxlint.tracer.values.value import (
    NUMBERS,
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    is_string,
    replace,
    type_name,
)


def _power(left: Any, right: Any) -> Any:
    """``left ** right``; ValueError where the result would be too long to be worth it."""
    if abs(left) > _LARGEST_FOLD or abs(right) > _HIGHEST_POWER:
        raise ValueError
    return left**right


FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": python.add, "-": python.sub, "*": python.mul, "/": python.truediv,
    "**": _power, "//": python.floordiv, "%": python.mod, "&": python.and_, "|": python.or_,
    "^": python.xor, "==": python.eq, "!=": python.ne, "<": python.lt,
    "<=": python.le, ">": python.gt, ">=": python.ge,
}  # fmt: skip
_FOLDABLE = (int, float, str, bool)
_LARGEST_FOLD = 1 << 64
_HIGHEST_POWER = 64
_LONGEST_FOLD = 200
_KEEPS_CHANGING = frozenset({"+", "-", "*", "**", "//", "/"})


def binary(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    """``left operator right``."""
    if tracer.trail.gone and tracer.stack.level is None:
        tracer.analyses.on_read_buffers((left, right), node)
    for kind, apply in _BY_KIND.items():
        if type(left) is kind or type(right) is kind:
            return apply(tracer, operator, left, right, node)
    return _python(tracer, operator, left, right, node)


def fold(operator: str, left: Any, right: Any) -> Value:
    """An operation on two constants."""
    apply = FOLD.get(operator)
    if apply is None or not isinstance(left, _FOLDABLE) or not isinstance(right, _FOLDABLE):
        if apply is not None and operator in ("==", "!="):
            return Const(bool(apply(left, right)))
        return Host("object")
    if operator == "*" and (isinstance(left, str) or isinstance(right, str)):
        return Host("str")
    try:
        value = apply(left, right)
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN
    if isinstance(value, int) and abs(value) > _LARGEST_FOLD:
        return Host("int")
    if isinstance(value, str) and len(value) > _LONGEST_FOLD:
        return Host("str")
    return Const(value)


def _array(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    sensible = (Array, Const, Host, Clock, NumpyArray, Tree, Unknown)
    if not (isinstance(left, sensible) and isinstance(right, sensible)):
        if _refuses_list(tracer, operator, left, right, node):
            return UNKNOWN
        if refuses_operand(tracer, operator, left, right, node):
            return UNKNOWN
        return _overloaded(tracer, operator, left, right, node)
    if refuses_operand(tracer, operator, left, right, node):
        return UNKNOWN
    if is_string(left) or is_string(right):
        # No array takes one: what looks like an array is another string, or is formatted.
        return Host("str") if operator == "%" and is_string(left) else UNKNOWN
    _note_integers(tracer, operator, left, right, node)
    aval, contradiction = _computed(tracer, operator, left, right)
    if contradiction:
        note_mismatch(tracer, (left, right), node)
    elif refuses_dtypes(tracer, operator, left, right, aval.dtype, node):
        return UNKNOWN
    varies = (_varies(left) or _varies(right)) if operator != "@" else None
    found = tracer.array([left, right], node, "", aval, varies)
    found = added(tracer, operator, left, right, found, node)
    return operated(tracer, operator, left, right, found, node)


def _refuses_list(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> bool:
    """Whether one operand is a list or tuple, which no operator of an array takes."""
    array, other = (left, right) if isinstance(left, Array) else (right, left)
    if not isinstance(array, Array) or not isinstance(other, Sequence):
        return False
    if array.assumed or other.kind not in ("list", "tuple") or operator not in DUNDER:
        return False
    if operator == "*" and not array.rank and array.aval.shape is None:
        return False  # A number of times may be meant, and not to be traced.
    subject = node
    if isinstance(node, n.BinaryOperation):
        subject = node.left if other is left else node.right
    elif isinstance(node, n.AugmentedAssign) and other is left:
        subject, operator = node.target, f"{operator}="
    times = operator == "*" and array.rank == 0
    context = tracer.context(node, subject)
    tracer.emit(ListArgument(context, operator, other.kind, times=times))
    return True


def _note_integers(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> None:
    """An operand that is an integer which no array of 32 bits can hold."""
    first, second = (node.left, node.right) if isinstance(node, n.BinaryOperation) else (node, node)
    if operator != "@":  # It takes no integer.
        note_operand(tracer, left, right, node, second, exponent=operator == "**")
        note_operand(tracer, right, left, node, first)


def _ref(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    """A reference is no array: indexing reads it."""
    subject = node
    if isinstance(node, n.BinaryOperation):
        subject = node.left if isinstance(left, Ref) else node.right
    tracer.emit(ListArgument(tracer.context(node, subject), operator, "Ref"))
    return UNKNOWN


def _at(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    """``x.at[i]`` is no array: a method of it says what to do there."""
    if any(misused_at(tracer, each, "operand", node) for each in (left, right)):
        return UNKNOWN
    return tracer.unseen(left, right)


def _tree(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    if isinstance(left, Array) or isinstance(right, Array):
        return _array(tracer, operator, left, right, node)
    other = right if isinstance(left, Tree) else left
    if operator == "|" and isinstance(other, (Tree, Unknown)):
        return _merged(tracer, left, right)
    if isinstance(other, (Const, Host, Clock, NumpyArray, Tree, Unknown)) and not is_string(other):
        found = tracer.array([left, right], node)
        if isinstance(other, (Tree, Unknown)):
            # Objects of a library are pytrees, too, and may have operators of their own.
            return replace(found, assumed=True, no_list=operator != "+")
        return found
    return UNKNOWN


def _merged(tracer: Tracer, left: Value, right: Value) -> Value:
    """``defaults | params``: bits of arrays, or two dicts; of the one nobody knows what is left."""
    return (
        left if isinstance(left, Tree) and isinstance(right, Tree) else tracer.unseen(left, right)
    )


def _numpy(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    for other in (left, right):
        if isinstance(other, (Array, Tree)):
            return _array(tracer, operator, left, right, node)
    numbers = all(isinstance(one, (NumpyArray, Const, Host)) for one in (left, right))
    if not numbers:
        return UNKNOWN
    has_axes = any(isinstance(one, NumpyArray) and one.has_axes for one in (left, right))
    differs = differing((left, right))
    shape = _computed(tracer, operator, left, right).aval.shape
    varies = _varies(left) or _varies(right)
    return NumpyArray(Aval(shape), varies, has_axes=has_axes, differs=differs)


def _python(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    if refuses_operand(tracer, operator, left, right, node):
        return UNKNOWN
    if isinstance(left, Const) and isinstance(right, Const):
        return fold(operator, left.value, right.value)
    if isinstance(left, Clock) or isinstance(right, Clock):
        return _clocks(tracer, operator, left, right)
    if isinstance(left, (Const, Host)) and isinstance(right, (Const, Host)):
        return _host(operator, left, right)
    if isinstance(left, Sequence) and isinstance(right, Sequence) and operator == "+":
        return _concatenated(tracer, left, right)
    if isinstance(left, Sequence) and operator == "*":
        return _repeated(tracer, left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping) and operator == "|":
        return _united(tracer, left, right)
    return _overloaded(tracer, operator, left, right, node)


def _overloaded(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    """A class of the program that says what the operator does."""
    name = DUNDER.get(operator, "")
    for one, other, prefix in ((left, right, ""), (right, left, "r")):
        found = overloaded(tracer, one, f"__{prefix}{name}__", (other,), node)
        if found is not None:
            return found
    return tracer.unseen(left, right)


def in_place(tracer: Tracer, operator: str, old: Value, value: Value, node: n.Node) -> Value | None:
    """``old operator= value`` where the class of an object says what that is."""
    return overloaded(tracer, old, f"__i{DUNDER.get(operator, '')}__", (value,), node)


def _clocks(tracer: Tracer, operator: str, left: Value, right: Value) -> Value:
    if operator == "-" and isinstance(left, Clock) and isinstance(right, Clock):
        tracer.analyses.on_elapsed(left, right)
        return Host("float")
    later = left if isinstance(left, Clock) else right
    # `time.time() - 3600` is a clock still, the sum of two durations is none.
    if operator in ("+", "-") and is_number(right) and later is left:
        return later
    return Host("float", differs=differing((left, right)))


def _changes_with(operator: str, left: Const | Host, right: Const | Host) -> n.Node | bool | None:
    """What grows with a loop still does so after some operators; a span may stay the same."""
    changing = [value for value in (left, right) if isinstance(value, Host) and value.varies]
    if operator not in _KEEPS_CHANGING or any(value.capped for value in changing):
        return None
    if not changing or (operator == "-" and len(changing) > 1):
        return None
    return changing[0].varies


def _host(operator: str, left: Const | Host, right: Const | Host) -> Value:
    kinds = {type_name(left), type_name(right)}
    varies = _changes_with(operator, left, right)
    if kinds <= {"int", "bool"}:
        kind = "float" if operator == "/" else "int"
        grown = _grown(operator, left, right)
        return Host(kind, varies, differs=differing((left, right)), grown=grown)
    if kinds <= {"int", "bool", "float"}:
        return Host("float", varies, differs=differing((left, right)))
    if operator == "%" and is_string(left):
        return Host("str")
    if len(kinds) == 1 and kinds <= {"str", "shape"}:
        return Host(kinds.pop())
    return Host("object", differs=differing((left, right)))


def _grown(operator: str, left: Const | Host, right: Const | Host) -> tuple[object, int] | None:
    """How far the sum is from the number that a pass of a loop finds."""
    host, number = (left, right) if operator == "-" or isinstance(left, Host) else (right, left)
    if operator not in ("+", "-") or not isinstance(host, Host) or host.grown is None:
        return None
    if not isinstance(number, Const) or type(number.value) is not int:
        return None
    number_of, far = host.grown
    return number_of, far + number.value if operator == "+" else far - number.value


def _concatenated(tracer: Tracer, left: Sequence, right: Sequence) -> Value:
    made = tracer.stack.moment()
    if left.items is not None and right.items is not None:
        return sequence(left.kind, contents_of(left.items + right.items), made)
    return sequence(left.kind, contents_like(join(any_element(left), any_element(right))), made)


def _united(tracer: Tracer, left: Mapping, right: Mapping) -> Value:
    """Two dicts as one: of a key that both have, the right one says what it gives."""
    one, other = left.entries, right.entries
    known = {**one.known, **other.known}
    if other.rest is not None:
        known = {name: join(value, other.rest) for name, value in known.items()}
    rests = [rest for rest in (one.rest, other.rest) if rest is not None]
    rest = join(rests[0], rests[-1]) if rests else None
    return mapping(known, rest, tracer.stack.moment())


def _repeated(tracer: Tracer, left: Sequence, right: Value) -> Value:
    made = tracer.stack.moment()
    times = right.value if isinstance(right, Const) else None
    if left.items is not None and isinstance(times, int) and len(left.items) * times <= 64:
        return sequence(left.kind, contents_of(left.items * times), made)
    return sequence(left.kind, contents_like(any_element(left)), made)


def negated(tracer: Tracer, value: Value, node: n.Node) -> Value:
    """``-value``, ``+value``, ``~value``."""
    if isinstance(value, Tree):
        value = value.as_array()
    if isinstance(value, Array):
        if isinstance(node, n.UnaryOperation) and refuses_dtype(tracer, node.operator, value, node):
            return UNKNOWN
        found = tracer.array([value], node, "", value.aval, value.varies)
        minus = isinstance(node, n.UnaryOperation) and node.operator == "-"
        return negative(tracer, value, found, node) if minus else found
    if isinstance(value, Host):
        return replace(value, size=None, symbol=None, grown=None)
    if isinstance(value, NumpyArray):
        return value
    if isinstance(value, Const) and isinstance(node, n.UnaryOperation) and node.operator == "-":
        if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
            return Const(-value.value)
    return Host(type_name(value)) if is_number(value) else tracer.unseen(value)


def _computed(tracer: Tracer, operator: str, left: Value, right: Value) -> Computed:
    """What JAX knows of the result."""
    x64 = tracer.settings.x64
    first, second = aval_of(tracer, left), aval_of(tracer, right)
    if operator == "@":
        return matmul(first, second, x64)
    found, contradiction = elementwise(first, second, x64=x64)
    if operator == "/" and kind_of(found.dtype) in ("int", "bool"):
        found = replace(found, dtype="float32" if x64 is False else "float")
    return Computed(found, contradiction)


def aval_of(tracer: Tracer, value: Value) -> Aval:
    """What JAX makes of an operand: a Python number is a weak scalar."""
    if isinstance(value, (Array, NumpyArray)):
        return value.aval
    kind = type_name(value)
    return aval_of_number(kind, tracer.settings.x64) if kind in NUMBERS else ANY


def _varies(value: Value) -> n.Node | None:
    return value.varies if isinstance(value, (Array, NumpyArray)) else None


_BY_KIND: dict[type[Value], Callable[[Tracer, str, Value, Value, n.Node], Value]] = {
    Ref: _ref,
    AtProperty: _at,
    Array: _array,
    Tree: _tree,
    NumpyArray: _numpy,
}
