"""``jaxlint upgrade``: carries code from one release of JAX to another."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.frontends.complaints import fail, warn
from jaxlint.frontends.parser import Parser
from jaxlint.frontends.streams import write

if TYPE_CHECKING:
    from jaxlint.findings import Finding
    from jaxlint.frontends.check_fixes import Mending
    from jaxlint.workspace.lint import Task
    from jaxlint.workspace.upgrading import Touched, Upgrade

_CLEAN, _LEFT, _TROUBLE = 0, 1, 2
_SHOWN = 5
"""Places that are named of one change of behaviour."""

_EPILOG = """\
By default the code runs on the old releases and the new one: from what the project's files
require (or --from) up to --to. A name that only the newer ones have is left for --new-only.
What a program cannot decide is listed, with what JAX says about it; and so is what the code
uses that does something else than before, although it has kept its name.

examples:
  jaxlint upgrade --diff                       what would change, to the newest release
  jaxlint upgrade --to 0.9 src/ tests/
  jaxlint upgrade --from 0.4.20 --new-only     leave the old releases behind

exit codes: 0 nothing is left to do, 1 something is left (with --diff: or would change),
2 wrong use, or a file that could not be read or written.
"""


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint upgrade",
        "Mends all names, parameters and calls that JAX has removed or is about to remove.",
        epilog=_EPILOG,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (.)")
    parser.add_argument("--to", metavar="RELEASE", help="of JAX: 0.12 (the newest that is known)")
    parser.add_argument(
        "--from", dest="since", metavar="RELEASE",
        help="the oldest that the code runs on today (what the project requires)",
    )  # fmt: skip
    parser.add_argument("--new-only", action="store_true", help="it need not run on older ones")
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="also what may change the meaning: look at it"
    )
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    parser.add_argument("--jobs", "-j", type=int, default=0, metavar="N", help="processes (cores)")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from jaxlint.frontends.interrupts import ended_soon
    from jaxlint.knowledge.history import releases
    from jaxlint.workspace.settings import SettingsError
    from jaxlint.workspace.upgrading import Upgrade, release_like

    until = release_like(arguments.to) if arguments.to else releases()[-1]
    since = release_like(arguments.since) if arguments.since else ""
    for asked, found in ((arguments.to, until), (arguments.since, since)):
        if asked and not found:
            return fail(f"no release {asked!r} of JAX is known; the newest is {releases()[-1]}")
    if arguments.jobs < 0:
        return fail("--jobs must not be negative")
    with ended_soon():
        try:
            return _upgrade(arguments, Upgrade(since, until, arguments.new_only))
        except SettingsError as error:
            return fail(str(error))


def _upgrade(arguments: argparse.Namespace, upgrade: Upgrade) -> int:
    from jaxlint.findings import CANNOT_CHECK
    from jaxlint.frontends.check_fixes import Mending
    from jaxlint.workspace.many import lint_files
    from jaxlint.workspace.upgrading import CODES

    tasks, missing = _tasks(arguments, upgrade)
    mending = Mending(not arguments.diff, arguments.jobs)
    linted = mending.files(
        tasks, lambda: lint_files(tasks, None, arguments.jobs, lambda done, total: None)
    )
    findings = [finding for each in linted for finding in each.findings]
    unread = [each for each in findings if each.code == CANNOT_CHECK]
    left = [finding for finding in findings if finding.code in CODES]
    for each in unread:
        warn(str(each))
    if arguments.diff:
        problem = mending.show()
        if problem:
            return fail(problem)
    touched = _touched(tasks, upgrade)
    report = "".join(f"{line}\n" for line in _report(upgrade, tasks, mending, left, touched))
    # The difference is for a program to read; what is said about it is not.
    problem = write(report, sys.stderr if arguments.diff else sys.stdout)
    if problem:
        return fail(f"cannot write the report: {problem}")
    if missing or unread or mending.failed:
        return _TROUBLE
    return _LEFT if left or (arguments.diff and mending.changed) else _CLEAN


def _tasks(arguments: argparse.Namespace, upgrade: Upgrade) -> tuple[list[Task], bool]:
    """The files, and whether a path was missing or could not be looked into."""
    from dataclasses import replace

    from jaxlint.workspace.discovery import find
    from jaxlint.workspace.lint import Task
    from jaxlint.workspace.settings import settings_for

    paths = arguments.paths or ["."]
    found = find(map(Path, paths), lambda folder: settings_for(folder).exclusions, True, False)
    for path in found.missing:
        fail(f"{path}: no such file or folder")
    for path in found.unreadable:
        fail(f"{path}: cannot look into the folder")
    if not found.files and not found.missing:
        warn(f"no Python files in {', '.join(paths)}")
    tasks = []
    for file in found.files:
        options = upgrade.options(str(file), settings_for(file.parent).options)
        unsafe = arguments.unsafe_fixes or options.unsafe_fixes
        tasks.append(Task(str(file), replace(options, unsafe_fixes=unsafe)))
    return tasks, bool(found.missing or found.unreadable)


def _touched(tasks: Sequence[Task], upgrade: Upgrade) -> list[tuple[str, Touched]]:
    """What does something else now, in the files as they are."""
    from jaxlint.source import SourceError, read_source
    from jaxlint.workspace.upgrading import touched

    found: list[tuple[str, Touched]] = []
    for task in tasks:
        try:
            found += [(task.path, each) for each in touched(read_source(Path(task.path)), upgrade)]
        except SourceError:
            continue  # It has been said already.
    return found


def _report(
    upgrade: Upgrade,
    tasks: Sequence[Task],
    mending: Mending,
    left: Sequence[Finding],
    touched: Sequence[tuple[str, Touched]],
) -> Iterator[str]:
    """What was done, what is left, and what to think of, a line at a time."""
    oldest = sorted({upgrade.oldest(task.path) for task in tasks} - {""})
    kept = f", and still for {oldest[0]} and later" if oldest and not upgrade.new_only else ""
    yield f"For JAX {upgrade.until}{kept}:"
    yield mending.summary().rstrip()
    done = Counter(f.fix.title for each in mending.fixed for f in each.applied if f.fix is not None)
    for title, count in done.most_common():
        yield f"  {count} x {title}"
    if left:
        files = len({finding.filename for finding in left})
        yield f"Left for you: {_times(len(left), 'place')} in {_times(files, 'file')}."
        yield from (f"  {finding.where}: {finding.message}" for finding in left)
    if touched:
        first = oldest[0] if oldest else upgrade.since
        yield f"What the code uses and does something else since {first}:"
        yield from _behaviours(touched)
    elif not oldest:
        yield (
            "No file says which JAX the code has run on: --from 0.4.30, say, keeps it running "
            "there, and lists what does something else since."
        )


def _behaviours(touched: Sequence[tuple[str, Touched]]) -> Iterator[str]:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file, each in touched:
        does = each.behaviour
        key = does.release, does.what + (f"; {does.instead}" if does.instead else "")
        cell = f"cell {each.cell}:" if each.cell else ""
        place = f"{file}:{cell}{each.line}"
        names[key].add(each.name)
        if place not in places[key]:
            places[key].append(place)
    for (since, what), found in places.items():
        some = ", ".join(sorted(names[since, what])[:3])
        yield f"  since {since}, {some}: {what}"
        more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield f"    {', '.join(found[:_SHOWN])}{more}"


def _times(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
