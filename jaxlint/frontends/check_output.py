"""Where the report of ``jaxlint check`` goes, and how it looks there."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from jaxlint.frontends.check_options import FORMATS
from jaxlint.frontends.streams import colours_wanted, hyperlinks_wanted, write

if TYPE_CHECKING:
    from jaxlint.frontends.formats.report import Report


def write_report(arguments: argparse.Namespace, report: Report) -> str:
    """Write the report; returns what went wrong, or nothing."""
    text = _statistics(arguments, report) if arguments.statistics else _formatted(arguments, report)
    if arguments.output_file is None:
        problem = write(text, sys.stdout)
        return problem and f"cannot write the report: {problem}"
    try:
        arguments.output_file.write_text(text, "utf-8", "backslashreplace")
    except OSError as error:
        return f"cannot write {arguments.output_file}: {error.strerror}"
    return ""


def _statistics(arguments: argparse.Namespace, report: Report) -> str:
    from jaxlint.frontends.formats.statistics import as_json, as_text

    return as_json(report) if arguments.output_format == "json" else as_text(report)


def _formatted(arguments: argparse.Namespace, report: Report) -> str:
    chosen = arguments.output_format
    if chosen in _FOR_PEOPLE and not report.findings:
        # Nothing to draw: a clean run does not load what draws.
        quiet = arguments.quiet
        files = len(report.linted)
        old = f"; {report.suppressed} in the baseline" if report.suppressed else ""
        old += f"; {report.fixed} fixed" if report.fixed else ""
        return "" if quiet else f"No findings in {files} file{'s' * (files != 1)}{old}.\n"
    module = import_module(f"jaxlint.frontends.formats.{FORMATS[chosen]}")
    if chosen not in _FOR_PEOPLE:
        return str(module.write(report))
    choice, to_file = arguments.color, arguments.output_file is not None
    if to_file and choice == "auto":
        choice = "never"
    colours = colours_wanted(choice, sys.stdout)
    links = colours and not to_file and hyperlinks_wanted(sys.stdout)
    return str(module.write(report, colours, links))


_FOR_PEOPLE = ("text", "grouped")
