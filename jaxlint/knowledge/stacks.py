"""Functions of libraries that make layers one beside the other."""

from __future__ import annotations

STACKS = frozenset({"flax.linen.scan", "flax.linen.vmap"})
"""Functions that make layers one beside the other, whose keys ``split_rngs`` splits."""

STACKED = ("variable_axes", "split_rngs", "params")
"""Their options that say along which axis variables lie, and which keys are split, and the one of
both that parameters are drawn from."""

MAPS_MODULES = "flax.nnx.vmap"
"""What maps a function over objects of nnx, where it is told along which axes."""
