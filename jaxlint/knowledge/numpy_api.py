"""What NumPy does when it is handed a tracer (measured on jax 0.10.2, numpy 2.4)."""

from __future__ import annotations

HOST_RESULTS: dict[str, str] = {
    "numpy.dtype": "dtype",
    "numpy.finfo": "object",
    "numpy.iinfo": "object",
}
"""Functions that return a Python value even for a tracer, where none was measured."""

SCALAR_TYPES = frozenset(
    f"numpy.{name}"
    for name in (
        "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
        "uint32", "uint64", "complex64", "complex128", "bool_",
    )
)  # fmt: skip
"""Types whose call makes a NumPy scalar: a tracer raises TracerArrayConversionError."""

WRITES = frozenset(f"numpy.{name}" for name in ("save", "savetxt", "savez", "savez_compressed"))
"""Functions that make ndarrays of their arguments and write them to a file."""

SCIPY = ("scipy.special.", "scipy.linalg.")
"""Modules of SciPy whose functions make ndarrays of their arguments."""

CHANGES_FIRST = frozenset(
    f"numpy.{name}"
    for name in (
        "fill_diagonal", "put", "copyto", "place", "putmask", "put_along_axis", "random.shuffle",
        "add.at", "subtract.at", "multiply.at", "divide.at", "maximum.at", "minimum.at",
        "logical_or.at", "logical_and.at",
    )
)  # fmt: skip
"""Functions that change their first argument in place, which no JAX array allows."""

HAS_AXES = frozenset(
    f"numpy.{name}"
    for name in (
        "arange", "linspace", "logspace", "geomspace", "eye", "identity", "concatenate", "stack",
        "vstack", "hstack", "column_stack",
    )
)  # fmt: skip
"""Functions whose result has axes, whatever they are given: no scalar, which can be hashed."""

HAS_AXES_OF_SIZE = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "full"))
"""Functions whose result has axes where their first argument is a number."""

HAS_AXES_OF_LIST = HAS_AXES_OF_SIZE | {"numpy.array", "numpy.asarray"}
"""Functions whose result has axes where their first argument is a list, or a tuple of some."""

MAKES_ARRAY = frozenset({"numpy.array", "numpy.asarray"})
"""Functions whose result has the shape of what they are given."""

TYPES = SCALAR_TYPES | {
    f"numpy.{name}"
    for name in (
        "ndarray", "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact",
        "floating", "complexfloating", "bool",
    )
}  # fmt: skip
"""Types of which no tracer is an instance."""
