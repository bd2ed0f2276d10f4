"""What NumPy does when it is handed a tracer (measured on jax 0.10.2, numpy 2.4)."""

from __future__ import annotations

MODULE = "numpy"
"""The module from which the types of arrays come."""

HOST_RESULTS: dict[str, str] = {
    "numpy.dtype": "dtype",
    "numpy.finfo": "object",
    "numpy.iinfo": "object",
}
"""Functions that return a Python value even for a tracer, where none was measured."""

NO_ARRAYS = {"tobytes": "object", "tostring": "object", "dumps": "object"}
"""Methods of ndarrays that give bytes."""

ASKS_FOR_SCALAR = frozenset({"numpy.isscalar", "jax.numpy.isscalar"})
"""Functions that say whether a value is a scalar."""

TAKES_NO_ARRAY_FOR_SCALAR = frozenset({"numpy.isscalar"})
"""Those of them to which no array of JAX is one, whatever its shape."""

ASKS_FOR_SHAPE = frozenset(
    f"{module}.{name}" for module in ("numpy", "jax.numpy") for name in ("shape", "ndim", "size")
)
"""Functions that say of an array or number what its attribute of that name says."""

BROADCASTS_SHAPES = frozenset(
    f"{module}.broadcast_shapes" for module in ("numpy", "jax.numpy", "jax.lax")
)
"""Functions that say which shape several shapes make together."""

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

ASSERTS = frozenset(
    f"numpy.testing.assert_{name}"
    for name in (
        "allclose", "almost_equal", "array_almost_equal", "array_almost_equal_nulp",
        "array_equal", "array_less", "array_max_ulp", "equal",
    )
)  # fmt: skip
"""Functions that compare the ndarrays which they make of their arguments."""

MAKES_ARRAYS = {
    **dict.fromkeys(SCALAR_TYPES | WRITES | ASSERTS, 0),
    "numpy.einsum": 0,
    "numpy.einsum_path": 0,
    "numpy.apply_over_axes": 1,
    "numpy.apply_along_axis": 2,
}
"""Functions, no experiment tells of which parameters, that make ndarrays of all their arguments
from this position on."""

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

CONVERTS = frozenset({"numpy.array", "numpy.asarray"})
"""Functions that give an array of JAX, which is no tracer, as one of NumPy."""

VIEWS = frozenset({"numpy.asarray"})
"""Those of them that give, without another dtype, a view of it that cannot be written."""

HAS_AXES_OF_LIST = HAS_AXES_OF_SIZE | {"numpy.array", "numpy.asarray"}
"""Functions whose result has axes where their first argument is a list, or a tuple of some."""

TYPES = SCALAR_TYPES | {
    f"numpy.{name}"
    for name in (
        "ndarray", "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact",
        "floating", "complexfloating", "bool",
    )
}  # fmt: skip
"""Types of which no tracer is an instance."""

_SHAPED = (
    "zeros ones full empty eye arange linspace zeros_like ones_like full_like empty_like sin cos "
    "tan tanh sinh cosh arcsin arccos arctan exp expm1 log log1p log2 log10 sqrt cbrt square abs "
    "absolute sign floor ceil negative reciprocal isnan isfinite maximum minimum add subtract "
    "multiply divide power mod hypot where clip sum mean max min std var prod any all argmax "
    "argmin median cumsum concatenate stack vstack hstack column_stack expand_dims squeeze reshape "
    "ravel transpose swapaxes moveaxis flip roll tile dot matmul argsort sort array asarray"
)
SHAPED_AS_JAX = frozenset(f"numpy.{name}" for name in _SHAPED.split())
"""Functions whose result has the shape that the function of JAX with that name gives."""

SEVERAL_AS_JAX = frozenset(
    f"numpy.{name}"
    for name in ("triu_indices", "tril_indices", "diag_indices", "meshgrid", "split", "array_split")
)
"""Functions that give as many arrays, of the shapes, as the function of JAX with that name."""

INDICES = "numpy.indices"
"""The function that gives an array for each size that it is told."""

_METHODS = (
    "sum mean max min std var prod any all argmax argmin cumsum clip round astype copy reshape "
    "ravel flatten transpose squeeze swapaxes dot"
)
METHODS_SHAPED_AS_JAX = frozenset(_METHODS.split())
"""The same of methods of arrays."""

_DRAWERS = ("", "Generator.", "RandomState.")
_SIZE_AT = {
    "normal": 2, "uniform": 2, "standard_normal": 0, "random": 0, "random_sample": 0,
    "randint": 2, "integers": 2, "choice": 1, "exponential": 1, "poisson": 1, "binomial": 2,
    "laplace": 2, "beta": 2, "gamma": 2, "lognormal": 2,
}  # fmt: skip

SIZE_DRAWN: dict[str, int | None] = {
    f"numpy.random.{owner}{name}": position
    for owner in _DRAWERS
    for name, position in _SIZE_AT.items()
    if (name, owner) not in {("randint", "Generator."), ("random_sample", "Generator.")}
    and (name != "integers" or owner == "Generator.")
} | {f"numpy.random.{owner}{name}": None for owner in _DRAWERS[::2] for name in ("rand", "randn")}
"""Functions that draw as many numbers as ``size`` says, and where that is among the arguments;
None: all of them are sizes."""

SHUFFLES = frozenset(f"numpy.random.{owner}permutation" for owner in _DRAWERS)
"""Functions that give an array in another order, of a number those below it."""
