"""The dtypes of JAX and NumPy, by their names."""

from __future__ import annotations

import re

MODULES_OF_DTYPES = frozenset({"jax.numpy", "numpy"})
"""Modules that have the dtypes by name."""

DTYPE_ALIASES = {
    "bool_": "bool", "int_": "int64", "uint": "uint64", "float_": "float64",
    "complex_": "complex128", "half": "float16", "single": "float32", "double": "float64",
    "csingle": "complex64", "cdouble": "complex128", "byte": "int8", "ubyte": "uint8",
    "short": "int16", "ushort": "uint16", "intc": "int32", "uintc": "uint32",
}  # fmt: skip
"""Other names of dtypes in those modules -> the names that the dtypes have themselves."""

_TYPE = re.compile(r"(u?int|b?float|complex|bool)\d*(_.*)?")


def names_dtype(name: str) -> bool:
    """Whether a name among those of functions is that of a dtype, as far as it looks like one."""
    last = name.rpartition(".")[2]
    return last in DTYPE_ALIASES or _TYPE.fullmatch(last) is not None


SCALAR_TYPES = frozenset(
    f"jax.numpy.{name}"
    for name in (
        "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
        "uint16", "uint32", "uint64", "complex64", "complex128", "bool_",
    )
)  # fmt: skip
"""Types whose call makes an array of that type."""

NUMBERS = frozenset({"int", "float", "complex"})
"""Kinds of dtypes that are numbers."""

KINDS_OF_TYPES: dict[str, frozenset[str]] = {
    f"{module}.{name}": kinds
    for module in ("jax.numpy", "numpy")
    for name, kinds in {
        "integer": frozenset({"int"}),
        "floating": frozenset({"float"}),
        "complexfloating": frozenset({"complex"}),
        "inexact": frozenset({"float", "complex"}),
        "number": NUMBERS,
        "bool_": frozenset(),
    }.items()
}
"""The kinds of numbers that ``jnp.issubdtype`` takes for one of an abstract type."""
