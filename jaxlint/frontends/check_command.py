"""``jaxlint check``: lint files, folders and notebooks."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.config import Options
from jaxlint.findings import Finding
from jaxlint.frontends.complaints import fail, warn
from jaxlint.frontends.streams import write
from jaxlint.project import Releases, check_specifier, releases_for
from jaxlint.source import Source, decode
from jaxlint.workspace.baseline import Baseline, BaselineError, write_baseline
from jaxlint.workspace.cache import FOLDER, Cache
from jaxlint.workspace.discovery import check_pattern, find
from jaxlint.workspace.lint import Task, lint, modules_kept
from jaxlint.workspace.many import lint_files
from jaxlint.workspace.settings import (
    Settings,
    SettingsError,
    check_code,
    override,
    read_settings,
    settings_for,
)

if TYPE_CHECKING:
    from jaxlint.frontends.formats.report import Report

FORMATS = {
    "text": "text",
    "concise": "concise",
    "json": "json_list",
    "sarif": "sarif",
    "github": "github",
    "junit": "junit",
}
"""Name of a format -> module of ``formats`` that writes it."""

_CLEAN, _FOUND, _TROUBLE = 0, 1, 2
_WORTH_A_BAR = 20
_NO_COLOUR = bool(os.environ.get("NO_COLOR"))

_DESCRIPTION = """\
Lints Python files, notebooks (.ipynb) and whole folders; the code is never run.
Settings come from [tool.jaxlint] in the nearest pyproject.toml above each file;
options given here win.
"""

_EPILOG = """\
examples:
  jaxlint check                              everything below this folder
  jaxlint check src/ notebooks/demo.ipynb
  jaxlint check --select JXL1,JXL4 src/      errors of tracing, and keys
  jaxlint check --output-format sarif --output-file jaxlint.sarif
  jaxlint check --write-baseline baseline.json    adopt it on an old code base ...
  jaxlint check --baseline baseline.json          ... and see only what is new
  git show :model.py | jaxlint check --stdin-filename model.py -

exit codes: 0 nothing found, 1 something found, 2 wrong use, a path that does not
exist, a folder that cannot be read, or jaxlint itself failed. `# noqa: JXL101` at the
end of a line silences it.
"""


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "check",
        help="lint files, folders and notebooks",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (.); - reads standard input"
    )
    rules = parser.add_argument_group("rules")
    codes: dict[str, Any] = {"action": "append", "type": _list, "metavar": "CODES"}
    rules.add_argument("--select", **codes, help="only codes that begin so: JXL1,JXL401")
    rules.add_argument(
        "--extend-select", **codes, help="these too; in full also rules that are off by default"
    )
    rules.add_argument("--ignore", **codes, help="no codes that begin so")
    rules.add_argument(
        "--jax", metavar="VERSIONS", help="releases the code runs on: '>=0.4.30,<0.7'"
    )
    rules.add_argument(
        "--unused-noqa", action="store_true", default=None, help="report noqa without effect"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output-format", choices=FORMATS, default="text", help="(text)")
    output.add_argument("--output-file", type=Path, metavar="FILE", help="write there instead")
    output.add_argument(
        "--statistics",
        action="store_true",
        help="counts of codes; modules that were not found; for which JAX",
    )
    output.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    output.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="(auto)"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="findings only")
    files = parser.add_argument_group("files")
    files.add_argument("--config", type=Path, metavar="FILE", help="settings for every file")
    files.add_argument("--isolated", action="store_true", help="no settings from any file")
    files.add_argument(
        "--exclude", action="append", metavar="PATTERN", help="leave out, as in .gitignore"
    )
    files.add_argument(
        "--no-respect-gitignore", action="store_true", help="take what git ignores too"
    )
    files.add_argument("--stdin-filename", metavar="FILE", help="what standard input is called")
    files.add_argument("--baseline", type=Path, metavar="FILE", help="leave out what it holds")
    files.add_argument(
        "--write-baseline", type=Path, metavar="FILE", help="write what is found; report nothing"
    )
    work = parser.add_argument_group("work")
    work.add_argument("--jobs", "-j", type=int, default=0, metavar="N", help="processes (cores)")
    work.add_argument("--no-cache", action="store_true", help="look at every file again")
    work.add_argument(
        "--cache-dir", type=Path, metavar="FOLDER", help="(.jaxlint_cache beside pyproject.toml)"
    )


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def check(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    problem = _problem_with(arguments)
    if problem:
        return fail(problem)
    try:
        plan = _Plan(arguments)
        if arguments.stdin_filename is not None or arguments.paths == ["-"]:
            report, missing = _standard_input(arguments, plan), False
        else:
            report, missing = _files(arguments, plan)
        if arguments.write_baseline is not None:
            return _write_baseline(arguments, report)
        unused = _leave_out_baseline(report, plan.baseline)
    except (SettingsError, BaselineError) as error:
        return fail(str(error))
    problem = _write(arguments, report)
    if problem:
        return fail(problem)
    if unused and not arguments.quiet:
        warn(f"{plan.baseline}: {unused} of its findings are gone; write it again")
    if missing or report.failed:
        return _TROUBLE
    return _FOUND if report.mistakes and not arguments.exit_zero else _CLEAN


def _problem_with(arguments: argparse.Namespace) -> str:
    for option in ("select", "extend_select", "ignore"):
        for code in [code for codes in getattr(arguments, option) or () for code in codes]:
            problem = check_code(code)
            if problem:
                return f"--{option.replace('_', '-')}: {problem}"
    if arguments.jax and check_specifier(arguments.jax):
        return f"--jax: {check_specifier(arguments.jax)}"
    for pattern in arguments.exclude or ():
        if check_pattern(pattern):
            return f"--exclude: {check_pattern(pattern)}"
    if arguments.jobs < 0:
        return "--jobs must not be negative"
    if arguments.config is not None and arguments.isolated:
        return "--config and --isolated exclude each other"
    if "-" in arguments.paths and len(arguments.paths) > 1:
        return "- reads standard input alone; give no other paths"
    if arguments.stdin_filename is not None and arguments.paths not in ([], ["-"]):
        return "--stdin-filename names standard input; give no other paths"
    for target in (arguments.output_file, arguments.write_baseline):
        if target is not None and not os.path.isdir(target.absolute().parent):
            return f"cannot write {target}: its folder does not exist"
    return ""


class _Plan:
    """Which settings hold where, after what the command line says."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._given: dict[str, Any] = {
            name: _joined(getattr(arguments, name))
            for name in ("select", "extend_select", "ignore")
        }
        self._given |= {"jax": arguments.jax, "unused_noqa": arguments.unused_noqa}
        self._fixed: Settings | None = Settings() if arguments.isolated else None
        if arguments.config is not None:
            self._fixed = read_settings(arguments.config) or Settings()
        here = self.settings(Path.cwd())
        self.baseline: Path | None = arguments.baseline or here.baseline
        self.home = here.folder or Path.cwd()
        self.exclude = (*here.exclude, *(arguments.exclude or ()))
        self.ignore_files = here.respect_gitignore and not arguments.no_respect_gitignore

    def settings(self, folder: Path) -> Settings:
        """The settings of a folder, as files say."""
        return self._fixed or settings_for(folder)

    def options(self, path: Path) -> Options:
        """The options for a file."""
        return override(self.settings(path.parent).options, **self._given)


def _joined(lists: list[list[str]] | None) -> tuple[str, ...] | None:
    return None if lists is None else tuple(code for each in lists for code in each)


def _standard_input(arguments: argparse.Namespace, plan: _Plan) -> Report:
    from jaxlint.frontends.formats.report import Report

    name = arguments.stdin_filename or "<stdin>"
    path = Path(arguments.stdin_filename or "stdin.py")
    sources = {name: Source("", name)}

    def read() -> Source:
        sources[name] = decode(sys.stdin.buffer.read(), name)
        return sources[name]

    return Report([lint(name, read, plan.options(path))], sources)


def _files(arguments: argparse.Namespace, plan: _Plan) -> tuple[Report, bool]:
    """The report, and whether a path was missing or could not be read."""
    found = find(map(Path, arguments.paths or ["."]), plan.exclude, plan.ignore_files)
    for path in found.missing:
        fail(f"{path}: no such file or folder")
    for path in found.unreadable:
        fail(f"{path}: cannot look into the folder")
    if not found.files and not found.missing:
        warn(f"no Python files in {', '.join(arguments.paths or ['.'])}")
    tasks = [Task(str(file), plan.options(file)) for file in found.files]
    folder = arguments.cache_dir or plan.home / FOLDER
    cache = None if arguments.no_cache else Cache(folder, modules_kept())
    with _progress(len(tasks), arguments.quiet) as progress:
        linted = lint_files(tasks, cache, arguments.jobs, progress)
    from jaxlint.frontends.formats.report import Report

    releases = _releases(tasks) if arguments.statistics else ()
    return Report(linted, releases=releases), bool(found.missing or found.unreadable)


def _releases(tasks: list[Task]) -> tuple[Releases, ...]:
    """The releases of JAX for which files are linted, where something states them."""
    stated = (releases_for(each.path, each.options.jax) for each in tasks)
    return tuple(dict.fromkeys(each for each in stated if each.text))


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


def _write(arguments: argparse.Namespace, report: Report) -> str:
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
        return "" if quiet else f"No findings in {files} file{'s' * (files != 1)}{old}.\n"
    module = import_module(f"jaxlint.frontends.formats.{FORMATS[chosen]}")
    if chosen != "text":
        return str(module.write(report))
    terminal = sys.stdout.isatty() and arguments.output_file is None
    wanted = {"always": True, "never": False}.get(arguments.color, terminal and not _NO_COLOUR)
    return str(module.write(report, wanted))
