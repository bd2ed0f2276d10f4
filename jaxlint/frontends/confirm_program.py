"""``jaxlint confirm PATHS -- COMMAND``: findings against the user's program, and with ``--fix``
the program as it is against the program as the fixes make it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from jaxlint.config import Options
from jaxlint.confirm.platforms import PLATFORMS
from jaxlint.confirm.program.asked import Asked
from jaxlint.confirm.program.command import CannotObserve, observe
from jaxlint.confirm.program.comparison import Comparison
from jaxlint.confirm.program.comparison_data import comparison_as_data
from jaxlint.confirm.program.data import as_data
from jaxlint.confirm.program.linted import Linted, lint
from jaxlint.confirm.program.mending import Mended, mended_copy, nothing_to_mend, run_again
from jaxlint.confirm.program.page import as_page
from jaxlint.confirm.program.project_copy import CannotCopy
from jaxlint.confirm.program.repeated_traces import MOST
from jaxlint.confirm.program.report import Report, conclude
from jaxlint.confirm.program.text import Text
from jaxlint.frontends.complaints import fail, our_fault, warn
from jaxlint.frontends.streams import colours_wanted, write
from jaxlint.workspace.discovery import PathError

_TROUBLE = 2


def confirm_program(arguments: argparse.Namespace, codes: list[str], command: list[str]) -> int:
    """Lint, run the command, report; returns the exit code.

    Args:
        arguments: the options.
        codes: only these rules; all when empty.
        command: program and arguments.
    """
    for target in (arguments.json, arguments.html):
        if target is not None and not os.path.isdir(os.path.dirname(target.absolute())):
            return fail(f"cannot write {target}: its folder does not exist")
    retraces = MOST if arguments.retraces is None else arguments.retraces
    if retraces < 0:
        return fail("--retraces must not be negative")
    if arguments.unsafe_fixes and not arguments.fix:
        return fail("--unsafe-fixes says which fixes --fix applies: write --fix too")
    options = Options(select=tuple(codes) or None, unsafe_fixes=arguments.unsafe_fixes)
    asked = Asked(command, options, retraces, PLATFORMS.get(arguments.platform, ""))
    try:
        linted = lint(arguments.paths, options, _progress)
    except PathError as error:
        return fail(str(error))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    runs = _Runs(asked, arguments)
    try:
        return runs.with_fixes(linted) if arguments.fix else runs.run(linted)
    except (CannotObserve, CannotCopy) as error:
        return fail(f"{error}; nothing was run")


def _progress(number: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[Klinting {number}/{total}", end="", file=sys.stderr, flush=True)


class _Runs:
    """The run of a command, and the one with the fixes; what is said about them."""

    def __init__(self, asked: Asked, arguments: argparse.Namespace) -> None:
        self._asked = asked
        self._arguments = arguments
        colours = colours_wanted("auto", sys.stderr)
        self._text = Text.for_terminal(colours) if sys.stderr.isatty() else Text(colours)

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
        ending, observation = observe(asked.command, linted, asked.platform)
        code, problem = ending.code, ""
        try:
            report = last = conclude(ending, linted, observation, asked.options, asked.retraces)
            report.remarks += remarks
            write(self._text.write(report), sys.stderr)
            comparison = None
            if mended is not None:
                comparison, problem = self._again(report, mended)
            if comparison is not None:
                last = comparison.after
                code = last.ending.code
                write(self._text.write_comparison(comparison), sys.stderr)
            problem = self._write(report, comparison) or problem
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

    def _write(self, report: Report, comparison: Comparison | None) -> str:
        """Write the files that were asked for; returns what went wrong, or nothing."""
        arguments = self._arguments
        try:
            if arguments.json is not None:
                target = arguments.json
                data = as_data(report)
                if comparison is not None:
                    data["fix"] = comparison_as_data(comparison)
                target.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
            if arguments.html is not None:
                target = arguments.html
                target.write_text(as_page(report), "utf-8", "backslashreplace")
        except OSError as error:
            return f"cannot write {target}: {error.strerror}"
        return ""
