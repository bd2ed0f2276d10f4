"""The words in which a chapter describes a value, and whether a real value is one."""

from __future__ import annotations

import ast
import functools
import math
import re
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

_ORIGIN = re.compile(r" from (\w+) of (\w+|<lambda>)")
_ARRAY = re.compile(r"(vmap tracer|grad tracer|tracer|array\?|array|numpy array)(?: (.+))?")
_TYPED = re.compile(r"(weak )?(\w+|\?|\*)(?:\[(.*)\])?")
_KEYS = re.compile(r"key|keys\[(.*)\]")
_GROUP = re.compile(r"(tuple|list|set|dict|iterator)(?:\((.*)\)| of (.+))", re.DOTALL)
_DTYPES = {
    "bool": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "u16": "uint16", "u32": "uint32", "u64": "uint64", "c64": "complex64", "c128": "complex128",
}  # fmt: skip
_OF_A_KIND = {"float": jnp.floating, "int": jnp.integer, "complex": jnp.complexfloating}
"""Dtypes of which the kind alone is known."""
_HOST: dict[str, type] = {
    "int": int, "float": float, "str": str, "bool": bool, "complex": complex, "bytes": bytes
}  # fmt: skip


def alternatives(text: str) -> list[str]:
    """The descriptions of a line that is run with several values: ``int 1 | int 2``."""
    return [part.strip() for part in text.split(" | ")]


def without_origins(text: str) -> str:
    """A description without the parameters that its tracers come from."""
    return _ORIGIN.sub("", text)


def origins(text: str) -> list[tuple[str, str]]:
    """The parameters that a description names, each with its function."""
    return _ORIGIN.findall(text)


def agrees(text: str, value: Any) -> bool:
    """Whether a real value is what a description says."""
    text = without_origins(text).strip()
    if " or " in text:
        return any(agrees(part, value) for part in text.split(" or "))
    for reader in (_by_word, _by_group, _by_array, _by_name):
        verdict = reader(text, value)
        if verdict is not None:
            return verdict
    raise ValueError(f"not in the grammar: {text!r}")


def _by_word(text: str, value: Any) -> bool | None:
    """Descriptions of one word, and constants."""
    if text in _HOST:
        return type(value) is _HOST[text]
    word, _, literal = text.partition(" ")
    if word in _HOST and literal:
        return type(value) is _HOST[word] and bool(value == _constant(literal))
    check = _WORDS.get(text)
    return check(value) if check is not None else None


def _constant(literal: str) -> object:
    """A constant as it is written; infinity has no literal."""
    return math.inf if literal == "inf" else ast.literal_eval(literal)


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(size) is int for size in value)


def _is_dtype(value: Any) -> bool:
    return isinstance(value, np.dtype) or (hasattr(value, "dtype") and isinstance(value, type))


def _traced_leaves(value: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))


_WORDS: dict[str, Callable[[Any], bool]] = {
    "unknown": lambda value: True,
    "unknown not None": lambda value: value is not None,
    "unknown of tracers": lambda value: _kind_of(value) not in ("array", "numpy array"),
    "None": lambda value: value is None,
    "shape": _is_shape,
    "dtype": _is_dtype,
    "object": lambda value: not _traced_leaves(value),
    "pytree": _traced_leaves,
    "pytree container": lambda value: _traced_leaves(value) and not hasattr(value, "aval"),
    "slice": lambda value: isinstance(value, slice),
    "ref": lambda value: "Ref" in type(value).__name__ or "Ref" in str(jax.typeof(value)),
}


def _by_group(text: str, value: Any) -> bool | None:
    match = _GROUP.fullmatch(text)
    if match is None:
        return None
    kind, inside, every = match.groups()
    if kind == "iterator":
        return hasattr(value, "__next__") or isinstance(value, range)
    if type(value).__name__ != kind:
        return False
    if kind == "dict":
        return _dict_agrees(inside, every, value)
    items = list(value)
    if every is not None:
        return all(agrees(every, item) for item in items)
    parts = _parts(inside)
    return len(parts) == len(items) and all(map(agrees, parts, items))


def _dict_agrees(inside: str | None, every: str | None, value: dict[Any, Any]) -> bool:
    if inside is None:
        return all(agrees(str(every), item) for item in value.values())
    entries = dict(part.split(": ", 1) for part in _parts(inside))
    named = {str(key): item for key, item in value.items()}
    return entries.keys() == named.keys() and all(
        agrees(entries[key], item) for key, item in named.items()
    )


def _parts(text: str) -> list[str]:
    """The parts between commas that no bracket surrounds."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _by_array(text: str, value: Any) -> bool | None:
    match = _ARRAY.fullmatch(text)
    if match is None:
        return None
    kind, typed = match.groups()
    return _kind_of(value) in _KINDS[kind] and (typed is None or _typed(typed, value))


_KINDS = {
    "tracer": ("tracer",),
    "vmap tracer": ("vmap tracer",),
    "grad tracer": ("grad tracer",),
    "array": ("array",),
    "array?": ("array", "tracer", "vmap tracer", "grad tracer"),
    "numpy array": ("numpy array",),
}


def _kind_of(value: Any) -> str:
    """What a real value refuses: the strictest of the tracers in one another."""
    layers = []
    inner = value
    while isinstance(inner, jax.core.Tracer):
        layers.append(type(inner).__name__)
        inner = inner.val if layers[-1] == "BatchTracer" else getattr(inner, "primal", None)
    if "DynamicJaxprTracer" in layers:
        return "tracer"
    if "BatchTracer" in layers:
        return "vmap tracer"
    if layers:
        return "grad tracer"
    if isinstance(value, (np.ndarray, np.generic)):
        return "numpy array"
    return "array" if isinstance(value, jax.Array) else ""


def _typed(text: str, value: Any) -> bool:
    keys = _KEYS.fullmatch(text)
    if keys is not None:
        count = _shape_of_keys(value)
        if count is None:
            return False
        return count == () if keys[1] is None else _shape_agrees(keys[1], count)
    match = _TYPED.fullmatch(text)
    if match is None:
        return False
    weak, dtype, shape = match.groups()
    if dtype in _OF_A_KIND:
        if not jnp.issubdtype(value.dtype, _OF_A_KIND[dtype]):
            return False
    elif dtype not in ("*", "?"):
        if str(value.dtype) != _DTYPES[dtype] or bool(weak) != getattr(value, "weak_type", False):
            return False
    return shape is None or _shape_agrees(shape, value.shape)


def _shape_of_keys(value: Any) -> tuple[int, ...] | None:
    """The shape of an array of PRNG keys, typed or legacy; None for another array."""
    if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return tuple(value.shape)
    legacy = value.dtype == jnp.uint32 and value.shape[-1:] == (2,)
    return tuple(value.shape[:-1]) if legacy else None


def _shape_agrees(text: str, shape: tuple[int, ...]) -> bool:
    if text == "*":
        return True
    sizes = text.replace(" ", "").split(",") if text else []
    return len(sizes) == len(shape) and all(
        not size.isdigit() or int(size) == real for size, real in zip(sizes, shape, strict=True)
    )


def _by_name(text: str, value: Any) -> bool | None:
    """Things that are known by a name."""
    kind, _, name = text.rpartition(" ")
    if kind == "instance of":
        return name.rpartition(".")[2] in [cls.__name__ for cls in type(value).__mro__]
    if kind == "class":
        return isinstance(value, type) and value.__name__ == name
    if kind == "function":
        return isinstance(value, types.FunctionType) and value.__name__ == name
    if kind == "bound method":
        return isinstance(value, types.MethodType) and value.__qualname__.endswith(name)
    if kind == "module":
        return getattr(value, "__name__", "") == name.rpartition(".")[2] or _named(name) is value
    if kind.startswith("donated"):
        return bool(value.is_deleted())
    if kind == "partial of":
        return isinstance(value, functools.partial)
    return callable(value) if kind.endswith(" of") else None


def _named(name: str) -> object:
    """What a dotted name stands for."""
    import importlib

    owner, _, attribute = name.rpartition(".")
    if not owner:
        return importlib.import_module(name)
    try:
        return importlib.import_module(name)
    except ImportError:
        return getattr(_named(owner), attribute)
