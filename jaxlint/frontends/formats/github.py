"""Annotations of GitHub Actions: https://docs.github.com/actions, "workflow commands"."""

from __future__ import annotations

from jaxlint.findings import Finding
from jaxlint.frontends.formats.paths import from_repository
from jaxlint.frontends.formats.report import Report, on_one_line

_COMMANDS = {"note": "notice"}
"""Severities that GitHub has another word for."""


def write(report: Report) -> str:
    """The report as workflow commands."""
    return "".join(f"{_command(finding)}\n" for finding in report.findings)


def _command(finding: Finding) -> str:
    properties = {
        "title": f"jaxlint {finding.code}",
        "file": on_one_line(from_repository(finding.filename)),
    }
    if not finding.cell:
        # In a notebook's JSON the lines of its cells mean nothing.
        properties |= {"line": str(finding.line), "col": str(finding.column + 1)}
        properties |= {"endLine": str(finding.end_line), "endColumn": str(finding.end_column + 1)}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    command = _COMMANDS.get(finding.severity, finding.severity)
    return f"::{command} {listed}::{_data(on_one_line(str(finding)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
