"""Which parameters of JAX functions refuse what is no array: None, a string, a dict, a function.

In a list also a list.

``foreign.json`` is written by ``python -m tools.measure.foreign``; nothing in it is typed by hand.
"""

from __future__ import annotations

from typing import Literal

from jaxlint.knowledge.tables import table

Foreign = Literal["None", "string", "dict", "function", "list"]
"""What is no array."""

IN_LISTS = "[]"
"""Ends the name of a parameter that takes lists, where what lies in them is meant."""


def refuses(name: str, parameter: str, kind: Foreign) -> bool:
    """Whether a function, by its qualified name, raises where a parameter is given that."""
    return kind in table("foreign")["functions"].get(name, {}).get(parameter, "").split()


def measured_on() -> str:
    """The version of JAX that was asked."""
    return str(table("foreign")["jax"])
