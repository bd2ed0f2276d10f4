"""What a test that holds (or does not) says about the names in it."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.values import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Array,
    Const,
    Host,
    Qualified,
    Sequence,
    Tree,
    Unknown,
    Value,
)

_HOST_TYPES = {"builtins.int", "builtins.float", "builtins.bool", "builtins.str"}
_CONTAINERS = {"builtins.list", "builtins.tuple", "builtins.dict", "builtins.set"}
_TRACERS = {"jax.core.Tracer", "jax.Array", "jax.numpy.ndarray", "jax.typing.ArrayLike"}
_PREDICATES = {"isinstance", "callable", "hasattr"}
_NEVER_A_TRACER = {*_HOST_TYPES, "builtins.complex", "numpy.ndarray", "numpy.generic"}


def narrow(machine: Machine, test: n.Node, holds: bool) -> None:
    """Refine the names of the current frame by a test's outcome."""
    if isinstance(test, n.UnaryOperation) and test.operator == "not":
        narrow(machine, test.operand, not holds)
    elif isinstance(test, n.BooleanOperation):
        if holds is (test.operator == "and"):
            narrow(machine, test.left, holds)
            narrow(machine, test.right, holds)
    elif isinstance(test, n.Comparison) and len(test.operators) == 1:
        _narrow_comparison(machine, test, holds)
    elif isinstance(test, n.Call):
        if isinstance(test.function, n.Name) and test.function.id in _PREDICATES:
            _narrow_call(machine, test, test.function.id, holds)
        else:
            _forget_tested(machine, test)
    elif isinstance(test, n.Walrus):
        narrow(machine, test.target, holds)
    elif isinstance(test, n.Name) and holds:
        value = machine.frame.names.get(test.id)
        if isinstance(value, Array) and value.assumed:
            _rebind(machine, test.id, _certain(value))
        elif isinstance(value, Unknown):
            _rebind(machine, test.id, SOMETHING)


def _narrow_comparison(machine: Machine, test: n.Comparison, holds: bool) -> None:
    name, other = test.left, test.comparators[0]
    operator = test.operators[0]
    if isinstance(name, n.Walrus):
        name = name.target
    if not isinstance(name, n.Name) or operator not in ("is", "is not"):
        return
    if not (isinstance(other, n.Constant) and other.value is None):
        return
    value = machine.frame.names.get(name.id)
    if value is None:
        return
    if holds is (operator == "is"):
        _rebind(machine, name.id, NONE)
    elif isinstance(value, Array) and value.assumed:
        _rebind(machine, name.id, _certain(value))
    elif value is NONE or isinstance(value, Unknown):
        _rebind(machine, name.id, SOMETHING)


def _forget_tested(machine: Machine, test: n.Call) -> None:
    """A predicate out of view may ask whether its argument is a tracer."""
    function = machine.evaluate(test.function)
    if isinstance(function, Qualified):
        if function.name.startswith(("jax.numpy.", "numpy.", "builtins.", "math.")):
            return
    elif not isinstance(function, Unknown):
        return
    for argument in test.arguments:
        if isinstance(argument.value, n.Name):
            value = machine.frame.names.get(argument.value.id)
            if isinstance(value, (Array, Tree)):
                _rebind(machine, argument.value.id, UNKNOWN)


def _narrow_call(machine: Machine, test: n.Call, function: str, holds: bool) -> None:
    if not test.arguments or not isinstance(test.arguments[0].value, n.Name):
        return
    name = test.arguments[0].value.id
    value = machine.frame.names.get(name)
    if value is None or isinstance(value, Const):
        return
    if function in ("callable", "hasattr") and holds:
        if isinstance(value, Tree) or (isinstance(value, Array) and value.assumed):
            _rebind(machine, name, UNKNOWN)
    elif function == "isinstance" and len(test.arguments) == 2 and holds:
        types = type_names(machine.evaluate(test.arguments[1].value))
        if isinstance(value, Tree):
            if types and types <= _CONTAINERS:
                _rebind(machine, name, Tree(value.reason, value.concreteness, container=True))
            else:
                _rebind(machine, name, UNKNOWN)
        elif isinstance(value, Unknown) and len(types) == 1 and types <= _HOST_TYPES:
            _rebind(machine, name, Host(next(iter(types)).removeprefix("builtins.")))


def is_instance(value: Value, types: Value) -> bool | None:
    """``isinstance(value, types)``, None when that is not certain."""
    names = type_names(types)
    if not names or "?" in names:
        return None
    if isinstance(value, Array):
        if names & _TRACERS:
            if names == {"jax.core.Tracer"}:
                return value.traced
            return None if value.assumed else True
        if names <= _NEVER_A_TRACER | _CONTAINERS:
            return False
    if isinstance(value, Tree) and names <= _NEVER_A_TRACER:
        return False
    if isinstance(value, (Const, Host)) and names <= _HOST_TYPES:
        kind = value.type if isinstance(value, Host) else type(value.value).__name__
        if kind == "object":
            return None
        if kind == "bool":
            return bool(names & {"builtins.bool", "builtins.int"})
        return f"builtins.{kind}" in names
    return None


def type_names(types: Value) -> set[str]:
    """Qualified names of the classes in the second argument of ``isinstance``."""
    if isinstance(types, Qualified):
        return {types.name}
    if isinstance(types, Sequence) and types.items is not None:
        return {name for item in types.items for name in type_names(item) or {"?"}}
    return {"?"}


def _certain(value: Array) -> Array:
    return Array(value.traced, value.rank, value.dtype, value.reason, value.concreteness)


def _rebind(machine: Machine, name: str, value: Value) -> None:
    machine.frame.names[name] = value
