"""What the other tables say of libraries, row by row."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from tools.libraries import transforms

PACKAGES = frozenset(
    {"absl", "beartype", "chex", "equinox", "flax", "haiku", "jax_dataclasses", "jaxtyping",
     "optax", "rich", "tqdm", "typeguard", "typing_extensions"}
)  # fmt: skip
"""The packages whose rows are checked here; those of JAX and Python have tests of their own."""


def rows() -> dict[str, list[str]]:
    """Table -> the names in it that are of libraries."""
    return {
        table: sorted(name for name in names if name.split(".")[0] in PACKAGES)
        for table, (names, _) in TABLES.items()
    }


def differs(table: str, name: str) -> str:
    """How a library differs from a row; empty when the row holds."""
    try:
        with warnings.catch_warnings():
            # What a library deprecates is still there.
            warnings.simplefilter("ignore")
            return TABLES[table][1](name)
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]


# ---------------------------------------------------------------------------- the checks


def _exists(name: str) -> str:
    resolve_name(name)
    return ""


def _computes_arrays(name: str) -> str:
    """Called while tracing, with arrays for what it needs, it gives one array."""
    function = resolve_name(name)
    needed = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    found: list[Any] = []

    def call(x: Any) -> None:
        given = {**ARGUMENTS, "labels": 0 * x.astype(int)[0]} if "integer" in name else ARGUMENTS
        found.append(function(*(given.get(parameter.name, x) for parameter in needed)))

    jax.make_jaxpr(call)(jnp.full((4,), 0.5))
    return "" if isinstance(found[0], jax.core.Tracer) else f"gives a {type(found[0]).__name__}"


ARGUMENTS: dict[str, Any] = {"num_classes": 4, "alpha": 0.1}
"""Parameters that want something else than the vector that is traced."""


def _consumes_a_key(name: str) -> str:
    layer, short = resolve_name(name), name.rpartition(".")[2]
    sizes = {"MLP": (2, 2, 2, 1), "Conv": (2, 2, 2, 1), "ConvTranspose": (2, 2, 2, 1)}
    given = sizes.get(short, (2, 2, 1) if "Conv" in short else (2, 2))
    key = jax.random.key(0)
    with jax.debug_key_reuse(True):
        layer(*given, key=key)
        try:
            layer(*given, key=key)
        except jax.errors.KeyReuseError:
            return ""
    return "leaves the key unused"


def _neutral(name: str) -> str:
    decorated = resolve_name(name)(_double, **LIMITS.get(name, {}))
    return "" if decorated(2.0) == 4.0 else "does something else"


def _neutral_when_called(name: str) -> str:
    arguments = LIMITS.get(name, {"typechecker": None})
    decorated = resolve_name(name)(**arguments)(_double)
    return "" if decorated(2.0) == 4.0 else "does something else"


LIMITS: dict[str, dict[str, int]] = {
    "chex.assert_max_traces": {"n": 2},
    "equinox.debug.assert_max_traces": {"max_traces": 2},
}
"""What a decorator must be told."""


def _double(x: float) -> float:
    return 2 * x


def _base_makes_pytrees(name: str) -> str:
    base = resolve_name(name)
    return _two_leaves(type("Pair", (base,), {"__annotations__": {"x": float, "y": float}}))


def _decorator_makes_pytrees(name: str) -> str:
    plain = type("Pair", (), {"__annotations__": {"x": float, "y": float}})
    return _two_leaves(resolve_name(name)(plain))


def _two_leaves(pair: Any) -> str:
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0, 2.0] else f"has the leaves {leaves}"


def _makes_static_fields(name: str) -> str:
    """A field that it declares static is no leaf."""
    package = name.split(".")[0]
    option = {"static": True} if package == "equinox" else {"pytree_node": False}
    bases = {"equinox": "equinox.Module", "flax": "flax.struct.PyTreeNode"}
    field = resolve_name(name)(**({} if "static_field" in name else option))
    body = {"__annotations__": {"x": float, "y": float}, "y": field}
    pair: Any = type("Pair", (resolve_name(bases[package]),), body)
    leaves = jax.tree.leaves(pair(x=1.0, y=2.0))
    return "" if leaves == [1.0] else f"has the leaves {leaves}"


TABLES: dict[str, tuple[Iterable[str], Callable[[str], str]]] = {
    "transforms.TRANSFORMS": (TRANSFORMS, transforms.differs),
    "jax_api.LIBRARY_ARRAY_FUNCTIONS": (jax_api.LIBRARY_ARRAY_FUNCTIONS, _computes_arrays),
    "jax_api.KEY_CONSUMERS": (jax_api.KEY_CONSUMERS, _consumes_a_key),
    "jax_api.KEY_ANNOTATIONS": (jax_api.KEY_ANNOTATIONS, _exists),
    "jax_api.ARRAY_ANNOTATIONS": (jax_api.ARRAY_ANNOTATIONS, _exists),
    "python_api.NEUTRAL_DECORATORS": (python_api.NEUTRAL_DECORATORS, _neutral),
    "python_api.NEUTRAL_DECORATOR_FACTORIES": (
        python_api.NEUTRAL_DECORATOR_FACTORIES,
        _neutral_when_called,
    ),
    "python_api.OUTPUT": (python_api.OUTPUT, _exists),
    "python_api.PYTREE_BASES": (python_api.PYTREE_BASES, _base_makes_pytrees),
    "python_api.PYTREE_DECORATORS": (python_api.PYTREE_DECORATORS, _decorator_makes_pytrees),
    "python_api.FIELD_FACTORIES": (
        python_api.FIELD_FACTORIES,
        _makes_static_fields,
    ),
}
"""Table -> its names, and what is asked of each that is of a library."""
