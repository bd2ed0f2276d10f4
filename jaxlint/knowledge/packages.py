"""Packages that the tables of this folder speak of."""

from jaxlint.knowledge import history

KNOWN_LIBRARIES = frozenset(
    {"absl", "beartype", "chex", "distrax", "einops", "equinox", "flax", "haiku", "jax",
     "jax_dataclasses", "jaxlib", "jaxtyping", "numpy", "numpyro", "optax", "pytest", "rich",
     "scipy", "tensorflow", "tensorflow_probability", "torch", "tqdm", "typeguard",
     "typing_extensions"}
)  # fmt: skip
"""Packages that the tables here speak of: their own source says no more."""


def is_module(name: str) -> bool:
    """Whether a name is one of these packages, or a module of JAX."""
    return name in KNOWN_LIBRARIES or history.is_module(name)
