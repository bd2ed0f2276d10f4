"""What functions of JAX do to integers, for arrays of which the numbers are known."""

from __future__ import annotations

from jaxlint.knowledge.gradients import SAME_NUMBERS

SIGNED = frozenset({"int8", "int16", "int32", "int64"})
"""Dtypes whose arithmetic is hardly meant to wrap around; that of unsigned ones often is."""

OPERATORS: dict[str, str] = {
    "jax.numpy.add": "+",
    "jax.numpy.subtract": "-",
    "jax.numpy.multiply": "*",
    "jax.numpy.power": "**",
}
"""Functions that are an operator."""

SQUARES = "jax.numpy.square"
NEGATES = frozenset({"jax.numpy.negative", "jax.lax.neg"})
RANGE = "jax.numpy.arange"
NARROW = frozenset({"int8", "int16", "int32", "uint8", "uint16", "uint32"})
"""Dtypes that are the same with x64 and without it."""

BYTES = frozenset({"uint8"})
"""Dtypes of pixels, from which less than a byte is hardly ever taken on purpose."""

FIRST_LETTERS = frozenset({ord("A"), ord("a")})
"""What is taken from the bytes of a text, to number its letters: they hold nothing less."""

LIMITS = "jax.numpy.iinfo"
"""What says which integers a dtype holds; NumPy's is of the same class."""

ONES = frozenset({"jax.numpy.ones", "jax.numpy.ones_like"})
ZEROS = frozenset({"jax.numpy.zeros", "jax.numpy.zeros_like"})

FILLS = frozenset({"jax.numpy.full", "jax.numpy.full_like"})
"""Functions that fill an array with a number, which wraps around where its dtype cannot hold it."""

CHECKED = frozenset(
    {"jax.numpy.array", "jax.numpy.asarray", "jax.numpy.int8", "jax.numpy.int16",
     "jax.numpy.int32", "jax.numpy.int64"}
)  # fmt: skip
"""Functions that make an array of Python numbers, and raise where its dtype cannot hold them."""

REDUCES: dict[str, str] = {
    f"jax.{owner}.{name}": name
    for owner in ("numpy", "Array")
    for name in ("sum", "prod", "cumsum", "cumprod")
}
"""Functions of all numbers of an array, where no axis is given."""

KEEPS = SAME_NUMBERS | {"jax.device_put", "jax.numpy.transpose", "jax.Array.transpose"}
"""Functions whose result has the numbers of their first operand."""

CASTS = frozenset({"jax.Array.astype"})
"""Those of them that give the numbers another dtype, which need not hold them."""

CONVERTS = CASTS | frozenset(
    {"jax.lax.convert_element_type", "jax.numpy.array", "jax.numpy.asarray", "jax.numpy.astype",
     "jax.numpy.int8", "jax.numpy.int16", "jax.numpy.int32"}
)  # fmt: skip
"""Functions that give an array of integers another dtype: one that is no wider gets their bits."""

PRODUCTS = frozenset(
    {"jax.numpy.dot", "jax.numpy.inner", "jax.numpy.matmul", "jax.numpy.vdot", "jax.Array.dot"}
)
"""Functions that add up the products of the numbers of two arrays."""

MASKS = frozenset({"&", "|", "^", "%", "<<", ">>", "==", "!=", "<", "<=", ">", ">="})
"""Operators behind which a number that has wrapped around is meant to have, or is looked for."""

CHOOSES = frozenset(
    {f"jax.numpy.{name}" for name in
     ("where", "select", "minimum", "maximum", "clip", "mod", "remainder", "bitwise_and",
      "bitwise_or", "bitwise_xor", "less", "less_equal", "greater", "greater_equal", "equal",
      "not_equal", "uint8", "uint16", "uint32")}
    | {f"jax.lax.{name}" for name in
       ("select", "select_n", "min", "max", "clamp", "rem", "bitwise_and", "bitwise_or",
        "bitwise_xor", "shift_right_logical", "shift_right_arithmetic", "lt", "le", "gt", "ge",
        "eq", "ne", "bitcast_convert_type")}
    | {"jax.Array.view"}
)  # fmt: skip
"""The same of functions: what they choose from, or look at bit by bit."""
