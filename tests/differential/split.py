"""Programs in one file and the same in several: ``python -m tests.differential.split FIRST COUNT``.

Prints each program of which jaxlint finds less, or more, when it is split over modules.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.check import Tools, check
from jaxlint.config import Options
from jaxlint.imports.modules import Library
from jaxlint.source import Source
from tests.differential import keys, retraces
from tests.differential.generate import Writer
from tests.differential.matrix.compose import Composer
from tests.differential.splitting import Split, split

OPTIONS = Options(group=False)
Found = set[tuple[str, int]]
"""Code and line of the program."""


@dataclass
class SplitDifference:
    """Of one program: what is found in one file alone, or in several alone."""

    program: str
    parts: Split
    expected: Found = field(default_factory=set)
    missed: Found = field(default_factory=set)
    more: Found = field(default_factory=set)


def programs(seed: int) -> Iterator[str]:
    """One program of each of the generators."""
    yield Composer(random.Random(seed)).program().text
    yield Writer(random.Random(seed).choice).program()
    writer = keys.KeyWriter(random.Random(seed).choice)
    yield f"{keys.HEADER}FLAG = True\nCOUNT = 6\n\n\n{writer.function(0)}\n\nf0(random.key(0))\n"
    yield retraces.program(random.Random(seed).choice)


def compare(program: str, seed: int, folder: Path) -> SplitDifference | None:
    """Lint a program whole and in parts; None when it cannot be split."""
    parts = split(program, seed)
    if parts is None:
        return None
    parts.write(folder)
    whole = check(Source(program, "<program>"), OPTIONS)
    found = SplitDifference(program, parts, {(each.code, each.line) for each in whole})
    seen = _found_in(parts, folder)
    found.missed, found.more = found.expected - seen, seen - found.expected
    return found


def _found_in(parts: Split, folder: Path) -> Found:
    """What linting each of the files finds, at the lines of the program where it happens."""
    library, seen = Library(), set()
    for name, text in parts.files.items():
        path = folder / name
        for finding in check(Source(text, str(path)), OPTIONS, Tools(library=library)):
            at = finding.happens_at
            if at is None:
                seen.add((finding.code, parts.origin(name, finding.line)))
            else:
                file = os.path.relpath(finding.path(at.file), folder)
                seen.add((finding.code, parts.origin(file, at.line)))
    return seen


def main() -> int:
    """Compare many programs."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    several = expected = missed = more = 0
    for seed in range(first, first + count):
        for kind, program in enumerate(programs(seed)):
            with tempfile.TemporaryDirectory() as folder:
                found = compare(program, seed, Path(os.path.realpath(folder)))
            if found is None:
                continue
            several += 1
            expected += len(found.expected)
            missed += len(found.missed)
            more += len(found.more)
            if found.missed or found.more:
                print(f"--- seed {seed} generator {kind}")
                print(f"MISSED {sorted(found.missed)} MORE {sorted(found.more)}")
                for name, text in found.parts.files.items():
                    print(f"# {name}\n{text}")
    print(f"{several} programs, {expected} findings: {missed} missed and {more} more when split")
    return 1 if missed or more else 0


if __name__ == "__main__":
    raise SystemExit(main())
