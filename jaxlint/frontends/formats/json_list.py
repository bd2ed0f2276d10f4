"""A JSON list, with the field names that ruff uses.

Besides: the severity, the chain of reasons, where the same mistake is made again, where it
happens when that is in another module than the one reported, and the cells of a fix.
"""

from __future__ import annotations

import json
from typing import Any

from jaxlint.findings import Finding, Note
from jaxlint.frontends.formats.report import Report, name_and_summary


def write(report: Report) -> str:
    """The report as JSON. Rows and columns count from 1."""
    return json.dumps([entry(report, finding) for finding in report.findings], indent=2) + "\n"


def entry(report: Report, finding: Finding) -> dict[str, Any]:
    """One finding; rows and columns count from 1."""
    what, advice = finding.parts
    return {
        "code": finding.code,
        "name": name_and_summary(finding.code)[0],
        "url": report.page(finding.code) or None,
        "severity": finding.severity,
        "message": finding.message,
        "what": what,
        "help": advice or None,
        "filename": finding.filename,
        "cell": finding.cell or None,
        "location": {"row": finding.line, "column": finding.column + 1},
        "end_location": {"row": finding.end_line, "column": finding.end_column + 1},
        "happens_at": _happens_at(finding),
        "fix": _fix(finding),
        "reasons": [_note(finding, note) for note in finding.notes if not note.again],
        "also": [_note(finding, note) for note in finding.notes if note.again],
    }


def _happens_at(finding: Finding) -> dict[str, Any] | None:
    at = finding.happens_at
    if at is None:
        return None
    return {
        "filename": finding.path(at.file),
        "location": {"row": at.line, "column": at.column + 1},
        "end_location": {"row": at.end_line, "column": at.end_column + 1},
    }


def _fix(finding: Finding) -> dict[str, Any] | None:
    if finding.fix is None:
        return None
    return {
        "message": finding.fix.title,
        "applicability": "safe" if finding.fix.safe else "unsafe",
        "edits": [
            {
                "content": edit.text,
                "cell": edit.cell or None,
                "location": {"row": edit.line, "column": edit.column + 1},
                "end_location": {"row": edit.end_line, "column": edit.end_column + 1},
            }
            for edit in finding.fix.edits
        ],
    }


def _note(finding: Finding, note: Note) -> dict[str, Any]:
    return {
        "message": note.text,
        "filename": finding.path(note.file),
        "cell": note.cell or None,
        "location": {"row": note.line, "column": note.column + 1},
        "end_location": {
            "row": note.end_line or note.line,
            "column": (note.end_column if note.end_line else note.column) + 1,
        },
    }
