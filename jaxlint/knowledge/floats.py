"""How many digits of a float its dtype keeps, and which functions take floats for bounds."""

from __future__ import annotations

from typing import Final

DIGITS: Final = {"float32": 24, "float16": 11, "bfloat16": 8}
"""Binary digits of the numbers of each narrow dtype."""

BOUNDS: Final = {
    **dict.fromkeys(("jax.numpy.clip", "jax.Array.clip"), (1, 2, "min", "max", "a_min", "a_max")),
    "jax.lax.clamp": (0, 2, "min", "max"),
    "jax.numpy.maximum": (0, 1),
    "jax.numpy.minimum": (0, 1),
}
"""Functions whose results lie within bounds: the positions and names of those."""
