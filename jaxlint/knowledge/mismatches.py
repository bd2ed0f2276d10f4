"""Of which functions JAX refuses the shapes that their rules call impossible.

``mismatches.json`` is written by ``python -m tools.measure.mismatches``; nothing in it is typed by
hand. What the rules of other functions say was found with calls that ran, and is not believed of
calls that cannot.
"""

from __future__ import annotations

from functools import cache

from jaxlint.knowledge.tables import table


@cache
def _functions() -> frozenset[str]:
    return frozenset(table("mismatches")["functions"])


def refuses_impossible(name: str) -> bool:
    """Whether a function, by its qualified name, raises where its rule calls a shape impossible."""
    return name in _functions()


def measured_on() -> str:
    """The version of JAX that was asked."""
    return str(table("mismatches")["jax"])
