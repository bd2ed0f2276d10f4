"""JSON, a line for each finding, for programs that read as they go."""

from __future__ import annotations

import json

from jaxlint.frontends.formats.json_list import entry
from jaxlint.frontends.formats.report import Report


def write(report: Report) -> str:
    """The report, with the fields of the format ``json``."""
    return "".join(f"{json.dumps(entry(report, finding))}\n" for finding in report.findings)
