"""What real JAX said of each rule's fixtures, release by release.

``releases.json`` is written by ``tools/versions.py``; nothing in it is typed by hand.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _table() -> dict[str, Any]:
    text = Path(__file__).with_name("releases.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def releases() -> tuple[str, ...]:
    """The releases of JAX that were asked, the oldest first."""
    return tuple(_table())


def asked(code: str, release: str) -> int:
    """How many fixtures of a rule one release was asked about; 0: none yet."""
    count: int = _table()[release]["asked"].get(code, 0)
    return count


def not_confirmed(code: str, release: str) -> dict[str, str]:
    """Fixture -> what JAX did instead, for the fixtures of a rule on one release."""
    found: dict[str, str] = _table()[release]["rules"].get(code, {})
    return found
