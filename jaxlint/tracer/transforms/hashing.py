"""Which values Python can hash: static arguments are hashed at each call."""

from __future__ import annotations

from jaxlint.knowledge.frozen import HASH_FIELDS
from jaxlint.tracer.operations.frozen import frozen_by
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.value import UNKNOWN, Value


def unhashable(tracer: Tracer, value: Value) -> tuple[str, bool]:
    """What an unhashable value is, or holds in a field; empty when nobody knows of any."""
    if isinstance(value, Instance):
        return _unhashable_instance(tracer, value)
    return _kind_of(tracer, value), False


def _kind_of(tracer: Tracer, value: Value) -> str:
    """What an unhashable value is, or something in it."""
    if isinstance(value, Sequence) and value.kind in ("list", "set"):
        return value.kind
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        kinds = (_kind_of(tracer, each) for each in value.items)
        return next(filter(None, kinds), "")
    if isinstance(value, Instance) and value.cls.traits.pytree:
        return _unhashable_instance(tracer, value)[0]
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, NumpyArray):
        return "NumPy array" if value.has_axes else ""  # A scalar can be hashed.
    if isinstance(value, Array):
        return "" if value.assumed else "JAX array"
    return ""


def _unhashable_instance(tracer: Tracer, value: Instance) -> tuple[str, bool]:
    """A dataclass compares by its fields: one that is not frozen has no hash, others hash them.

    So do named tuples, and the frozen classes of libraries.
    """
    cls, traits = value.cls, value.cls.traits
    compares = cls.find("__hash__") is not None or cls.find("__eq__") is not None
    if compares or traits.by_identity or value.heir:
        return "", False
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
