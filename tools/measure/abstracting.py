"""Arguments and results of calls as the rules see them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.given import Abstract, Constant, Items, OfDType
from jaxlint.tracer.values.shapes import UNKNOWN


def struct(dtype: str, shape: tuple[int, ...]) -> jax.ShapeDtypeStruct:
    """A tracer's shape and dtype; ``key`` is a PRNG key, ``~`` makes it weak."""
    if dtype == "key":
        return jax.ShapeDtypeStruct(shape, jax.random.key(0).dtype)
    weak = dtype.startswith("~")
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype.lstrip("~")), weak_type=weak)


def abstract(value: Any) -> Abstract:
    """An argument as the rules see it."""
    if isinstance(value, jax.ShapeDtypeStruct):
        return aval_of(value)
    if isinstance(value, (list, tuple)):
        return Items(tuple(abstract(item) for item in value))
    if isinstance(value, (type, np.dtype)):
        return OfDType(np.dtype(value).name)
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return Constant(value)
    return UNKNOWN


def aval_of(value: Any) -> Aval:
    """What is known of a tracer, which is everything but its data."""
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return Aval(tuple(value.shape), "key", False)
    return Aval(tuple(value.shape), str(value.dtype.name), bool(value.weak_type))


def returned(value: Any) -> tuple[str, str, tuple[str, ...], tuple[Aval | str, ...]]:
    """Kind, type, fields and items of what came back."""
    if value is None:
        return "none", "", (), ()
    if isinstance(value, (jax.Array, jax.core.Tracer)):
        return "array", "", (), (aval_of(value),)
    if isinstance(value, (tuple, list)):
        items = tuple(
            aval_of(item) if isinstance(item, jax.Array) else host_type(item) for item in value
        )
        if any(
            isinstance(item, Aval) or _holds_arrays(one)
            for one, item in zip(value, items, strict=True)
        ):
            fields = getattr(value, "_fields", ())
            kind = "namedtuple" if fields else type(value).__name__
            if kind not in ("tuple", "list", "namedtuple"):
                return "unknown", "", (), ()
            return kind, type(value).__name__ if fields else "", tuple(fields), items
    if _holds_arrays(value):
        return "unknown", "", (), ()
    return "host", host_type(value), (), ()


def _holds_arrays(value: Any) -> bool:
    return any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value))


def host_type(value: Any) -> str:
    """The type of a Python value, ``shape`` for a tuple of integers."""
    if isinstance(value, tuple) and all(type(item) is int for item in value):
        return "shape"
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return "dtype"
    return next(
        (one.__name__ for one in (bool, int, float, str) if isinstance(value, one)), "object"
    )


def is_struct(leaf: Any) -> bool:
    """Whether something stands for an array to be traced."""
    return isinstance(leaf, jax.ShapeDtypeStruct)
