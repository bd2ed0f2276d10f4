"""One line for each finding, as pylint's ``parseable`` has them: Jenkins and others read it."""

from __future__ import annotations

from jaxlint.findings import Finding
from jaxlint.frontends.formats.report import Report, on_one_line


def write(report: Report) -> str:
    """The report as text."""
    return "".join(f"{on_one_line(_line(finding))}\n" for finding in report.findings)


def _line(finding: Finding) -> str:
    cell = f"cell {finding.cell}:" if finding.cell else ""
    return f"{finding.filename}:{cell}{finding.line}: [{finding.code}] {finding.message}"
