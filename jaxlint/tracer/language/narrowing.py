"""What a test that holds (or does not) says about the values in it."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.knowledge import jax_api, numpy_api, python_api
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.truth import tell
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Class, Function, Instance, Qualified
from jaxlint.tracer.values.value import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
)

_HOST_TYPES = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.str"})
_CONTAINERS = frozenset({"builtins.list", "builtins.tuple", "builtins.dict", "builtins.set"})
_TRACED_TYPES = jax_api.TRACER_TYPES | jax_api.ARRAY_TYPES
_NEVER_A_TRACER = _HOST_TYPES | numpy_api.TYPES | {"builtins.complex"}
_ARRAYS = jax_api.ARRAY_TYPES | jax_api.TRACER_TYPES
_PREDICATES = frozenset({"builtins.isinstance", "builtins.callable", "builtins.hasattr"})


def narrow(tracer: Tracer, test: n.Node, holds: bool) -> None:
    """Refine what is known by a test's outcome."""
    if isinstance(test, n.UnaryOperation) and test.operator == "not":
        narrow(tracer, test.operand, not holds)
    elif isinstance(test, n.BooleanOperation):
        if holds is (test.operator == "and"):
            narrow(tracer, test.left, holds)
            narrow(tracer, test.right, holds)
    else:
        tell(tracer, tracer.tested.get(id(test)), holds)
        if isinstance(test, n.Comparison) and len(test.operators) == 1:
            _narrow_comparison(tracer, test, holds)
        elif isinstance(test, n.Call):
            _narrow_call(tracer, test, holds)
        elif isinstance(test, n.Walrus):
            narrow(tracer, test.target, holds)
        elif isinstance(test, n.Name) and holds:
            _present(tracer, test.id)


def _present(tracer: Tracer, name: str) -> None:
    """The value of a name is not None."""
    value = tracer.stack.frame.names.get(name)
    if isinstance(value, Array) and value.assumed:
        _rebind(tracer, name, replace(value, assumed=False))
    elif isinstance(value, Tree) and value.optional:
        _rebind(tracer, name, replace(value, optional=False))
    elif isinstance(value, Unknown):
        _rebind(tracer, name, replace(value, present=True))
    elif value is NONE:
        _rebind(tracer, name, SOMETHING)


def _narrow_comparison(tracer: Tracer, test: n.Comparison, holds: bool) -> None:
    name, other = test.left, test.comparators[0]
    operator = test.operators[0]
    if isinstance(name, n.Walrus):
        name = name.target
    if not isinstance(name, n.Name) or name.id not in tracer.stack.frame.names:
        return
    if isinstance(other, n.Constant) and operator in ("is", "is not") and other.value is None:
        if holds is (operator == "is"):
            _rebind(tracer, name.id, NONE)
        else:
            _present(tracer, name.id)
    elif isinstance(other, n.Constant) and operator in ("==", "!="):
        value = tracer.stack.frame.names[name.id]
        if holds is (operator == "==") and isinstance(value, (Unknown, Host)):
            _rebind(tracer, name.id, Const(other.value))


def _narrow_call(tracer: Tracer, test: n.Call, holds: bool) -> None:
    function = tracer.evaluate(test.function)
    if isinstance(function, Qualified) and function.name in _PREDICATES:
        _narrow_predicate(tracer, test, function.name, holds)
    elif isinstance(function, Unknown) or (
        isinstance(function, Qualified) and not function.name.startswith(python_api.TELLS_NOTHING)
    ):
        _forget_tested(tracer, test)


def _forget_tested(tracer: Tracer, test: n.Call) -> None:
    """A predicate out of view may ask whether its argument is a tracer."""
    for argument in test.arguments:
        if isinstance(argument.value, n.Name):
            value = tracer.stack.frame.names.get(argument.value.id)
            if isinstance(value, Array) and value.prng is not None:
                _rebind(tracer, argument.value.id, replace(value, traced=None))
            elif isinstance(value, (Array, Tree)):
                _rebind(tracer, argument.value.id, UNKNOWN)
            elif isinstance(value, Unknown):
                _rebind(tracer, argument.value.id, replace(value, source=None))


def _narrow_predicate(tracer: Tracer, test: n.Call, function: str, holds: bool) -> None:
    if not test.arguments or not isinstance(test.arguments[0].value, n.Name):
        return
    name = test.arguments[0].value.id
    value = tracer.stack.frame.names.get(name)
    if isinstance(value, Unknown) and value.source is not None:
        # What it is was asked: it may well be no tracer here.
        value = replace(value, source=None)
        _rebind(tracer, name, value)
    if isinstance(value, Tree) and function == "builtins.isinstance":
        _narrow_tree(tracer, name, value, test, holds)
        return
    if value is None or isinstance(value, Const) or not holds:
        return
    if function != "builtins.isinstance":
        if isinstance(value, Tree) or (isinstance(value, Array) and value.assumed):
            _rebind(tracer, name, UNKNOWN)
        return
    if len(test.arguments) != 2:
        return
    types = type_names(tracer.evaluate(test.arguments[1].value))
    if isinstance(value, Unknown) and len(types) == 1 and types <= _HOST_TYPES:
        _rebind(tracer, name, Host(next(iter(types)).removeprefix("builtins.")))


def _narrow_tree(tracer: Tracer, name: str, value: Tree, test: n.Call, holds: bool) -> None:
    """A parameter of a compiled function: an array, or a pytree with tracers in it."""
    if len(test.arguments) != 2:
        return
    types = type_names(tracer.evaluate(test.arguments[1].value))
    if types and types <= _TRACED_TYPES:
        _rebind(tracer, name, value.as_array() if holds else UNKNOWN)
    elif holds:
        certain = bool(types) and types <= _CONTAINERS
        _rebind(tracer, name, replace(value, container=True) if certain else UNKNOWN)


def is_instance(value: Value, types: Value) -> bool | None:
    """``isinstance(value, types)``, None when that is not certain."""
    if isinstance(value, Instance) and isinstance(types, Class):
        if value.cls.is_subclass(types):
            return True
        return None if value.cls.traits.library else False
    names = type_names(types)
    if not names or "?" in names:
        return None
    if isinstance(value, Array):
        if names & jax_api.TRACER_TYPES:
            return value.traced if value.traced or names <= jax_api.TRACER_TYPES else None
        if names & jax_api.ARRAY_TYPES:
            return None if value.assumed else True
        if names <= _NEVER_A_TRACER | _CONTAINERS:
            return False
    if isinstance(value, Tree) and names <= _NEVER_A_TRACER:
        return False
    if isinstance(value, (Const, Host)) and names <= _HOST_TYPES:
        return _is_host(value, names)
    if isinstance(value, (Const, Host, Function)) and names <= jax_api.TRACER_TYPES:
        return False
    return _is_container(value, names)


def _is_host(value: Const | Host, names: set[str]) -> bool | None:
    kind = value.type if isinstance(value, Host) else type(value.value).__name__
    if kind == "object":
        return None
    if kind == "bool":
        return bool(names & {"builtins.bool", "builtins.int"})
    return f"builtins.{kind}" in names


def _is_container(value: Value, names: set[str]) -> bool | None:
    kind = "dict" if isinstance(value, Mapping) else getattr(value, "kind", "")
    if kind not in ("list", "tuple", "set", "dict"):
        return None
    if f"builtins.{kind}" in names:
        return True
    return False if names <= _CONTAINERS | _NEVER_A_TRACER | _ARRAYS else None


def type_names(types: Value) -> set[str]:
    """Qualified names of the classes in the second argument of ``isinstance``."""
    if isinstance(types, Qualified):
        return {types.name}
    if isinstance(types, Sequence) and types.items is not None:
        return {name for item in types.items for name in type_names(item) or {"?"}}
    return {"?"}


def _rebind(tracer: Tracer, name: str, value: Value) -> None:
    tracer.trail.refine(tracer.stack.frame.names, name, value)
