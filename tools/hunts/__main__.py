"""The command: ``python -m tools.hunts KIND``."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from jaxlint.config import Options
from jaxlint.workspace.lint import Task
from jaxlint.workspace.many import lint_files
from tools.hunts.commands import run_one
from tools.hunts.prey import KINDS, REPOSITORY

_BATCH = 50
_SLOW = 20.0
"""Seconds that a single file may take."""


def main() -> int:
    """Hunt; the exit code is 1 when something was caught."""
    arguments = _arguments()
    chance = random.Random(arguments.seed)
    end = time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
        hunt = _commands if arguments.kind == "commands" else _files
        number, caught = 0, []
        for done, found in hunt(arguments, chance, Path(folder)):
            number += done
            caught += found
            for each in found:
                print(f"caught: {each}", flush=True)
            if time.monotonic() > end or number >= arguments.count:
                break
    print(f"{arguments.kind}, seed {arguments.seed}: {number} tried, {len(caught)} caught")
    return 1 if caught else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.hunts", description=__doc__)
    parser.add_argument("kind", choices=[*KINDS, "commands"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="ends after that (60)")
    parser.add_argument("--count", type=int, default=10**9, help="ends after so many")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument(
        "--files", type=Path, default=REPOSITORY / "fixtures", help="where programs are taken from"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("caught"), help="where caught files are put (caught)"
    )
    return parser.parse_args()


def _commands(
    arguments: argparse.Namespace, chance: random.Random, folder: Path
) -> Iterator[tuple[int, list[str]]]:
    """Run the command on odd settings, one after another."""
    while True:
        problem = run_one(chance, folder)
        yield 1, [problem] if problem else []


def _files(
    arguments: argparse.Namespace, chance: random.Random, folder: Path
) -> Iterator[tuple[int, list[str]]]:
    """Lint odd files, a batch at a time, in processes: one that crashes costs itself alone."""
    prey = KINDS[arguments.kind](chance, sorted(arguments.files.rglob("*.py")))
    while True:
        paths = []
        for number, (name, data) in enumerate(islice(prey, _BATCH)):
            paths.append(folder / f"{number}_{name}")
            paths[-1].write_bytes(data)
        if not paths:
            return
        yield len(paths), list(_lint(arguments, paths))


def _lint(arguments: argparse.Namespace, paths: list[Path]) -> Iterator[str]:
    """What is wrong with each file on which jaxlint failed, took long or said nothing."""
    tasks = [Task(str(path), Options(unused_noqa=True)) for path in paths]
    start = time.monotonic()
    linted = lint_files(tasks, None, arguments.jobs, lambda done, total: None)
    slow = time.monotonic() - start > _SLOW
    for path, task, result in zip(paths, tasks, linted, strict=True):
        problem = str(result.findings[0]) if result.failed else ""
        if slow and not problem:
            start = time.monotonic()
            lint_files([task], None, 1, lambda done, total: None)
            seconds = time.monotonic() - start
            problem = f"{seconds:.0f} s" if seconds > _SLOW else ""
        if problem:
            arguments.keep.mkdir(exist_ok=True)
            kept = (
                arguments.keep
                / f"{arguments.kind}_{arguments.seed}_{time.time_ns():x}{path.suffix}"
            )
            shutil.copy(path, kept)
            yield f"{kept}: {problem}"


if __name__ == "__main__":
    sys.exit(main())
