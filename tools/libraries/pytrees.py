"""What libraries make pytrees of, and which of their fields are leaves."""

from __future__ import annotations

import types
import warnings
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge import frozen


def makes_dataclasses(name: str) -> str:
    made = type("Module", (resolve_name(name),), {"__annotations__": {"x": float}})
    return "" if made(x=2.0).x == 2.0 else "is no dataclass"


def base_makes_pytrees(name: str) -> str:
    base = resolve_name(name)
    fields = {"__module__": __name__, "__annotations__": {"x": float, "y": float}}
    return _two_leaves(types.new_class("Pair", (base,), exec_body=lambda body: body.update(fields)))


def decorator_makes_pytrees(name: str) -> str:
    plain = type("Pair", (), {"__annotations__": {"x": float, "y": float}})
    return _two_leaves(resolve_name(name)(plain))


def _two_leaves(pair: Any) -> str:
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0, 2.0] else f"has the leaves {leaves}"


def makes_static_fields(name: str) -> str:
    """A field that it declares static is no leaf."""
    package = name.split(".")[0]
    option = {"static": True} if package == "equinox" else {"pytree_node": False}
    bases = {"equinox": "equinox.Module", "flax": "flax.struct.PyTreeNode"}
    field = resolve_name(name)(**({} if "static_field" in name else option))
    body = {"__annotations__": {"x": float, "y": float}, "y": field}
    pair: Any = type("Pair", (resolve_name(bases[package]),), body)
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


def warns_of_static_arrays(name: str) -> str:
    """It warns of an array in a static field, at any depth, and of nothing else there."""
    field = resolve_name(f"{name.split('.')[0]}.field")(static=True)
    cls: Any = type("Pair", (resolve_name(name),), {"__annotations__": {"x": Any}, "x": field})
    given = {"JAX": jnp.ones(2), "NumPy": np.ones(2), "a list": [jnp.ones(2)], "a number": 1.0}
    warned = []
    for what, value in given.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cls(value)
        warned += [what] if any(each.category is UserWarning for each in caught) else []
    return "" if warned == ["JAX", "NumPy", "a list"] else f"warns of {warned}"


def annotates_static_fields(name: str) -> str:
    """A field that it annotates is no leaf."""
    register = resolve_name(f"{name.split('.')[0]}.pytree_dataclass")
    body = {"__annotations__": {"x": float, "y": resolve_name(name)[float]}}
    pair: Any = register(type("Pair", (), body))
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


def flattens_methods(name: str) -> str:
    """A bound method has the leaves of its module."""
    body = {"__annotations__": {"x": float}, "get": lambda self: self.x}
    module: Any = type("Module", (resolve_name(name),), body)
    leaves = jax.tree.leaves(module(x=1.0).get)
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


def freezes(name: str) -> str:
    """Of what it makes, or of what derives from it, an attribute is set only when the row says."""
    row = frozen.FROZEN[name]
    setting = [_sets(name, where) for where in ("after", "made", "setup", "called")]
    expected = {
        "always": [False, False, True, False],
        "made": [False, True, True, False],
        "bound": [True, True, False, False],
    }
    return "" if setting == expected[row.since] else f"lets it be set: {setting}"


def _sets(name: str, where: str) -> bool:
    """Whether a field can be set there."""

    def put(self: Any, *_: Any) -> None:
        self.x = 2.0

    def begun(self: Any, *_: Any) -> None:
        put(self)
        getattr(super(kind, self), "__post_init__", lambda: None)()

    methods = {"made": {"__post_init__": begun}, "setup": {"setup": put}, "called": {}}
    body = {"__annotations__": {"x": float}, "__call__": lambda self: None}
    body |= methods.get(where, {}) | ({"__call__": put} if where == "called" else {})
    found = resolve_name(name)
    if isinstance(found, type):
        kind = type("Made", (found,), body)
    else:
        options = {} if name in frozen.FREEZES_ALWAYS else {"frozen": True}
        kind = found(type("Made", (), body), **options)
    try:
        made = kind(x=1.0)
        if where == "after":
            made.x = 2.0
        elif hasattr(made, "apply"):
            made.apply({})
        else:
            made()
    except Exception:
        return False
    return True
