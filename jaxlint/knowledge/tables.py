"""The tables that experiments on real JAX have filled, which the tools of the project write."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """A table by its name: that of the file beside this one, without its ending."""
    text = Path(__file__).with_name(f"{name}.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
