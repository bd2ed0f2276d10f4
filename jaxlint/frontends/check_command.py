"""``jaxlint check``: lint files, folders and notebooks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.findings import Finding
from jaxlint.frontends.check_fixes import Mending, wants_fixing
from jaxlint.frontends.check_options import problem_with
from jaxlint.frontends.check_output import write_report
from jaxlint.frontends.check_plan import Plan
from jaxlint.frontends.complaints import fail, warn
from jaxlint.frontends.streams import write
from jaxlint.source import Source, decode
from jaxlint.workspace.baseline import Baseline, BaselineError, write_baseline
from jaxlint.workspace.cache import FOLDER, Cache
from jaxlint.workspace.discovery import find
from jaxlint.workspace.lint import Linted, Task, lint, modules_kept
from jaxlint.workspace.many import lint_files
from jaxlint.workspace.settings import SettingsError

if TYPE_CHECKING:
    from jaxlint.frontends.formats.report import Report

_CLEAN, _FOUND, _TROUBLE = 0, 1, 2
_WORTH_A_BAR = 20


def check(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    problem = problem_with(arguments)
    if problem:
        return fail(problem)
    try:
        plan = Plan(arguments)
        mending = Mending(arguments) if wants_fixing(arguments) else None
        if arguments.stdin_filename is not None or arguments.paths == ["-"]:
            report, missing = _standard_input(arguments, plan, mending), False
        else:
            report, missing = _files(arguments, plan, mending)
        if arguments.write_baseline is not None:
            return _write_baseline(arguments, report)
        unused = _leave_out_baseline(report, plan.baseline)
    except (SettingsError, BaselineError) as error:
        return fail(str(error))
    problem = _written(arguments, report, mending)
    if problem:
        return fail(problem)
    if unused and not arguments.quiet:
        warn(f"{plan.baseline}: {unused} of its findings are gone; write it again")
    if missing or report.failed or (mending is not None and mending.failed):
        return _TROUBLE
    return _FOUND if _is_bad(arguments, report, mending) else _CLEAN


def _written(arguments: argparse.Namespace, report: Report, mending: Mending | None) -> str:
    """Write what the user asked to see; returns what went wrong, or nothing."""
    if mending is None:
        return write_report(arguments, report)
    report.fixed = mending.count
    if not arguments.quiet:
        write(mending.told(), sys.stderr)
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


def _standard_input(arguments: argparse.Namespace, plan: Plan, mending: Mending | None) -> Report:
    from jaxlint.frontends.formats.report import Report

    name = arguments.stdin_filename or "<stdin>"
    options = plan.options(Path(arguments.stdin_filename or "stdin.py"))
    data = sys.stdin.buffer.read()
    sources = {name: Source("", name)}

    def read() -> Source:
        sources[name] = decode(data, name)
        return sources[name]

    if mending is not None:
        fixed = mending.text(Task(name, options), data)
        data = fixed.after
    return Report([lint(name, read, options)], sources)


def _files(
    arguments: argparse.Namespace, plan: Plan, mending: Mending | None
) -> tuple[Report, bool]:
    """The report, and whether a path was missing or could not be read."""
    found = find(map(Path, arguments.paths or ["."]), plan.exclude, plan.ignore_files)
    for path in found.missing:
        fail(f"{path}: no such file or folder")
    for path in found.unreadable:
        fail(f"{path}: cannot look into the folder")
    if not found.files and not found.missing:
        warn(f"no Python files in {', '.join(arguments.paths or ['.'])}")
    tasks = [Task(str(file), plan.options(file)) for file in found.files]

    def lint_all() -> list[Linted]:
        folder = arguments.cache_dir or plan.home / FOLDER
        cache = None if arguments.no_cache else Cache(folder, modules_kept())
        with _progress(len(tasks), arguments.quiet) as progress:
            return lint_files(tasks, cache, arguments.jobs, progress)

    linted = lint_all() if mending is None else mending.files(tasks, lint_all)
    from jaxlint.frontends.formats.report import Report

    return Report(linted), bool(found.missing or found.unreadable)


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on the terminal for runs that take a while."""
    if quiet or total < _WORTH_A_BAR or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("linting", total=total)
        yield lambda done, total: bar.update(task, completed=done)


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
