"""What experiments on real JAX cannot show, each row with its reason."""

from __future__ import annotations

NEUTRAL = frozenset({"device", "out_sharding", "sharding", "out"})
"""Parameters that say where a result lies: an experiment on one device cannot vary them."""

SHAPES_IN_AND_OUT = frozenset({"jax.numpy.broadcast_shapes", "jax.lax.broadcast_shapes"})
"""Functions of shapes: an experiment gives them arrays where nobody does, and gets arrays back."""
