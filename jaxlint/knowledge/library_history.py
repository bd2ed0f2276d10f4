"""Which names went from the libraries around JAX, and with which of their releases.

``library_history.json`` is what the source of every release on the package index says
(``tools/history/libraries.py``); what to write instead is typed, in ``replacements.py``.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jaxlint.knowledge.replacements import (
    PARAMETERS_IN_LIBRARIES,
    RENAMED_IN_LIBRARIES,
    SAYS_IN_LIBRARIES,
    Change,
)

DATA = Path(__file__).with_name("library_history.json")

PACKAGES = {
    "chex": "chex",
    "equinox": "equinox",
    "flax": "flax",
    "haiku": "dm-haiku",
    "optax": "optax",
    "orbax.checkpoint": "orbax-checkpoint",
}
"""The packages that were read, and what each is called where it is installed from."""

_ANY_JAX = "0"
"""For a release of a library that does not say which JAX it needs."""


@cache
def change_in_library(name: str) -> Change | None:
    """What became of a qualified name; None when the newest release of its library has it."""
    package = _package(name)
    removed = _data()[package]["gone"].get(name) if package else None
    if removed is None:
        return None
    new = RENAMED_IN_LIBRARIES.get(name, "")
    says = SAYS_IN_LIBRARIES.get(name) or (f"use {new}" if new else "")
    needs = _data()[package]["releases"][removed] or _ANY_JAX
    return Change(removed, "", says, PACKAGES[package], needs)


def parameter_change_in_library(name: str, keyword: str) -> Change | None:
    """What became of a parameter of a function of a library; None when it is there, or never was.

    The function itself may have gone since: then that is told.
    """
    removed, says = PARAMETERS_IN_LIBRARIES.get((name, keyword), ("", ""))
    if not removed:
        return None
    package = _package(name)
    needs = _data()[package]["releases"][removed] or _ANY_JAX
    return Change(removed, "", says, PACKAGES[package], needs)


def change_above_in_library(name: str) -> tuple[str, Change] | None:
    """The same for a name or the module it lies in, whichever went."""
    while name.count("."):
        found = change_in_library(name)
        if found is not None:
            return name, found
        name = name.rpartition(".")[0]
    return None


def came_in_library(name: str) -> tuple[str, str]:
    """Of what is written instead of a name that went: what to install, and its first release.

    Empty for what is in none of these libraries.
    """
    package = _package(name)
    since = _data()[package]["came"].get(name, "") if package else ""
    return (PACKAGES[package], since) if since else ("", "")


def _package(name: str) -> str:
    return next((each for each in PACKAGES if name.startswith(f"{each}.")), "")


@cache
def _data() -> dict[str, dict[str, Any]]:
    data: dict[str, dict[str, Any]] = json.loads(DATA.read_text("utf-8"))
    return data
