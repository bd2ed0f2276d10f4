"""What is certain of the type of a value: ``isinstance(x, T)`` and ``type(x) is T``."""

from __future__ import annotations

from collections.abc import Collection
from types import FunctionType

from jaxlint.knowledge import array_names, class_api, jax_api, numpy_api, python_api
from jaxlint.knowledge.libraries import LAYERS
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import (
    UNSEEN,
    Choice,
    Class,
    Function,
    Instance,
    Qualified,
    is_abstract_method,
)
from jaxlint.tracer.values.pytrees import unpacked
from jaxlint.tracer.values.value import FALSE, LIKELY, TRUE, Const, Host, Unknown, Value

HOST_TYPES = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.str"})
CONTAINERS = frozenset({"builtins.list", "builtins.tuple", "builtins.dict", "builtins.set"})
ARRAYS = jax_api.TRACER_TYPES | jax_api.ARRAY_TYPES
_CLOSED_BASES = (
    class_api.PLAIN_BASES
    | class_api.PYTREE_BASES.keys()
    | class_api.DATACLASS_BASES
    | class_api.VALIDATED_BASES
)
"""Bases out of view that derive from no class of the program."""

_STRUCTURAL = {name for name in class_api.OPEN_BASES if name.endswith(".Protocol")}
"""Bases of classes of which everything is an instance that has their methods."""

_EXAMPLES: dict[str, object] = {"int": 0, "float": 0.0, "bool": False, "str": "", "shape": ()}
"""One value of each type that :class:`Host` names and whose attributes Python knows."""

_OF_PYTHON = HOST_TYPES | CONTAINERS | python_api.ABSTRACT_CONTAINERS.keys()
_HOLD_NOTHING = frozenset({"int", "float", "bool", "NoneType"})
"""Types of constants that are no containers, nor anything like one."""

_TYPE = "builtins.type"
_NEVER_A_TRACER = HOST_TYPES | numpy_api.TYPES | {"builtins.complex", _TYPE}


def is_given(value: Value) -> bool:
    """Whether it is what a compiled function was given, or of it: a tracer, if it is a leaf."""
    if isinstance(value, Unknown):
        return value.source is not None
    return isinstance(value, Tree) and not value.container


def may_be_tracer(value: Value) -> bool:
    """Whether it is a tracer, but for what nobody in view shows."""
    return bool(value.traced) if isinstance(value, Array) else is_given(value)


def names_tracer(text: Value, other: Value) -> bool:
    """Whether the name of the type of a tracer is compared with that of tracers."""
    return (
        isinstance(text, Host)
        and text.type == "str"
        and text.of is not None
        and text.name is None
        and may_be_tracer(text.of)
        and isinstance(other, Const)
        and isinstance(other.value, str)
        and jax_api.NAMES_TRACER in other.value
    )


def modules_named(text: Value) -> tuple[tuple[str, ...], bool]:
    """The modules that a text may name from which the type of a value comes.

    Empty where that is not in view. And whether it is certain that it names one of these.
    """
    asked = isinstance(text, Host) and text.name == python_api.MODULE_OF_TYPE
    value = text.of if asked and isinstance(text, Host) else None
    if isinstance(value, NumpyArray):
        return (numpy_api.MODULE,), True
    if isinstance(value, Array) and not value.assumed:
        tracers = jax_api.MODULES_OF_TRACERS if value.traced is not False else ()
        return tracers + (() if value.traced else jax_api.MODULES_OF_ARRAYS), True
    likely = value is not None and may_be_tracer(value)
    return (jax_api.MODULES_OF_TRACERS if likely else ()), False


def answer(yes: bool, certain: bool, node: n.Node) -> Value:
    """A yes or a no, certain or but for what nobody in view shows."""
    if certain:
        return TRUE if yes else FALSE
    about: object = (LIKELY, id(node))
    return Unknown(symbol=about if yes else ("not", about))


def is_type_of(value: Value, cls: Value) -> bool | None:
    """``type(value) is cls``, None when that is not certain."""
    found = is_instance(value, cls)
    if found is not True:
        return found
    if isinstance(value, (Const, Host)):
        return type_names(cls) == {f"builtins.{_host_type(value)}"}  # A bool is an int, too.
    # What is an instance of a class may be one of a class that derives from it.
    return True if isinstance(value, (Mapping, Sequence)) else None


def is_instance(value: Value, types: Value) -> bool | None:
    """``isinstance(value, types)``, None when that is not certain."""
    if isinstance(types, Sequence) and types.items is not None:
        if any(isinstance(each, Class) for each in types.items):
            found = {is_instance(value, each) for each in types.items}
            return True if True in found else None if None in found else False
    if isinstance(types, Class):
        return _is_of_class(value, types)
    if isinstance(value, Instance):
        return _derives_from(value, types)
    names = type_names(types)
    if not names or "?" in names:
        return None
    itself = _is_type(value) if _TYPE in names else None
    if itself or (itself is False and names == {_TYPE}):
        return itself
    if isinstance(value, Array):
        if names & jax_api.TRACER_TYPES:
            return value.traced if value.traced or names <= jax_api.TRACER_TYPES else None
        if names & jax_api.ARRAY_TYPES:
            return None if value.assumed else True
        if names <= _NEVER_A_TRACER | CONTAINERS | python_api.ABSTRACT_CONTAINERS.keys():
            return False
    if isinstance(value, Tree) and names <= _NEVER_A_TRACER:
        return False
    if isinstance(value, (Const, Host)) and names <= _OF_PYTHON:
        return _is_host(value, names)
    if isinstance(value, (Const, Host, Function)) and names <= jax_api.TRACER_TYPES:
        return False
    if names <= LAYERS and (isinstance(value, Function) or _is_of_jax(value)):
        return False
    return _is_container(value, names)


def _is_type(value: Value) -> bool | None:
    """Whether it is a class: one of the program is, and no function of it, however wrapped."""
    if isinstance(value, Choice):
        found = {_is_type(option) for option in value.options}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Class):
        return None if _is_of_metaclass(value) else True
    return None if isinstance(value, Instance) or function_under(value) is None else False


def _is_of_class(value: Value, cls: Class) -> bool | None:
    """Whether a value is an instance of a class of the program."""
    if isinstance(value, Instance):
        if value.cls.is_subclass(cls):
            return True
        # What decorates a class out of view knows no other class of the program.
        whole = _is_whole(value, as_decorated=False)
        return False if whole and not _has_base(cls, _STRUCTURAL) else None
    plain = isinstance(value, (Const, Sequence, Mapping)) or (
        isinstance(value, Array) and not value.assumed
    )
    classes = (cls, *cls.above)
    own = not _is_of_metaclass(cls) and all(
        _is_closed(base) for each in classes for base in each.bases
    )
    return False if plain and own and not _has_base(cls, class_api.OPEN_BASES) else None


def _is_whole(value: Instance, as_decorated: bool = True) -> bool:
    """Whether all that an object is an instance of is in view, or of known libraries.

    ``as_decorated``: with what decorators out of view make its class derive from.
    """
    if not value.cls.traits.library:
        return True
    classes = (value.cls, *value.cls.above)
    decorated = as_decorated and any(each.definition.decorators for each in classes)
    changed = decorated or any(map(_has_metaclass, classes))
    bases = (base for each in classes for base in each.bases)
    return not value.heir and not changed and all(map(_is_closed, bases))


def _is_of_metaclass(cls: Class) -> bool:
    """Whether a metaclass has made a class, or may have: of some, what they make is no class."""
    return any(map(_has_metaclass, (cls, *cls.above)))


def _has_metaclass(cls: Class) -> bool:
    return any(base.keyword is not None for base in cls.definition.bases)


def _is_closed(base: Value) -> bool:
    """Whether what a class derives from is in view, or has nothing to do with the program."""
    return isinstance(base, Class) or (isinstance(base, Qualified) and base.name in _CLOSED_BASES)


def _has_base(cls: Class, names: Collection[str]) -> bool:
    bases = (base for each in (cls, *cls.above) for base in each.bases)
    return any(isinstance(base, Qualified) and base.name in names for base in bases)


def has_attribute(value: Instance, name: str) -> bool | None:
    """Whether an object has an attribute, None when that is not certain."""
    if name in value.attributes:
        return None if isinstance(value.attributes[name], Unknown) else True
    if value.cls.find(name) is not None:
        return True
    declared = value.cls.traits.module in class_api.DECLARES_ATTRIBUTES and _is_whole(value)
    computed = name.startswith("_") or value.cls.find("__getattr__") is not None
    return (
        False if declared and not computed and name not in (value.cls.traits.fields or ()) else None
    )


def is_bare(value: Instance, name: object) -> bool:
    """Whether nobody in view has set an attribute yet, on an object that is all in view."""
    if value.open or value.heir or value.cls.traits.library or UNSEEN in value.attributes:
        return False
    there = name in value.attributes or value.cls.find(str(name)) is not None
    return not there and value.cls.find("__getattr__") is None and not str(name).startswith("__")


def plain_attribute(value: Value, name: object) -> bool | None:
    """Whether a number, text or function of Python has one; None when that is not certain."""
    if isinstance(value, Function):
        return _function_has(value, name)
    if not isinstance(name, str) or not isinstance(value, (Const, Host)):
        return None
    example = value.value if isinstance(value, Const) else _EXAMPLES.get(value.type)
    return None if example is None and isinstance(value, Host) else hasattr(example, name)


def _function_has(function: Function, name: object) -> bool | None:
    """Whether a function has an attribute: ``functools.wraps`` hands on what was set."""
    if isinstance(name, str) and hasattr(FunctionType, name):
        return True
    if name == "__wrapped__":
        return function.wraps is not None or None
    if name != class_api.SAYS_ABSTRACT:
        return None
    if is_abstract_method(function.code):
        return True
    wrapped = function.wraps
    if isinstance(wrapped, Function):
        return _function_has(wrapped, name)
    return False if wrapped is None else None


def is_called(value: Instance) -> bool | None:
    """Whether an object can be called, None when that is not certain."""
    if value.cls.find("__call__") is not None:
        return True
    return False if _is_whole(value) and not value.heir else None


def lacks(value: Value, name: object) -> bool:
    """Whether a value is a tracer that does not have what arrays with data have."""
    traced = isinstance(value, Array) and value.traced is True and not value.assumed
    return traced and array_names.refused_by_tracers(str(name)) == "missing"


def _derives_from(value: Instance, types: Value) -> bool | None:
    """Whether an object is an instance of a class out of view: where its bases name that."""
    found = type_names(types)
    if "?" not in found and _has_base(value.cls, found):
        return True
    plain = (
        found <= _NEVER_A_TRACER | CONTAINERS | ARRAYS and value.cls.traits.pytree != "namedtuple"
    )
    return False if plain and _is_whole(value) else None


def _is_of_jax(value: Value) -> bool:
    return isinstance(value, Qualified) and value.name.startswith(f"{jax_api.PACKAGE}.")


def _is_host(value: Const | Host, names: set[str]) -> bool | None:
    kind = _host_type(value)
    if kind == "object":
        return None
    types = {f"builtins.{kind}", *(["builtins.int"] if kind == "bool" else [])}
    if names & types:
        return True
    abstract = python_api.ABSTRACT_CONTAINERS
    if kind == "str":  # A text is a sequence.
        return any("tuple" in abstract.get(name, ()) for name in names)
    return False if kind in _HOLD_NOTHING or names <= HOST_TYPES else None


def _host_type(value: Const | Host) -> str:
    return value.type if isinstance(value, Host) else type(value.value).__name__


def _is_container(value: Value, names: set[str]) -> bool | None:
    kind = "dict" if isinstance(value, Mapping) else getattr(value, "kind", "")
    if kind not in ("list", "tuple", "set", "dict"):
        return None
    abstract = python_api.ABSTRACT_CONTAINERS
    if f"builtins.{kind}" in names or any(kind in abstract.get(name, ()) for name in names):
        return True
    return False if names <= CONTAINERS | _NEVER_A_TRACER | ARRAYS | abstract.keys() else None


def type_names(types: Value) -> set[str]:
    """Qualified names of the classes in the second argument of ``isinstance``."""
    if isinstance(types, Qualified):
        return {types.name}
    if isinstance(types, Sequence) and types.items is not None:
        return {name for item in unpacked(types) for name in type_names(item)}
    return {"?"}
