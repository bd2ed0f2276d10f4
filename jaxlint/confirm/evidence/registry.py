"""Finds the kinds of evidence: every module of this folder with a class of its own."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from jaxlint.confirm.evidence.kind import EvidenceKind


@cache
def all_kinds() -> dict[str, EvidenceKind]:
    """Every kind, by the name that rules give it: that of its file."""
    found: dict[str, EvidenceKind] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        module = importlib.import_module(f"jaxlint.confirm.evidence.{path.stem}")
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                if issubclass(value, EvidenceKind) and value is not EvidenceKind:
                    found[path.stem] = value()
    return found
