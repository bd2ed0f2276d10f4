"""GitLab's code quality report: https://docs.gitlab.com/ci/testing/code_quality/."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from jaxlint.findings import Finding
from jaxlint.frontends.formats.paths import from_repository
from jaxlint.frontends.formats.report import Report

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def write(report: Report) -> str:
    """The report as JSON. GitLab compares fingerprints to tell what is new."""
    seen: Counter[tuple[str, str, str]] = Counter()
    return json.dumps([_entry(report, each, seen) for each in report.findings], indent=2) + "\n"


def _entry(report: Report, finding: Finding, seen: Counter[tuple[str, str, str]]) -> dict[str, Any]:
    path = from_repository(finding.filename)
    # The text of the line, not its number: lines move. The same once more is numbered.
    text = report.line(finding.filename, finding.cell, finding.line).strip()
    same = (path, finding.code, text)
    seen[same] += 1
    identity = "\0".join((*same, str(seen[same])))
    return {
        "description": f"{finding.code} {finding.message}",
        "check_name": finding.code,
        "fingerprint": hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest(),
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": path,
            # In a notebook's JSON the lines of its cells mean nothing.
            "lines": {"begin": 1} if finding.cell else
            {"begin": finding.line, "end": finding.end_line},
        },
    }  # fmt: skip
