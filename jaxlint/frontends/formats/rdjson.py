"""Reviewdog's format: https://github.com/reviewdog/reviewdog, "Reviewdog Diagnostic Format"."""

from __future__ import annotations

import json
from typing import Any

from jaxlint.findings import Finding
from jaxlint.frontends.formats.paths import from_repository
from jaxlint.frontends.formats.report import Report

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def write(report: Report) -> str:
    """The report as JSON."""
    diagnostics = [_entry(report, each) for each in report.findings]
    data = {"source": {"name": "jaxlint"}, "diagnostics": diagnostics}
    return json.dumps(data, indent=2) + "\n"


def _entry(report: Report, finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {"path": from_repository(finding.filename)}
    if not finding.cell:
        location["range"] = {
            "start": _position(report, finding, finding.line, finding.column),
            "end": _position(report, finding, finding.end_line, finding.end_column),
        }
    page = report.page(finding.code)
    return {
        "message": finding.message,
        "location": location,
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code, **({"url": page} if page else {})},
    }


def _position(report: Report, finding: Finding, line: int, column: int) -> dict[str, int]:
    """Lines and columns from 1; columns in bytes of UTF-8, as the format has it."""
    before = report.line(finding.filename, 0, line)[:column]
    return {"line": line, "column": len(before.encode("utf-8", "surrogatepass")) + 1}
