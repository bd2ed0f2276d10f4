"""What experiments on real JAX cannot show, each row with its reason."""

from __future__ import annotations

NEUTRAL = frozenset({"device", "out_sharding", "sharding", "out"})
"""Parameters that say where a result lies: an experiment on one device cannot vary them."""
