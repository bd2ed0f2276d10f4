"""``jaxlint report``: what ``jaxlint confirm --collect`` has kept, joined into one report."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.frontends.complaints import fail, our_fault, unknown_rule, warn
from jaxlint.frontends.parser import Parser
from jaxlint.frontends.streams import write

if TYPE_CHECKING:
    from jaxlint.config import Options

_DESCRIPTION = """\
Joins runs that `jaxlint confirm PATHS --collect DIR -- COMMAND` has kept, of the hosts of a
pod, of several machines or of the shards of CI, into one report:

  - a finding that came true in one of them is confirmed, and the report says in which;
  - traces, compilations and seconds are those of all;
  - what the processes of one cluster did differently is a section of its own, and where each
    waited when it was killed.

The files that ran are linted again here, or PATHS when they are given: they must be the same
files. Roots may differ, since paths are those in the project. The report goes to standard
output; the exit code is 0, or that of the first run that failed.
"""

_EPILOG = """\
examples:
  srun -n 8 jaxlint confirm src/ --collect runs -- python train.py      on a cluster
  mpirun -n 8 jaxlint confirm src/ --collect runs -- python train.py
  jaxlint report runs/                                                  then, once
  jaxlint report runs/ --html report.html
  jaxlint report shard-1/ shard-2/ src/ --strict                        shards of CI
"""

_TROUBLE = 2


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint report", _DESCRIPTION, epilog=_EPILOG,
        usage="jaxlint report [options] DIR ... [PATHS ...]",
    )  # fmt: skip
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="DIR",
        help="folders of runs, or runs; what else is named is linted",
    )  # fmt: skip
    parser.add_argument(
        "--root", type=Path, metavar="FOLDER",
        help="where the project is here (the one around the current folder)",
    )  # fmt: skip
    parser.add_argument(
        "--rule", action="append", default=[], metavar="CODE", help="only this rule (repeatable)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as data")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page to look at")
    parser.add_argument(
        "--retraces", type=int, metavar="N",
        help="report functions that were traced again more than N times (10)",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true",
        help="exit with 1 when no run failed but a finding is confirmed or JAX did something that "
        "no finding predicted",
    )  # fmt: skip
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Join, and report; returns the exit code."""
    from jaxlint.config import Options
    from jaxlint.confirm.program.joining import CannotJoin
    from jaxlint.frontends.confirm_outputs import wrong_outputs
    from jaxlint.rules.registry import find_rule
    from jaxlint.workspace.discovery import PathError

    wrong = wrong_outputs(arguments)
    if wrong:
        return fail(wrong)
    codes = []
    for wanted in arguments.rule:
        rule = find_rule(wanted)
        if rule is None:
            return unknown_rule(wanted)
        codes.append(rule.code)
    if arguments.root is not None and not arguments.root.is_dir():
        return fail(f"--root {arguments.root}: no such folder")
    try:
        return _report(arguments, Options(select=tuple(codes) or None))
    except (CannotJoin, PathError) as error:
        return fail(str(error))


def _report(arguments: argparse.Namespace, options: Options) -> int:
    from jaxlint.confirm.program.joining import Joining
    from jaxlint.confirm.program.repeated_traces import MOST
    from jaxlint.confirm.program.report import conclude
    from jaxlint.frontends.confirm_outputs import lint_with_progress, text_for, write_outputs

    runs, paths = _sorted(arguments.paths)
    joining = Joining.of(runs, _roots(arguments.root))
    linted = lint_with_progress(paths or joining.linted, options)
    ran = joining.join(linted)
    retraces = MOST if arguments.retraces is None else arguments.retraces
    try:
        report = conclude(ran, linted, options, retraces)
        report.commit = joining.commit
        report.remarks = [*joining.remarks(), *report.remarks]
        write(text_for(sys.stdout).write(report), sys.stdout)
        problem = write_outputs(report, arguments)
    except Exception as error:
        problem = our_fault(error)
    if problem:
        warn(problem)
        return ran.ending.code or _TROUBLE
    if ran.ending.code == 0 and arguments.strict and (report.counts["confirmed"] or report.missed):
        return 1
    return ran.ending.code


def _sorted(given: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files of runs, and the paths that are to be linted.

    Raises:
        CannotJoin: there are no runs, or a path is neither.
    """
    from jaxlint.confirm.program.joining import CannotJoin, runs_in
    from jaxlint.workspace.discovery import find

    runs: dict[Path, None] = {}
    paths = []
    for path in given:
        if not path.exists():
            raise CannotJoin(f"{path}: no such file or folder")
        found = runs_in(path)
        runs.update(dict.fromkeys(found))
        if not found:
            paths.append(path)
    empty = [path for path in paths if not find([path]).files]
    if empty or not runs:
        where = (empty or paths)[0]
        raise CannotJoin(
            f"{where} holds no runs: jaxlint confirm PATHS --collect {where} -- COMMAND writes them"
        )
    return list(runs), paths


def _roots(given: Path | None) -> list[Path]:
    from jaxlint.confirm.program.keeping import root_of_the_project

    if given is not None:
        return [given.resolve()]
    return list(dict.fromkeys((root_of_the_project(), Path.cwd().resolve())))
