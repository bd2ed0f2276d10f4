"""``jaxlint confirm PATHS -- COMMAND``: findings against the user's program, and with ``--fix``
the program as it is against the program as the fixes make it."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

from jaxlint.config import Options
from jaxlint.confirm.platforms import PLATFORMS
from jaxlint.confirm.program.asked import Asked
from jaxlint.confirm.program.command import CannotObserve, observe
from jaxlint.confirm.program.comparison import Comparison
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.mending import Mended, mended_copy, nothing_to_mend, run_again
from jaxlint.confirm.program.project_copy import CannotCopy
from jaxlint.confirm.program.repeated_traces import MOST
from jaxlint.confirm.program.report import Report, conclude
from jaxlint.frontends.complaints import fail, our_fault, warn
from jaxlint.frontends.confirm_outputs import (
    lint_with_progress,
    text_for,
    write_outputs,
    wrong_outputs,
)
from jaxlint.frontends.streams import write
from jaxlint.workspace.discovery import PathError

_TROUBLE = 2
_PATIENCE = 10.0
"""Seconds; gloo itself gives up after 30 while it connects, and later never."""

_MOST_PROCESSES = 64


def confirm_program(arguments: argparse.Namespace, codes: list[str], command: list[str]) -> int:
    """Lint, run the command, report; returns the exit code.

    Args:
        arguments: the options.
        codes: only these rules; all when empty.
        command: program and arguments.
    """
    wrong = wrong_outputs(arguments) or _wrong_processes(arguments) or _wrong_to_collect(arguments)
    if wrong:
        return fail(wrong)
    retraces = MOST if arguments.retraces is None else arguments.retraces
    if arguments.unsafe_fixes and not arguments.fix:
        return fail("--unsafe-fixes says which fixes --fix applies: write --fix too")
    options = Options(select=tuple(codes) or None, unsafe_fixes=arguments.unsafe_fixes)
    asked = Asked(
        command, options, retraces, PLATFORMS.get(arguments.platform, ""),
        arguments.processes or 0,
        _PATIENCE if arguments.patience is None else arguments.patience,
        arguments.collect,
    )  # fmt: skip
    try:
        linted = lint_with_progress(arguments.paths, options)
    except PathError as error:
        return fail(str(error))
    runs = _Runs(asked, arguments)
    try:
        if asked.collect is not None:
            return _collect(asked, linted)
        return runs.with_fixes(linted) if arguments.fix else runs.run(linted)
    except (CannotObserve, CannotCopy) as error:
        return fail(f"{error}; nothing was run")


def _wrong_processes(arguments: argparse.Namespace) -> str:
    """What is wrong with the options about processes; empty when nothing is."""
    if arguments.processes is None:
        return "" if arguments.patience is None else "--patience is for --processes N"
    if not 2 <= arguments.processes <= _MOST_PROCESSES:
        return f"--processes must be from 2 to {_MOST_PROCESSES}"
    if arguments.platform not in ("", "cpu"):
        return "--processes starts processes that compute on the CPU: leave --platform out"
    if arguments.patience is not None and not 0 <= arguments.patience < math.inf:
        return "--patience must be a number of seconds, or 0"
    return ""


def _wrong_to_collect(arguments: argparse.Namespace) -> str:
    """Which option does not go with ``--collect``; empty when all do."""
    if arguments.collect is None:
        return ""
    if arguments.fix:
        return "--collect keeps a run as it is: leave --fix out"
    for name in ("html", "json", "strict"):
        if getattr(arguments, name):
            return f"with --collect there is no report yet: jaxlint report DIR --{name} makes one"
    if arguments.collect.exists() and not arguments.collect.is_dir():
        return f"--collect {arguments.collect}: it is no folder"
    return ""


def _collect(asked: Asked, linted: Linted) -> int:
    """Run the command, and say where the run is kept; returns the exit code."""
    ran = observe(asked, linted)
    if ran.ending.said:
        warn(ran.ending.said)
    if ran.problem:
        warn(ran.problem)
        return ran.ending.code or _TROUBLE
    names = f"{ran.written[0].name}" + (", ..." if len(ran.written) > 1 else "")
    warn(f"what was observed is in {asked.collect} ({names}); jaxlint report {asked.collect}")
    return ran.ending.code


class _Runs:
    """The run of a command, and the one with the fixes; what is said about them."""

    def __init__(self, asked: Asked, arguments: argparse.Namespace) -> None:
        self._asked = asked
        self._arguments = arguments
        self._text = text_for(sys.stderr)

    def with_fixes(self, linted: Linted) -> int:
        """Run the command as it is, and in a copy of the project with the fixes.

        Raises:
            CannotObserve, CannotCopy: nothing was run.
        """
        why_not = nothing_to_mend(linted, self._asked.options)
        if why_not:
            return self.run(linted, None, [why_not])
        with mended_copy(self._arguments.paths, linted, self._asked.options) as mended:
            if mended.applied:
                return self.run(linted, mended)
        return self.run(linted, None, mended.problems)

    def run(self, linted: Linted, mended: Mended | None = None, remarks: Sequence[str] = ()) -> int:
        """Run the command, and again if there is a copy with fixes.

        Returns the exit code: that of the last run.

        Raises:
            CannotObserve: nothing was run.
        """
        asked = self._asked
        ran = observe(asked, linted)
        code, problem = ran.ending.code, ""
        try:
            report = last = conclude(ran, linted, asked.options, asked.retraces)
            report.remarks += remarks
            write(self._text.write(report), sys.stderr)
            comparison = None
            if mended is not None:
                comparison, problem = self._again(report, mended)
            if comparison is not None:
                last = comparison.after
                code = last.ending.code
                write(self._text.write_comparison(comparison), sys.stderr)
            problem = write_outputs(report, self._arguments, comparison) or ran.problem or problem
        except Exception as error:
            problem = our_fault(error)
        if problem:
            warn(problem)
            return code or _TROUBLE
        if code == 0 and self._arguments.strict and (last.counts["confirmed"] or last.missed):
            return 1
        return code

    def _again(self, report: Report, mended: Mended) -> tuple[Comparison | None, str]:
        """The second run, and what went wrong with it."""
        if report.ending.said:
            return None, f"{report.ending.said}; it was not run with the fixes"
        write("\njaxlint confirm --fix: the command again, with the fixes\n", sys.stderr)
        try:
            return Comparison(report, run_again(self._asked, mended, report), mended), ""
        except CannotObserve as error:
            return None, f"{error}; the command was not run with the fixes"
