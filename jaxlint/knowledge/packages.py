"""Packages that the tables of this folder speak of."""

KNOWN_LIBRARIES = frozenset(
    {"absl", "beartype", "chex", "distrax", "einops", "equinox", "flax", "haiku", "jax",
     "jax_dataclasses", "jaxlib", "jaxtyping", "numpy", "numpyro", "optax", "pytest", "rich",
     "scipy", "tensorflow", "tensorflow_probability", "torch", "tqdm", "typeguard",
     "typing_extensions"}
)  # fmt: skip
"""Packages that the tables here speak of: their own source says no more."""
