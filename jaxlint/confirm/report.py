"""The table that a person reads, and the evidence file that is kept."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import jaxlint
from jaxlint.confirm.run import Report

_WIDTHS = (("rule", 6), ("fixture", 52), ("expected", 40), ("what JAX did", 72))


def table(report: Report) -> str:
    """All verdicts as text, then what they were reached on."""
    lines = [
        _row([name for name, _ in _WIDTHS], "verdict"),
        _row(["-" * w for _, w in _WIDTHS], "-" * 9),
    ]
    for verdict in report.verdicts:
        cells = [verdict.rule, verdict.fixture, verdict.expected, verdict.observed]
        lines.append(_row(cells, verdict.outcome))
    counts = Counter(verdict.outcome for verdict in report.verdicts)
    total = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    rules = len({verdict.rule for verdict in report.verdicts})
    lines += ["", f"{rules} rules, {len(report.verdicts)} fixtures: {total}", where(report)]
    return "\n".join(lines)


def where(report: Report) -> str:
    """One line: what the verdicts were reached on."""
    found = report.environment
    return (
        f"jax {found['jax']}, jaxlib {found['jaxlib']}, Python {found['python']}, "
        f"{found['platform']} ({found['device_kind']}), {found['machine']}"
    )


def write_json(report: Report, path: Path) -> None:
    """Write the evidence file.

    Raises:
        OSError: it cannot be written.
    """
    content = {
        "jaxlint": jaxlint.__version__,
        "environment": report.environment,
        "verdicts": [asdict(verdict) for verdict in report.verdicts],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _row(cells: list[str], last: str) -> str:
    padded = [
        cell[: width - 3] + "..." if len(cell) > width else cell.ljust(width)
        for cell, (_, width) in zip(cells, _WIDTHS, strict=True)
    ]
    return "  ".join([*padded, last]).rstrip()
