"""What the annotation of a parameter or field says that it is: an array, and which; a PRNG key."""

from __future__ import annotations

ANNOTATED_DTYPES: dict[str, str | None] = {
    "Shaped": None, "Num": None, "Real": None, "Inexact": None,
    "Float": "float", "Complex": "complex", "Int": "int", "UInt": "int", "Integer": "int",
    "Bool": "bool", "BFloat16": "bfloat16",
    **{f"{kind}{bits}": f"{kind.lower()}{bits}"
       for kind, widths in (("Int", (8, 16, 32, 64)), ("UInt", (8, 16, 32, 64)),
                            ("Float", (16, 32, 64)), ("Complex", (64, 128)))
       for bits in widths},
}  # fmt: skip
"""The annotations of jaxtyping that say a dtype and a shape, ``Float[Array, "batch 3"]``: the
dtype, or its kind."""

ARRAY_ANNOTATIONS = frozenset(
    {"jax.Array", "jax.numpy.ndarray", "jax.typing.ArrayLike", "jaxtyping.Array",
     "jaxtyping.ArrayLike", "chex.Array", "chex.ArrayDevice", "chex.Scalar", "chex.Numeric",
     "numpy.ndarray", "builtins.float", "builtins.int", "builtins.bool", "builtins.complex",
     *(f"jaxtyping.{name}" for name in ANNOTATED_DTYPES)}
)  # fmt: skip
"""Annotations that make a traced parameter an array."""

JAX_ANNOTATIONS = ARRAY_ANNOTATIONS - {"numpy.ndarray"}
"""Annotations of arrays of JAX, which are leaves of whatever holds them."""

KEY_ANNOTATIONS = frozenset(
    {"jaxtyping.PRNGKeyArray", "jaxtyping.Key", "chex.PRNGKey", "jax.random.PRNGKey",
     "jax.random.PRNGKeyArray"}
)  # fmt: skip
"""Annotations of PRNG keys."""
