"""Numbers with the words that they count."""

from __future__ import annotations


def count(number: int, what: str) -> str:
    """ "1 process", "2 processes"."""
    many = "es" if what.endswith("s") else "s"
    return f"{number} {what}{'' if number == 1 else many}"
