"""A JSON list, with the field names that ruff uses.

Besides: the severity, the chain of reasons, and where the same mistake is made again.
"""

from __future__ import annotations

import json
from typing import Any

from jaxlint.findings import Finding, Note
from jaxlint.frontends.formats.report import Report, name_and_summary


def write(report: Report) -> str:
    """The report as JSON. Rows and columns count from 1."""
    return json.dumps([_entry(finding) for finding in report.findings], indent=2) + "\n"


def _entry(finding: Finding) -> dict[str, Any]:
    what, advice = finding.parts
    return {
        "code": finding.code,
        "name": name_and_summary(finding.code)[0],
        "severity": finding.severity,
        "message": finding.message,
        "what": what,
        "help": advice or None,
        "filename": finding.filename,
        "cell": finding.cell or None,
        "location": {"row": finding.line, "column": finding.column + 1},
        "end_location": {"row": finding.end_line, "column": finding.end_column + 1},
        "reasons": [_note(note) for note in finding.notes if not note.again],
        "also": [_note(note) for note in finding.notes if note.again],
    }


def _note(note: Note) -> dict[str, Any]:
    return {
        "message": note.text,
        "cell": note.cell or None,
        "location": {"row": note.line, "column": note.column + 1},
    }
