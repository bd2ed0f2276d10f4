"""Operands that ``jax.lax`` wants of one dtype: it promotes nothing."""

from __future__ import annotations

_PAIRS = (
    "add atan2 complex div dynamic_update_slice eq ge gt le lt max min mul ne nextafter pad rem sub"
)
SAME_DTYPE: dict[str, tuple[int, ...]] = {
    **{f"jax.lax.{name}": (0, 1) for name in _PAIRS.split()},
    "jax.lax.clamp": (0, 1, 2),
    "jax.lax.select": (1, 2),
}
"""Function -> the positions of arguments that must have the same dtype."""
