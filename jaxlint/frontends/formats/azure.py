"""Issues of Azure Pipelines: https://learn.microsoft.com/azure/devops, "logging commands"."""

from __future__ import annotations

from jaxlint.findings import Finding
from jaxlint.frontends.formats.paths import from_repository
from jaxlint.frontends.formats.report import Report, on_one_line


def write(report: Report) -> str:
    """The report as logging commands."""
    return "".join(f"{_command(finding)}\n" for finding in report.findings)


def _command(finding: Finding) -> str:
    # There are no other types.
    kind = "error" if finding.severity == "error" else "warning"
    properties = {"type": kind, "sourcepath": from_repository(finding.filename)}
    if not finding.cell:
        properties |= {"linenumber": str(finding.line), "columnnumber": str(finding.column + 1)}
    properties["code"] = finding.code
    listed = "".join(f"{name}={_property(value)};" for name, value in properties.items())
    cell = f"cell {finding.cell}, line {finding.line}: " if finding.cell else ""
    return f"##vso[task.logissue {listed}]{_data(on_one_line(f'{cell}{finding.message}'))}"


def _data(text: str) -> str:
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(on_one_line(text)).replace("]", "%5D").replace(";", "%3B")
