"""The files of a run of ``jaxlint check``: found, and linted."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.frontends.check_plan import Plan
from jaxlint.frontends.complaints import fail, warn
from jaxlint.project import Releases, releases_for
from jaxlint.source import Source, decode
from jaxlint.workspace.cache import Cache
from jaxlint.workspace.discovery import Found, find
from jaxlint.workspace.exclusions import is_left_out
from jaxlint.workspace.lint import Linted, Task, lint, modules_kept
from jaxlint.workspace.many import lint_files

if TYPE_CHECKING:
    from jaxlint.frontends.check_fixes import Mending
    from jaxlint.frontends.formats.report import Report

_WORTH_A_BAR = 20


def find_files(arguments: argparse.Namespace, plan: Plan) -> Found:
    """What the paths stand for; what is wrong with them is said."""
    paths = arguments.paths or ["."]
    found = find(map(Path, paths), plan.exclusions, plan.respect_gitignore, arguments.force_exclude)
    for path in found.missing:
        fail(f"{path}: no such file or folder")
    for path in found.unreadable:
        fail(f"{path}: cannot look into the folder")
    if not found.files and not found.missing and not arguments.force_exclude:
        warn(f"no Python files in {', '.join(paths)}")
    return found


def lint_paths(
    arguments: argparse.Namespace, plan: Plan, mending: Mending | None
) -> tuple[Report, bool]:
    """The report, and whether a path was missing or could not be read."""
    found = find_files(arguments, plan)
    tasks = [Task(str(file), plan.options(file)) for file in found.files]

    def lint_all() -> list[Linted]:
        begun = time.monotonic()
        cache = None if arguments.no_cache else Cache(plan.cache, modules_kept())
        with _progress(len(tasks), arguments.quiet) as progress:
            linted = lint_files(tasks, cache, arguments.jobs, progress)
        if arguments.verbose:
            _say_what_was_done(plan, linted, cache, time.monotonic() - begun)
        return linted

    linted = lint_all() if mending is None else mending.files(tasks, lint_all)
    from jaxlint.frontends.formats.report import Report

    releases = _releases(tasks) if arguments.statistics else ()
    report = Report(linted, releases=releases, docs_url=plan.docs_url)
    return report, bool(found.missing or found.unreadable)


def _releases(tasks: Sequence[Task]) -> tuple[Releases, ...]:
    """The releases of JAX for which files are linted, where something states them."""
    stated = (releases_for(each.path, each.options.jax) for each in tasks)
    return tuple(dict.fromkeys(each for each in stated if each.text))


def lint_standard_input(
    arguments: argparse.Namespace, plan: Plan, mending: Mending | None
) -> Report:
    """The report on what is typed or piped in."""
    from jaxlint.frontends.formats.report import Report

    name = arguments.stdin_filename or "<stdin>"
    path = Path(arguments.stdin_filename or "stdin.py")
    if arguments.force_exclude and is_left_out(plan.exclusions, path):
        return Report([])
    options, data = plan.options(path), sys.stdin.buffer.read()
    sources = {name: Source("", name)}

    def read() -> Source:
        sources[name] = decode(data, name)
        return sources[name]

    if mending is not None:
        data = mending.text(Task(name, options), data).after
    return Report([lint(name, read, options)], sources, docs_url=options.docs_url)


def _say_what_was_done(
    plan: Plan, linted: list[Linted], cache: Cache | None, seconds: float
) -> None:
    settings = sorted({str(plan.source_of(Path(each.filename).parent)) for each in linted})
    for each in settings or ["none"]:
        warn(f"settings: {each}")
    known = cache.hits if cache is not None else 0
    where = f", {known} of them known from {plan.cache}" if cache is not None else ", no cache"
    files = "1 file" if len(linted) == 1 else f"{len(linted)} files"
    warn(f"{files} in {seconds:.1f} s{where}")


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
