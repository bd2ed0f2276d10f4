"""``jaxlint confirm``: prove the rules on the fixtures, or findings on the user's program."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jaxlint.frontends.complaints import fail, unknown_rule
from jaxlint.frontends.parser import Parser

_DESCRIPTION = """\
Without PATHS: runs every rule's fixtures under the JAX installed here, in worker
processes, and checks that JAX does what each rule says.

With PATHS and a command: lints PATHS, runs the command once with an observer in
its Python processes, and says of each finding whether JAX did what it predicts:

  confirmed    JAX raised, traced again, kept a stale value, ... on that line
  refuted      the line ran as the finding supposes, and nothing happened
  not reached  the run did not bring it about; the report says how far it came

and what JAX did that no finding predicted. The command's output and exit code stay
its own; the report goes to standard error.

With --processes N the command is run as N processes of one jax.distributed cluster on the
CPU. Each line of their output begins with the number of its process, as in "[1] step 5"; the
report says what they did differently, and which waited where. When all that still run have
waited inside JAX for --patience seconds, they are ended, with exit code 124; else the exit
code is that of the process that failed first.

With --fix the command is run twice: on your project as it is, and in a copy of it to
which the fixes were applied. The report says what they changed: findings gone, left and
new, traces, compilations, seconds, exit codes; the exit code is that of the second run.
Your files are not changed. Copied is the project around the current folder; what git
ignores, hidden folders (.git too) and files above 10 MB are links to your own.
"""

_EPILOG = """\
examples:
  jaxlint confirm                                      prove every rule
  jaxlint confirm --rule JXL304                        prove one rule
  jaxlint confirm src/ -- python -m pytest -q          observe the tests
  jaxlint confirm . --html report.html -- python train.py --steps 2
  jaxlint confirm . --processes 2 -- python train.py   do the processes agree?
  jaxlint confirm src/ --fix -- python -m pytest -q    do the fixes help?
"""


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint confirm", _DESCRIPTION, epilog=_EPILOG,
        usage="jaxlint confirm [options] [PATHS ... -- COMMAND ...]",
    )  # fmt: skip
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATHS", help="what to lint")
    parser.add_argument(
        "--rule", action="append", default=[], metavar="CODE", help="only this rule (repeatable)"
    )
    parser.add_argument(
        "--platform", choices=("cpu", "gpu", "tpu"), default="", help="default: JAX's choice"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the evidence there")
    program = parser.add_argument_group("with PATHS and a command")
    program.add_argument("--html", type=Path, metavar="FILE", help="write one page to look at")
    program.add_argument(
        "--retraces",
        type=int,
        metavar="N",
        help="report functions that were traced again more than N times (10)",
    )
    program.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 when the command succeeds but a finding is confirmed or JAX did "
        "something that no finding predicted (with --fix: in the second run)",
    )
    program.add_argument(
        "--processes",
        type=int,
        metavar="N",
        help="run the command as N CPU processes of one jax.distributed cluster",
    )
    program.add_argument(
        "--patience",
        type=float,
        metavar="SECONDS",
        help="end them when all that still run have waited in JAX for so long (10; 0: never)",
    )
    program.add_argument(
        "--collect",
        type=Path,
        metavar="DIR",
        help="write what is observed there, for jaxlint report, instead of a report",
    )
    program.add_argument(
        "--fix",
        action="store_true",
        help="run it again in a copy of the project with all safe fixes",
    )
    program.add_argument(
        "--unsafe-fixes", action="store_true", help="... and those that may change the meaning"
    )
    fixtures = parser.add_argument_group("without PATHS")
    fixtures.add_argument(
        "--fixtures", type=Path, metavar="FOLDER", help="default: the shipped ones"
    )
    fixtures.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="for one fixture (120)"
    )
    fixtures.add_argument("--jobs", type=int, default=0, metavar="N", help="worker processes")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run either mode; returns the exit code."""
    command: list[str] | None = arguments.behind
    from jaxlint.rules.registry import find_rule

    codes = []
    for wanted in arguments.rule:
        rule = find_rule(wanted)
        if rule is None:
            return unknown_rule(wanted)
        codes.append(rule.code)
    if command is None and not arguments.paths:
        return _fixtures(arguments, codes)
    if not command:
        return fail("what is to be run? for example: jaxlint confirm src/ -- python -m pytest")
    if not arguments.paths:
        return fail("what is to be linted? for example: jaxlint confirm src/ -- python -m pytest")
    from jaxlint.frontends.confirm_program import confirm_program

    return confirm_program(arguments, codes, command)


def _fixtures(arguments: argparse.Namespace, codes: list[str]) -> int:
    from jaxlint.confirm.fixtures.find import FixtureError, default_folder, find_fixtures
    from jaxlint.confirm.fixtures.prove import prove
    from jaxlint.confirm.fixtures.table import table, write_json
    from jaxlint.confirm.fixtures.verdict import FixtureVerdict
    from jaxlint.confirm.fixtures.worker_process import ConfirmError

    if arguments.timeout <= 0:
        return fail("--timeout must be more than 0")
    own = ("html", "strict", "fix", "unsafe_fixes", "processes", "patience", "collect")
    if any(getattr(arguments, name) for name in own):
        return fail(
            "--html, --strict, --processes, --collect and --fix are for your own program: "
            "jaxlint confirm PATHS -- COMMAND"
        )
    done = 0

    def progress(verdict: FixtureVerdict) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            print(f"\r\x1b[K{done}/{len(fixtures)} {verdict.fixture}", end="", file=sys.stderr)
        elif verdict.outcome != "confirmed":
            print(f"{verdict.outcome}: {verdict.fixture}: {verdict.observed}", file=sys.stderr)

    try:
        fixtures = find_fixtures(arguments.fixtures or default_folder(), tuple(codes))
        proof = prove(fixtures, arguments.platform, arguments.timeout, arguments.jobs, progress)
    except (FixtureError, ConfirmError) as error:
        return fail(str(error))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(table(proof))
    if arguments.json is not None:
        try:
            write_json(proof, arguments.json)
        except OSError as error:
            return fail(f"cannot write {arguments.json}: {error.strerror}")
    return 0 if proof.all_confirmed else 1
