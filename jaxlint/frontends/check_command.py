"""``jaxlint check``: lint files, folders and notebooks."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.findings import Finding
from jaxlint.frontends.check_files import lint_paths, lint_standard_input
from jaxlint.frontends.check_options import problem_with
from jaxlint.frontends.check_output import write_report
from jaxlint.frontends.check_plan import Plan
from jaxlint.frontends.complaints import fail, warn
from jaxlint.frontends.interrupts import ended_soon
from jaxlint.frontends.streams import write
from jaxlint.workspace.baseline import Baseline, BaselineError, write_baseline
from jaxlint.workspace.settings import SettingsError

if TYPE_CHECKING:
    from jaxlint.frontends.check_fixes import Mending
    from jaxlint.frontends.formats.report import Report

_CLEAN, _FOUND, _TROUBLE = 0, 1, 2


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    problem = problem_with(arguments)
    if problem:
        return fail(problem)
    with ended_soon():
        try:
            if arguments.watch:
                from jaxlint.frontends.check_watch import watch

                return watch(arguments, _check)
            return _check(arguments, Plan(arguments))
        except (SettingsError, BaselineError) as error:
            return fail(str(error))


def _check(arguments: argparse.Namespace, plan: Plan) -> int:
    """Lint once.

    Raises:
        SettingsError, BaselineError: a file of the user's cannot be used.
    """
    if arguments.show_files or arguments.show_settings:
        from jaxlint.frontends.check_show import show

        return show(arguments, plan)
    mending = _mending(arguments)
    if arguments.stdin_filename is not None or arguments.paths == ["-"]:
        report, missing = lint_standard_input(arguments, plan, mending), False
    else:
        report, missing = lint_paths(arguments, plan, mending)
    if arguments.add_noqa:
        from jaxlint.frontends.check_noqa import add_comments

        return add_comments(report)
    if arguments.write_baseline is not None:
        return _write_baseline(arguments, report)
    unused = _leave_out_baseline(report, plan.baseline)
    problem = _written(arguments, report, mending)
    if problem:
        return fail(problem)
    if unused and not arguments.quiet:
        warn(f"{plan.baseline}: {unused} of its findings are gone; write it again")
    if missing or report.failed or (mending is not None and mending.failed):
        return _TROUBLE
    return _FOUND if _is_bad(arguments, report, mending) else _CLEAN


def _mending(arguments: argparse.Namespace) -> Mending | None:
    """What mends files; None when they are only to be looked at."""
    if not (arguments.fix or arguments.fix_only or arguments.diff):
        return None
    from jaxlint.frontends.check_fixes import Mending

    return Mending(not arguments.diff, arguments.jobs)


def _written(arguments: argparse.Namespace, report: Report, mending: Mending | None) -> str:
    """Write what the user asked to see; returns what went wrong, or nothing."""
    if mending is None:
        return write_report(arguments, report)
    report.fixed = mending.count
    if arguments.show_fixes:
        write(mending.listed(), sys.stderr)
    if (arguments.diff or arguments.fix_only) and not arguments.quiet:
        write(mending.summary(), sys.stderr)
    if arguments.diff:
        return mending.show()
    if arguments.fix_only:
        return ""
    # What was read from standard input has gone to standard output, mended.
    with redirect_stdout(sys.stderr) if mending.piped else nullcontext():
        return write_report(arguments, report)


def _is_bad(arguments: argparse.Namespace, report: Report, mending: Mending | None) -> bool:
    """Whether the exit code says that something was found."""
    if arguments.exit_zero:
        return False
    if mending is not None and mending.changed:
        if arguments.diff or arguments.exit_non_zero_on_fix:
            return True
    return bool(report.mistakes) and not (arguments.diff or arguments.fix_only)


def _leave_out_baseline(report: Report, file: Path | None) -> int:
    """Take what the baseline holds out of the report; returns how much of it has not come up."""
    if file is None:
        return 0
    baseline = Baseline.read(file)
    for linted in report.linted:
        kept = [finding for finding in linted.findings if not _is_old(baseline, report, finding)]
        report.suppressed += len(linted.findings) - len(kept)
        linted.findings = kept
    return baseline.unused


def _is_old(baseline: Baseline, report: Report, finding: Finding) -> bool:
    return baseline.holds(finding, report.line(finding.filename, finding.cell, finding.line))


def _write_baseline(arguments: argparse.Namespace, report: Report) -> int:
    lines = [(f, report.line(f.filename, f.cell, f.line)) for f in report.findings]
    count = write_baseline(arguments.write_baseline, lines)
    warn(f"{count} findings written; use them: jaxlint check --baseline {arguments.write_baseline}")
    return _TROUBLE if report.failed else _CLEAN
