"""One line for each finding, as flake8 writes them."""

from __future__ import annotations

from jaxlint.frontends.formats.report import Report
from jaxlint.one_line import on_one_line


def write(report: Report) -> str:
    """The report as text."""
    return "".join(f"{on_one_line(str(finding))}\n" for finding in report.findings)
