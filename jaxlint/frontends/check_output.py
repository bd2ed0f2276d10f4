"""Where the report of ``jaxlint check`` goes, and how it looks there."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from jaxlint.frontends.check_options import FORMATS
from jaxlint.frontends.streams import write

if TYPE_CHECKING:
    from jaxlint.frontends.formats.report import Report

_NO_COLOUR = bool(os.environ.get("NO_COLOR"))


def write_report(arguments: argparse.Namespace, report: Report) -> str:
    """Write the report; returns what went wrong, or nothing."""
    from jaxlint.frontends.formats.report import statistics

    if arguments.statistics:
        text = "".join(f"{line}\n" for line in statistics(report))
    else:
        text = _formatted(arguments, report)
    if arguments.output_file is None:
        problem = write(text, sys.stdout)
        return problem and f"cannot write the report: {problem}"
    try:
        arguments.output_file.write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        return f"cannot write {arguments.output_file}: {error.strerror}"
    return ""


def _formatted(arguments: argparse.Namespace, report: Report) -> str:
    chosen = arguments.output_format
    if chosen == "text" and not report.findings:
        # Nothing to draw: a clean run does not load what draws.
        quiet = arguments.quiet
        files = len(report.linted)
        old = f"; {report.suppressed} in the baseline" if report.suppressed else ""
        old += f"; {report.fixed} fixed" if report.fixed else ""
        return "" if quiet else f"No findings in {files} file{'s' * (files != 1)}{old}.\n"
    module = import_module(f"jaxlint.frontends.formats.{FORMATS[chosen]}")
    if chosen != "text":
        return str(module.write(report))
    terminal = sys.stdout.isatty() and arguments.output_file is None
    wanted = {"always": True, "never": False}.get(arguments.color, terminal and not _NO_COLOUR)
    return str(module.write(report, wanted))
