"""JAX's type promotion as real JAX gave it: which dtypes there are, and what two make together.

``promotion.json`` is written by ``tools/measure/promotion.py``. ``~`` before a dtype says
that it is weak, as JAX itself shows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

KIND_NAMES = frozenset({"float", "int", "complex"})
"""Dtypes of which only the kind is known; ``int`` is any integer, signed or not."""


@cache
def _file() -> dict[str, Any]:
    text = Path(__file__).with_name("promotion.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def kinds() -> Mapping[str, str]:
    """The kind of each dtype: ``bool``, ``int``, ``float`` or ``complex``."""
    found: dict[str, str] = _file()["kinds"]
    return found


@cache
def short_names() -> Mapping[str, str]:
    """How JAX shortens each dtype: ``f32``."""
    found: dict[str, str] = _file()["short"]
    return found


@cache
def joined(x64: bool) -> Mapping[tuple[str, str], str]:
    """What two dtypes make together, in either order; a pair that JAX refuses is not there."""
    rows: dict[str, dict[str, str]] = _file()["x64 on" if x64 else "x64 off"]
    pairs = {(one, other): made for one, row in rows.items() for other, made in row.items()}
    return pairs | {(other, one): made for (one, other), made in pairs.items()}


@cache
def available(x64: bool) -> frozenset[str]:
    """The dtypes that an array can have, weak ones with their ``~``."""
    return frozenset(_file()["x64 on" if x64 else "x64 off"])
