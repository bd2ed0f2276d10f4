"""What JAX has a type for: arrays, numbers, and pytrees of them."""

from __future__ import annotations

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.layers import base_of
from jaxlint.knowledge.libraries import METHODS_ARE_PYTREES, NO_PYTREES, OF_FUNCTIONS
from jaxlint.program import nodes as n
from jaxlint.program.attributes import attributes_of_self
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.members import Member
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Class,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.pytrees import flattened
from jaxlint.tracer.values.value import (
    UNKNOWN,
    Const,
    Host,
    Value,
    is_string,
    replace,
    type_name,
)


def no_jax_type(value: Value) -> str:
    """What a leaf is that JAX has no type for; empty when it may have one."""
    if is_string(value):
        return "string"
    if isinstance(value, Const) and isinstance(value.value, Member):
        return f"{value.value.owner.name} object"
    if isinstance(value, Host) and value.type == "function":
        return "function"
    if isinstance(value, BoundMethod) and module_of(value.receiver) in METHODS_ARE_PYTREES:
        return ""
    if isinstance(value, (Function, BoundMethod, Transformed, Partial)):
        return "function"
    if isinstance(value, Class):
        return "class"
    if isinstance(value, Qualified) and value.name.startswith(jax_api.FUNCTION_MODULES):
        return "function"
    if module_of(value) in NO_PYTREES:
        return f"{_class_of(value)} module"
    if isinstance(value, Instance):
        return "" if may_be_pytree(value.cls) else f"{value.cls.name} object"
    if isinstance(value, External):
        return OF_FUNCTIONS.get(value.type, "")
    unordered = isinstance(value, Sequence) and value.kind in ("set", "iterator")
    return value.kind if isinstance(value, Sequence) and unordered else ""


def arrays_alone(layer: External) -> Value:
    """A layer of a library with None in place of all that is no array, where that is in view."""
    known = module_of(layer) in METHODS_ARE_PYTREES and layer.each is None
    return replace(layer, leaves=()) if known else UNKNOWN


def without_type(value: Value) -> tuple[str, Value | None]:
    """What the first leaf is that JAX has no type for, and what holds it; empty for none."""
    for leaf, holder in flattened(value):
        kind = no_jax_type(leaf)
        if kind:
            return kind, holder
    return "", None


def without_gradient(value: Value) -> tuple[str, Value | None]:
    """What the first leaf is that has no gradient, and what holds it; empty for none."""
    for leaf, holder in flattened(value):
        kind = leaf.dtype if isinstance(leaf, Array) else type_name(leaf)
        found = _DISCRETE.get(kind or "", "") or no_jax_type(leaf)
        if found:
            return found, holder
    return "", None


_DISCRETE = {"int": "integer", "bool": "boolean"}


def module_of(value: Value | None) -> str:
    """The class of a library from which a module derives; empty for what is none."""
    if isinstance(value, External):
        return base_of(value.type)
    return value.cls.traits.module if isinstance(value, Instance) else ""


def _class_of(module: Value) -> str:
    """The name of the class of a module, of a library or of the program."""
    if isinstance(module, External):
        return module.type.rpartition(".")[2]
    return module.cls.name if isinstance(module, Instance) else ""


def holder_of(holder: Value) -> str:
    """What a container is, in words: a dict, a tuple, an object of which class."""
    if isinstance(holder, External):
        return f"{_class_of(holder)} object"
    if isinstance(holder, Instance):
        named = holder.cls.traits.pytree == "namedtuple"
        return "named tuple" if named else f"{holder.cls.name} object"
    return holder.kind if isinstance(holder, Sequence) else "dict"


def may_be_pytree(cls: Class) -> bool:
    """Whether JAX may know how to take an object of a class apart."""
    traits = cls.traits
    if traits.pytree or traits.library or any(base.keyword for base in cls.definition.bases):
        return True
    if cls.is_abstract or _leaves_open(cls):
        return True
    return cls.find("__init_subclass__") is not None or cls.find("__jax_array__") is not None


def _leaves_open(cls: Class) -> bool:
    """Whether attributes are declared that nothing here sets: a class below does, a mixin's."""
    if cls.traits.plain_dataclass:
        return False
    bodies = [statement for each in (cls, *cls.above) for statement in each.definition.body]
    codes = [each.function for each in bodies if isinstance(each, n.FunctionDefinition)]
    sets = {target.attr for code in codes for target, _ in attributes_of_self(code)}
    declared = {
        each.target.id
        for each in bodies
        if isinstance(each, n.AnnotatedAssign)
        and isinstance(each.target, n.Name)
        and each.value is None
    }
    return not declared <= sets
