"""JAX's type promotion as real JAX gave it: which dtypes there are, and what two make together.

``promotion.json`` is written by ``tools/measure/promotion.py``. ``~`` before a dtype says
that it is weak, as JAX itself shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jaxlint.knowledge.tables import table

KIND_NAMES = frozenset({"float", "int", "complex"})
"""Dtypes of which only the kind is known; ``int`` is any integer, signed or not."""


@cache
def kinds() -> Mapping[str, str]:
    """The kind of each dtype: ``bool``, ``int``, ``float`` or ``complex``."""
    found: dict[str, str] = table("promotion")["kinds"]
    return found


@cache
def short_names() -> Mapping[str, str]:
    """How JAX shortens each dtype: ``f32``."""
    found: dict[str, str] = table("promotion")["short"]
    return found


@cache
def joined(x64: bool) -> Mapping[tuple[str, str], str]:
    """What two dtypes make together, in either order; a pair that JAX refuses is not there."""
    rows: dict[str, dict[str, str]] = table("promotion")["x64 on" if x64 else "x64 off"]
    pairs = {(one, other): made for one, row in rows.items() for other, made in row.items()}
    return pairs | {(other, one): made for (one, other), made in pairs.items()}


@cache
def available(x64: bool) -> frozenset[str]:
    """The dtypes that an array can have, weak ones with their ``~``."""
    return frozenset(table("promotion")["x64 on" if x64 else "x64 off"])
