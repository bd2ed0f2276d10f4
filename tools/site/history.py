"""Since which version a rule is there, as the changelog says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
_VERSION = re.compile(r"^## (.+)$", re.MULTILINE)
_CODES = re.compile(r"JXL(\d{3})(?:-(\d{3}))?")


@cache
def _first_named() -> dict[str, str]:
    parts = _VERSION.split(CHANGELOG.read_text("utf-8"))[1:]
    found: dict[str, str] = {}
    for version, text in zip(parts[::2], parts[1::2], strict=True):
        for first, last in _CODES.findall(text):
            for number in range(int(first), int(last or first) + 1):
                found[f"JXL{number:03}"] = version  # The newest stand first.
    return found


def since(code: str) -> str:
    """The oldest version whose changes name a code, alone or in a range such as ``JXL101-123``.

    Raises:
        LookupError: none does.
    """
    try:
        return _first_named()[code]
    except KeyError:
        raise LookupError(f"CHANGELOG.md does not name {code}") from None
