"""What real JAX said of each rule's fixtures, release by release.

``releases.json`` is written by ``tools/versions.py``; nothing in it is typed by hand.
"""

from __future__ import annotations

from jaxlint.knowledge.tables import table


def releases() -> tuple[str, ...]:
    """The releases of JAX that were asked, the oldest first."""
    return tuple(table("releases"))


def asked(code: str, release: str) -> int:
    """How many fixtures of a rule one release was asked about; 0: none yet."""
    count: int = table("releases")[release]["asked"].get(code, 0)
    return count


def not_confirmed(code: str, release: str) -> dict[str, str]:
    """Fixture -> what JAX did instead, for the fixtures of a rule on one release."""
    found: dict[str, str] = table("releases")[release]["rules"].get(code, {})
    return found
