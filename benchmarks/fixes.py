"""Applies all fixes to whole code bases, in copies, and counts what should not come of it.

    python benchmarks/fixes.py FOLDER [--only NAME ...] [--all-rules] [--keep FOLDER]

FOLDER holds one library or application a folder, as ``benchmarks/corpus.py fetch`` leaves them.
First come all safe fixes, then all unsafe ones. After each of the two it counts

- files that are no Python any more,
- findings that were not there before: the same file, code and words, but for numbers and places,
- findings with a fix that was wanted and is still to be made,
- files that a second run changes again.

Each is zero where fixes are right, and so is the exit code. ``--keep`` leaves the copies behind,
with what each step changed as a unified diff: to be read, as only reading tells whether a program
means the same.
"""

from __future__ import annotations

import argparse
import ast
import math
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from jaxlint.config import Options
from jaxlint.findings import Finding
from jaxlint.frontends.check_fixes import Mending
from jaxlint.source import SourceError, decode
from jaxlint.workspace.discovery import find
from jaxlint.workspace.fixing import Fixed, wanted
from jaxlint.workspace.lint import Linted, Task
from jaxlint.workspace.many import lint_files

_QUOTED = re.compile(r" \(also at [^)]*\)|`[^`]*`|\d+")
"""What a message says of the program's own words and places, which a fix may have changed."""


@dataclass
class Outcome:
    """What all fixes of a kind did to a code base, and where it went wrong.

    Attributes:
        mended: the findings that were fixed.
        files: how many files were changed.
        refused: files that were left as they were, with the reason.
        unparsable, new, remaining, unsteady: what the four counts are made of.
        applied: how many fixes of each code.
    """

    mended: int = 0
    files: int = 0
    refused: list[str] = field(default_factory=list)
    unparsable: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    remaining: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    applied: Counter[str] = field(default_factory=Counter)

    @property
    def wrong(self) -> list[str]:
        """Everything that should not be, each with what is the matter."""
        return [
            f"{what}: {each}"
            for what in ("refused", "unparsable", "new", "remaining", "unsteady")
            for each in getattr(self, what)
        ]

    def add(self, other: Outcome) -> None:
        """Take what another one counted."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def __str__(self) -> str:
        return (
            f"{self.mended} fixed in {self.files} files: {len(self.unparsable)} unparsable, "
            f"{len(self.new)} new, {len(self.remaining)} remaining, {len(self.unsteady)} unsteady"
        )


def lint(tasks: Sequence[Task], jobs: int) -> list[Linted]:
    """What is found in files as they are now."""
    return lint_files(tasks, None, jobs, lambda done, total: None)


def mend(tasks: Sequence[Task], before: Sequence[Linted], jobs: int) -> tuple[Mending, Outcome]:
    """Make the fixes that the options of the tasks allow, and count."""
    mending = Mending(True, jobs)
    after = mending.files(tasks, lambda: lint(tasks, jobs))
    again = Mending(False, jobs)
    again.files(tasks, lambda: after)
    options = tasks[0].options
    outcome = Outcome(
        mended=mending.count,
        files=len({each.filename for each in mending.changed}),
        refused=[f"{each.filename}: {each.problem}" for each in mending.fixed if each.problem],
        unparsable=[each.filename for each in mending.changed if not parses(each)],
        new=list(new(before, after)),
        remaining=[str(f) for each in after for f in each.findings if wanted(f, options)],
        unsteady=[each.filename for each in again.changed],
        applied=Counter(f.code for each in mending.fixed for f in each.applied),
    )
    return mending, outcome


def parses(fixed: Fixed) -> bool:
    """Whether this Python reads what came out, if it read what went in."""
    before, after = (unread(data, fixed.filename) for data in (fixed.before, fixed.after))
    return after <= before


def unread(data: bytes, name: str) -> float:
    """How many cells of a notebook are no Python; infinite for a file that is none."""
    try:
        source = decode(data, name)
        ast.parse(source.text)
    except (SourceError, SyntaxError):
        return math.inf
    return len(source.bad_cells)


def new(before: Sequence[Linted], after: Sequence[Linted]) -> Iterator[str]:
    """Findings that came with the fixes."""
    for old, now in zip(before, after, strict=True):
        known = Counter(map(words, old.findings))
        for finding in now.findings:
            if known[words(finding)] <= 0:
                yield str(finding)
            known[words(finding)] -= 1


def words(finding: Finding) -> tuple[str, str]:
    """What a finding says, whatever the names and places."""
    return finding.code, _QUOTED.sub("", finding.message)


def code_base(
    folder: Path, copy: Path, everything: bool, jobs: int
) -> Iterator[tuple[str, Mending, Outcome]]:
    """Mend a copy of a code base: what came of the safe fixes, then of the unsafe ones."""
    shutil.copytree(folder, copy, symlinks=True)
    paths = find([copy], ignore_files=False).files
    options = Options(root=str(copy))
    if everything:
        options = replace(options, enable=("JXL",), silent_in_tests=False, unused_noqa=True)
    tasks = [Task(str(path), options) for path in paths]
    if not tasks:
        return
    linted = lint(tasks, jobs)
    for name, unsafe in (("safe", False), ("unsafe", True)):
        allowed = [replace(each, options=replace(options, unsafe_fixes=unsafe)) for each in tasks]
        mending, outcome = mend(allowed, linted, jobs)
        yield name, mending, outcome
        linted = lint(tasks, jobs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="names of code bases")
    parser.add_argument(
        "--all-rules", action="store_true", help="also what is off by default, and in tests"
    )
    parser.add_argument("--keep", type=Path, help="where to leave the copies, and the diffs")
    parser.add_argument("--jobs", type=int, default=0, help="processes (cores)")
    arguments = parser.parse_args()
    folders = sorted(path for path in arguments.folder.iterdir() if path.is_dir())
    totals = {"safe": Outcome(), "unsafe": Outcome()}
    with tempfile.TemporaryDirectory() as temporary:
        kept = arguments.keep or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        for folder in folders:
            if arguments.only and folder.name not in arguments.only:
                continue
            copy = kept / folder.name
            steps = code_base(folder, copy, arguments.all_rules, arguments.jobs)
            for name, mending, outcome in steps:
                print(f"{folder.name}, {name}: {outcome}", flush=True)
                print("".join(f"  {each}\n" for each in outcome.wrong), end="", flush=True)
                diff = "".join(each.diff() for each in mending.changed)
                (kept / f"{folder.name}.{name}.diff").write_text(diff, "utf-8")
                totals[name].add(outcome)
    for name, total in totals.items():
        print(f"all, {name}: {total}")
        print("  " + ", ".join(f"{code} {count}" for code, count in total.applied.most_common()))
    return 1 if any(total.wrong for total in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
