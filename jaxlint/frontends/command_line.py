"""The command ``jaxlint``: ``confirm`` proves the rules, ``rule`` explains them.

Exit codes: 0 all is well, 1 something was found or refuted, 2 wrong use or
nothing could be run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxlint import __version__

_EPILOG = """examples:
  flake8 --select JXL src/        lint; flake8 does the finding and printing
  jaxlint rule JXL101             what a rule finds, why, and what to write
  jaxlint rule --all              the table of all rules
  jaxlint confirm                 prove every rule under the JAX installed here
  jaxlint confirm --rule JXL304   prove one rule
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command == "rule":
        return _rule(arguments)
    if arguments.command == "confirm":
        return _confirm(arguments)
    parser.print_help()
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jaxlint",
        description="Finds JAX mistakes before JAX does, and proves them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"jaxlint {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    rule = commands.add_parser("rule", help="explain one rule, or list all")
    rule.add_argument("code", nargs="?", help="a code or name, for example JXL101")
    rule.add_argument("--all", action="store_true", help="the table of all rules")
    confirm = commands.add_parser(
        "confirm",
        help="prove the rules under real JAX",
        description="Runs every fixture under the JAX installed here, in worker processes, and "
        "checks that JAX does what each rule says. Needs flake8-jaxlint[confirm].",
    )
    confirm.add_argument(
        "--rule", action="append", default=[], metavar="CODE", help="only this rule (repeatable)"
    )
    confirm.add_argument(
        "--platform", choices=("cpu", "gpu", "tpu"), default="", help="default: JAX's choice"
    )
    confirm.add_argument("--json", type=Path, metavar="FILE", help="write the evidence there")
    confirm.add_argument(
        "--fixtures", type=Path, metavar="FOLDER", help="default: the shipped ones"
    )
    confirm.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="for one fixture (120)"
    )
    confirm.add_argument("--jobs", type=int, default=0, metavar="N", help="worker processes")
    return parser


def _fail(message: str) -> int:
    print(f"jaxlint: {message}", file=sys.stderr)
    return 2


def _unknown_rule(code: str) -> int:
    import difflib

    from jaxlint.rules.registry import all_rules

    names = [name for rule in all_rules() for name in (rule.code, rule.name)]
    tried = [code.upper(), code.lower()]
    close = [match for text in tried for match in difflib.get_close_matches(text, names, 1)]
    hint = f"; did you mean {close[0]}?" if close else "; see: jaxlint rule --all"
    return _fail(f"no rule {code!r}{hint}")


def _rule(arguments: argparse.Namespace) -> int:
    from jaxlint.rules.registry import all_rules, find_rule

    if arguments.all or arguments.code is None:
        for rule in all_rules():
            print(f"{rule.code}  {rule.name:<28}  {rule.severity:<7}  {rule.summary}")
        return 0
    found = find_rule(arguments.code)
    if found is None:
        return _unknown_rule(arguments.code)
    print(found.page(), end="")
    return 0


def _confirm(arguments: argparse.Namespace) -> int:
    from jaxlint.confirm.fixtures import FixtureError, default_folder, find_fixtures
    from jaxlint.confirm.judge import Verdict
    from jaxlint.confirm.report import table, write_json
    from jaxlint.confirm.run import ConfirmError, confirm
    from jaxlint.rules.registry import find_rule

    codes = []
    for wanted in arguments.rule:
        rule = find_rule(wanted)
        if rule is None:
            return _unknown_rule(wanted)
        codes.append(rule.code)
    if arguments.timeout <= 0:
        return _fail("--timeout must be more than 0")
    done = 0

    def progress(verdict: Verdict) -> None:
        nonlocal done
        done += 1
        if sys.stderr.isatty():
            print(f"\r\x1b[K{done}/{len(fixtures)} {verdict.fixture}", end="", file=sys.stderr)
        elif verdict.outcome != "confirmed":
            print(f"{verdict.outcome}: {verdict.fixture}: {verdict.observed}", file=sys.stderr)

    try:
        fixtures = find_fixtures(arguments.fixtures or default_folder(), tuple(codes))
        report = confirm(fixtures, arguments.platform, arguments.timeout, arguments.jobs, progress)
    except (FixtureError, ConfirmError) as error:
        return _fail(str(error))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(table(report))
    if arguments.json is not None:
        try:
            write_json(report, arguments.json)
        except OSError as error:
            return _fail(f"cannot write {arguments.json}: {error.strerror}")
    return 0 if report.all_confirmed else 1


if __name__ == "__main__":
    sys.exit(main())
