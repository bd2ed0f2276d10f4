"""What is a function, whoever wrote it."""

from __future__ import annotations

from jaxlint.knowledge import dtypes
from jaxlint.knowledge.measured import signature_of
from jaxlint.tracer.values.objects import BoundMethod, Function, Partial, Qualified, Transformed
from jaxlint.tracer.values.value import Host, Value


def is_function(value: Value) -> bool:
    """Whether it is a function for certain, with no operators and no axes."""
    if isinstance(value, Host):
        return value.type == "function"
    if isinstance(value, Qualified):
        return signature_of(value.name) is not None and not dtypes.names_dtype(value.name)
    return isinstance(value, (Function, BoundMethod, Transformed, Partial))


def is_leaf_function(value: Value) -> bool:
    """Whether JAX takes a function for a leaf: of some it finds the parts."""
    return is_function(value) and not isinstance(value, (BoundMethod, Partial))
