"""Findings, and the one place where selection and suppression are applied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from jaxlint.config import Options
from jaxlint.source import Source

Severity = Literal["error", "warning"]
"""``error``: JAX raises. ``warning``: it runs, and is wrong or slow."""


@dataclass(frozen=True, slots=True)
class Note:
    """One step of the chain of reasons, at its place."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic.

    Lines count from 1, columns from 0, in characters.
    """

    code: str
    message: str
    filename: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity = "error"
    notes: tuple[Note, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column + 1}: {self.code} {self.message}"


def settle(findings: Iterable[Finding], source: Source, options: Options) -> list[Finding]:
    """Drop what the user does not want to see; sort the rest by position."""
    kept = [
        finding
        for finding in findings
        if options.wants(finding.code)
        and not (options.respect_noqa and source.is_silenced(finding.code, finding.line))
    ]
    return sorted(set(kept), key=lambda f: (f.line, f.column, f.code))
