"""Which values Python can hash: static arguments are hashed at each call."""

from __future__ import annotations

from jaxlint.events import Untraceable
from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.frozen import HASH_FIELDS
from jaxlint.knowledge.layers import KEPT, SHAPINGS
from jaxlint.knowledge.libraries import METHODS_ARE_PYTREES
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.frozen import frozen_by
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.leaf_types import module_of
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import BoundMethod, Class, Instance, Qualified
from jaxlint.tracer.values.pytrees import flattened
from jaxlint.tracer.values.value import UNKNOWN, Value


def unhashable(tracer: Tracer, value: Value) -> tuple[str, bool]:
    """What an unhashable value is, or holds in a field; empty when nobody knows of any."""
    if isinstance(value, Instance):
        return _unhashable_instance(tracer, value)
    held = isinstance(value, Sequence) and value.kind == "tuple"
    return _kind_of(tracer, value), held


def refused_hash(tracer: Tracer, name: str, function: Value, node: n.Node) -> bool:
    """Whether JAX cannot hash a function by which it looks up what it has traced."""
    found = hashed_with(function) if name.startswith(f"{jax_api.PACKAGE}.") else ""
    if found:
        tracer.emit(Untraceable(tracer.context(node), "function", name, hashed_with=found))
    return bool(found)


def hashed_with(function: Value) -> str:
    """The class of a module by whose arrays a function is hashed; empty where nobody knows of any.

    It is the module, or a method of it.
    """
    module = function.receiver if isinstance(function, BoundMethod) else function
    if module_of(module) not in METHODS_ARE_PYTREES:
        return ""
    if isinstance(module, External):
        has_weights = SHAPINGS.get(module.type, KEPT) is not KEPT
        return module.type.rpartition(".")[2] if has_weights else ""
    assert isinstance(module, Instance)
    own = module.cls.find("__hash__") is not None or module.cls.find("__eq__") is not None
    if own or module.heir:
        return ""
    holds = any(_is_array(leaf) for leaf, _ in flattened(module))
    return module.cls.name if holds else ""


def _is_array(leaf: Value) -> bool:
    if isinstance(leaf, Array):
        return not leaf.assumed
    return isinstance(leaf, External) and bool(hashed_with(leaf))


def _kind_of(tracer: Tracer, value: Value) -> str:
    """What an unhashable value is, or something in it."""
    if isinstance(value, Sequence) and value.kind in ("list", "set"):
        return value.kind
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        different = {id(each): each for each in value.items}.values()
        kinds = (_kind_of(tracer, each) for each in different)
        return next(filter(None, kinds), "")
    if isinstance(value, Instance):
        return _unhashable_instance(tracer, value)[0]
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, NumpyArray):
        return "NumPy array" if value.has_axes else ""  # A scalar can be hashed.
    if isinstance(value, Array):
        return "" if value.assumed else "JAX array"
    return ""


def _is_unhashable_container(cls: Class) -> bool:
    """Whether a class derives from a container that Python does not hash, and from nothing else."""
    classes = [cls, *cls.above]
    outer = [base for each in classes for base in each.bases if not isinstance(base, Class)]
    plain = not any(each.definition.decorators for each in classes)
    names = {base.name if isinstance(base, Qualified) else "" for base in outer}
    return plain and names != set() and names <= python_api.UNHASHABLE


def _unhashable_instance(tracer: Tracer, value: Instance) -> tuple[str, bool]:
    """A dataclass compares by its fields: one that is not frozen has no hash, others hash them.

    So do named tuples, and the frozen classes of libraries.
    """
    cls, traits = value.cls, value.cls.traits
    compares = cls.find("__hash__") is not None or cls.find("__eq__") is not None
    if compares or traits.by_identity or value.heir:
        return "", False
    if _is_unhashable_container(cls):
        return f"{cls.name} object", False
    if traits.pytree:
        if frozen_by(tracer, cls) not in HASH_FIELDS:
            return "", False
    elif not traits.plain_dataclass or traits.library:
        return "", False
    elif not traits.frozen:
        return f"{cls.name} object", False
    if cls.find("__post_init__") is not None:
        return "", False
    for name, field in (traits.fields or {}).items():
        kind = _kind_of(tracer, value.attributes.get(name, UNKNOWN)) if field.compared else ""
        if kind:
            return kind, True
    return "", False
