"""Functions of numpyro that give a value a name, which is the only one of a run of the model."""

from __future__ import annotations

from typing import Final

SITES: Final = frozenset({"numpyro.deterministic", "numpyro.factor", "numpyro.sample"})
"""Those that take the name first; what has the name of another is refused by all inference."""

DRAWS_ALONE: Final = "rng_key"
"""The keyword by which a site draws without inference around it."""

KEEPS_NAMES: Final = frozenset(
    {"numpyro.plate", "numpyro.plate_stack", "numpyro.handlers.mask", "numpyro.handlers.scale"}
)
"""Contexts in which the names of sites stay as they are written."""
