"""``left operator right`` for comparison operators, ``in`` and ``is``."""

from __future__ import annotations

from jaxlint.events import BoolConversion, NanComparison
from jaxlint.knowledge.packages import is_module
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.arithmetic import aval_of, fold
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.integers import compared
from jaxlint.tracer.operations.overloads import compared_by_class, overloaded
from jaxlint.tracer.operations.predictions import compared_with_labels
from jaxlint.tracer.operations.ranges import note_operand
from jaxlint.tracer.operations.truth import followed, stays, truth
from jaxlint.tracer.operations.types import answer, is_type_of, modules_named, names_tracer
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree, refuses_bool
from jaxlint.tracer.values.avals import Aval, elementwise
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.joins import same
from jaxlint.tracer.values.objects import Choice, Class, Function, Instance, Qualified
from jaxlint.tracer.values.value import (
    GIVEN_FOR_NONE,
    LIKELY,
    LOOKED_UP,
    NAMED,
    NONE,
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    is_string,
    replace,
)


def compare(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    """``left operator right``."""
    if names_tracer(left, right) or names_tracer(right, left):
        about: object = (LIKELY, id(node))
        return Unknown(symbol=("not", about) if operator in ("!=", "not in") else about)
    _note_nan(tracer, operator, left, right, node)
    if operator in ("is", "is not"):
        found = identical(tracer, left, right)
        if found is None:
            return _about(tracer, operator, left, right, node) or Host("bool")
        return Const(found is (operator == "is"))
    if operator in ("in", "not in"):
        said = _in_module(operator, left, right, node)
        return said if said is not None else _contains(tracer, operator, left, right, node)
    if isinstance(left, Const) and isinstance(right, Const):
        return fold(operator, left.value, right.value)
    if operator in ("==", "!=") and (is_no_such(left, right) or is_no_such(right, left)):
        return Const(operator == "!=")
    said = compared_by_class(tracer, operator, left, right, node)
    if said is not None:
        return said
    alike = _same_named(left, right) if operator in ("==", "!=") else None
    if alike is not None:
        return Const(alike is (operator == "=="))
    if isinstance(left, (Array, Tree)):
        return _array(tracer, operator, left, right, (left, right), node)
    if isinstance(right, (Array, Tree)):
        return _array(tracer, operator, right, left, (left, right), node)
    if isinstance(left, NumpyArray) or isinstance(right, NumpyArray):
        shape = elementwise(aval_of(tracer, left), aval_of(tracer, right)).aval.shape
        return NumpyArray(Aval(shape, "bool"))
    asked = _about(tracer, operator, left, right, node)
    if asked is not None:
        return asked
    python = (Host, Const, Clock)
    if isinstance(left, python) and isinstance(right, python):
        return Host("bool")
    return tracer.unseen(left, right)


def is_no_such(value: Value, other: Value) -> bool:
    """Whether a constant is none of the few texts of which a value is one."""
    if not isinstance(value, Host) or not isinstance(other, Const):
        return False
    return bool(value.among) and other.value not in value.among


def _note_nan(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> None:
    """Note an array that is compared with NaN: no number is equal to it, nor NaN itself."""
    for one, other, where in ((left, right, 0), (right, left, 1)):
        if not _is_nan(one) or not isinstance(other, (Array, Tree, NumpyArray)):
            continue
        if operator not in ("in", "not in") or (where == 0 and not isinstance(other, Tree)):
            tracer.emit(NanComparison(tracer.context(node, node), operator, operator in _UNEQUAL))


_UNEQUAL = frozenset({"!=", "is not", "not in"})


def _is_nan(value: Value) -> bool:
    number = value.value if isinstance(value, Const) else None
    return isinstance(number, float) and number != number


def _about(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value | None:
    """A test of an unknown value: what it says holds whenever it is asked again."""
    symbol = asked_of(left)
    if right is NONE and isinstance(left, Unknown) and left.passed and not left.present:
        symbol = (GIVEN_FOR_NONE, symbol or id(node))
    if symbol is None or not isinstance(right, Const):
        return None
    negative = {"is not": "is", "!=": "=="}.get(operator)
    about: object = (operator, symbol, right.key())
    if negative is not None:
        about = ("not", (negative, symbol, right.key()))
    made = UNKNOWN if "is" in (operator, negative) else tracer.unseen(left)
    return replace(made, symbol=about)


def asked_of(value: Value) -> object:
    """What a test of a value asks about: the value, or the name of one from outside."""
    return (NAMED, value.name) if isinstance(value, Qualified) else symbol_of(value)


def symbol_of(value: Value) -> object:
    """What tells an unknown value from others; None where nothing does."""
    if isinstance(value, (Unknown, Host, Array, Tree)):
        return value.symbol
    return None


def _array(
    tracer: Tracer,
    operator: str,
    one: Array | Tree,
    other: Value,
    operands: tuple[Value, Value],
    node: n.Node,
) -> Value:
    if operator in ("==", "!=") and not isinstance(other, (Array, Tree, NumpyArray)):
        if other is NONE or is_string(other):
            return Const(operator == "!=") if isinstance(one, Array) else Host("bool")
        if not is_number(other):
            return tracer.unseen(one)
    if isinstance(other, (Sequence, Mapping, Instance)) or is_string(other):
        return UNKNOWN
    shape = None
    note_operand(tracer, one, other, node, node)
    if isinstance(one, Array):
        found, contradiction = elementwise(one.aval, aval_of(tracer, other))
        shape = found.shape
        if contradiction:
            note_mismatch(tracer, operands, node)
    compared(tracer, *operands)
    answers = tracer.array(operands, node, "", Aval(shape, "bool", False))
    return compared_with_labels(operator, operands, answers, node)


def _in_module(operator: str, left: Value, right: Value, node: n.Node) -> Value | None:
    """Whether a part is in the name of the module that the type of an array comes from."""
    modules, certain = modules_named(right)
    part = left.value if isinstance(left, Const) else None
    found = {part in module for module in modules} if isinstance(part, str) else set()
    return answer(found.pop() is (operator == "in"), certain, node) if len(found) == 1 else None


def _contains(tracer: Tracer, operator: str, left: Value, right: Value, node: n.Node) -> Value:
    if isinstance(right, Mapping) or (isinstance(right, Sequence) and right.kind == "set"):
        hashed(tracer, left, node, "in")
    if isinstance(right, Tree) and is_string(left):
        about: object = (LOOKED_UP, id(node))
        return Host("bool", symbol=about if operator == "in" else ("not", about))
    said = overloaded(tracer, right, "__contains__", (left,), node)
    if said is not None:
        holds = truth(tracer, said, node, "in")
        return Host("bool") if holds is None else Const(holds is (operator == "in"))
    among = _among(tracer, left, right)
    if among is not None:
        return Const(among is (operator == "in"))
    if isinstance(right, Mapping) and not right.entries.all():
        frame = tracer.stack.frame
        # In a loop another key is looked for each time: of the first, nobody speaks.
        if followed(tracer, right.made) and all(each.frame is not frame for each in frame.loops):
            return Const(operator == "not in")  # Whatever is looked for, it is empty.
    if isinstance(right, Mapping) or isinstance(left, Const):
        if isinstance(right, Mapping) and isinstance(left, Const) and right.entries.rest is None:
            return Const((left.value in right.entries.known) is (operator == "in"))
    elif isinstance(left, Host) and left.type == "type" and isinstance(right, Sequence):
        found = None if left.of is None else _type_among(left.of, right)
        return Const(found is (operator == "in")) if found is not None else Host("bool")
    elif isinstance(right, Sequence) and right.kind != "set":
        # A list compares one by one, which asks each comparison for its truth.
        asked = _found(tracer, left, right, node)
        if refuses_bool(asked):
            tracer.emit(BoolConversion(tracer.context(node, node, asked), "in"))
        return Host("bool")
    if refuses_bool(right) and (is_number(left) or isinstance(left, Array)):
        tracer.emit(BoolConversion(tracer.context(node, node, right), "in"))
    return Host("bool")


def _among(tracer: Tracer, value: Value, container: Value) -> bool | None:
    """Whether a constant is one of those in a list, tuple, set or text, None when not certain.

    What is one of a few constants is, where each of them is.
    """
    if isinstance(value, Host) and value.among:
        found = {_among(tracer, Const(each), container) for each in value.among}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Const) and isinstance(container, Const):
        part, whole = value.value, container.value
        return part in whole if isinstance(part, str) and isinstance(whole, str) else None
    if not isinstance(container, Sequence) or container.items is None:
        return None
    if container.kind not in ("list", "tuple", "set"):
        return None
    if container.kind != "tuple" and not followed(tracer, container.made):
        if not stays(tracer, container):
            return None
    if not container.items:
        return False
    if not isinstance(value, Const) or not all(isinstance(x, Const) for x in container.items):
        return None
    return any(isinstance(x, Const) and x.value == value.value for x in container.items)


def _type_among(value: Value, types: Sequence) -> bool | None:
    """``type(value) in types``, None when that is not certain."""
    if types.items is None:
        return None
    found = [is_type_of(value, each) for each in types.items]
    return True if True in found else None if None in found else False


def _found(tracer: Tracer, value: Value, container: Sequence, node: n.Node) -> Value:
    """What comes of comparing a value with the elements of a list."""
    contents = container.contents
    elements = contents.items if contents.items is not None else (contents.element,)
    if isinstance(value, Tree) and not value.container and not value.optional:
        if elements and all(map(is_number, elements)):
            value = value.as_array()  # What is looked for among numbers is one.
    if not isinstance(value, Array):
        return UNKNOWN
    if not any(is_number(item) or isinstance(item, Array) for item in elements):
        return UNKNOWN
    return tracer.array([value, *elements], node, "", Aval(None, "bool", False))


def identical(tracer: Tracer, left: Value, right: Value) -> bool | None:
    """``left is right``; None when not certain."""
    for one, other in ((left, right), (right, left)):
        if other is NONE:
            return _is_none(tracer, one)
        if isinstance(one, Host) and one.type == "type" and one.of is not None:
            return is_type_of(one.of, other)
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value is right.value
    if isinstance(left, (Function, Class)) and isinstance(right, (Function, Class)):
        if left is right:
            return True
        return None if same(left, right) else False
    return _same_module(left, right)


def _same_named(left: Value, right: Value) -> bool | None:
    """``left == right`` for modules and types; None when that is not certain."""
    if isinstance(left, Host) and left.type == "type" and left.of is not None:
        return is_type_of(left.of, right)
    return _same_module(left, right)


def _same_module(left: Value, right: Value) -> bool | None:
    """Whether two modules are one; None when that is not certain: a package may name one twice."""
    if not (isinstance(left, Qualified) and isinstance(right, Qualified)):
        return None
    if not (is_module(left.name) and is_module(right.name)):
        return None
    if left.name == right.name:
        return True
    same_package = left.name.partition(".")[0] == right.name.partition(".")[0]
    return None if same_package else False


def _is_none(tracer: Tracer, value: Value) -> bool | None:
    if value is NONE:
        return True
    symbol = symbol_of(value)
    if symbol is not None:
        known = tracer.facts.get(("is", symbol, NONE.key()))
        if known is not None:
            return bool(known)
    if isinstance(value, Choice):
        nothing = {option is NONE for option, _ in value.agreeing(tracer.facts)}
        return nothing.pop() if len(nothing) == 1 else None
    if isinstance(value, Array):
        return None if value.assumed else False
    if isinstance(value, Unknown):
        return False if value.present else None
    if isinstance(value, Tree):
        return None
    if isinstance(value, Host):
        return None if value.type == "object" else False
    return False
