"""The command ``jaxlint``: ``check`` lints, ``rule`` explains, ``confirm`` proves.

Exit codes: 0 all is well, 1 something was found or refuted, 2 wrong use or
nothing could be run. ``confirm PATHS -- COMMAND`` ends with the command's own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from jaxlint import __version__
from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA
from jaxlint.frontends.check_command import add_check, check
from jaxlint.frontends.complaints import fail, our_fault, unknown_rule, warn
from jaxlint.frontends.confirm_command import add_confirm, confirm
from jaxlint.frontends.streams import fill_closed, write

_INTERRUPTED = 130
ABOUT_ITSELF = {
    CANNOT_CHECK: "JXL000: the file, or the cell of a notebook, was not checked: it is not "
    "Python or cannot be\nread, or jaxlint failed on it. It cannot be deselected.",
    NOT_FINISHED: "JXL002: jaxlint followed the file only up to this line: each file has a "
    "budget of steps, which\nkeeps a run short, and this one spent it. What runs later was not "
    "looked at. It is a note, and does\nnot change the exit code. Split the file, or what it "
    "does when it is imported. It cannot be deselected.",
    UNUSED_NOQA: "JXL001: a `# noqa` comment names codes of jaxlint that are not found. Asked "
    "for with\n--unused-noqa, `unused-noqa = true` in pyproject.toml, or `jaxlint-unused-noqa` of "
    "flake8.",
}
"""Codes that no rule has, explained."""

_EPILOG = """examples:
  jaxlint check src/                            lint; or through flake8: flake8 --select JXL src/
  jaxlint rule JXL101                           what a rule finds, why, and what to write
  jaxlint rule --all                            the table of all rules
  jaxlint confirm                               prove every rule under the JAX installed here
  jaxlint confirm src/ -- python -m pytest -q   run your tests: which findings come true?
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code, which is a documented one whatever happens."""
    fill_closed()
    try:
        code = _run(argv)
    except KeyboardInterrupt:
        warn("interrupted")
        code = _INTERRUPTED
    except Exception as error:
        return fail(our_fault(error))
    problem = write("", sys.stdout)
    return fail(f"cannot write: {problem}") if problem and not code else code


def _run(argv: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if argv is None else argv)
    command: list[str] | None = None
    if "--" in given and given[:1] != ["check"]:
        at = given.index("--")
        given, command = given[:at], given[at + 1 :]
    parser = _parser()
    arguments = parser.parse_args(given)
    if arguments.command == "confirm":
        return confirm(arguments, command)
    if command is not None:
        parser.error("-- COMMAND is for jaxlint confirm")
    if arguments.command == "check":
        return check(arguments)
    if arguments.command == "server":
        return _serve()
    if arguments.command == "rule":
        return _rule(arguments)
    parser.print_help()
    return 2


def _serve() -> int:
    try:
        from jaxlint.frontends.server.server import serve
    except ImportError as error:
        return fail(f"no {error.name} here; install it: pip install 'flake8-jaxlint[server]'")
    return serve()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jaxlint",
        description="Finds JAX mistakes before JAX does, and proves them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"jaxlint {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    add_check(commands)
    rule = commands.add_parser("rule", help="explain one rule, or list all")
    rule.add_argument("code", nargs="?", help="a code or name, for example JXL101")
    rule.add_argument("--all", action="store_true", help="the table of all rules")
    add_confirm(commands)
    server = commands.add_parser("server", help="the language server for editors")
    server.add_argument("--stdio", action="store_true", help="(always)")
    return parser


def _rule(arguments: argparse.Namespace) -> int:
    from jaxlint.rules.registry import all_rules, find_rule

    if arguments.all or arguments.code is None:
        for rule in all_rules():
            print(f"{rule.code}  {rule.name:<28}  {rule.severity:<7}  {rule.summary}")
        return 0
    found = find_rule(arguments.code)
    if arguments.code.upper() in ABOUT_ITSELF:
        print(ABOUT_ITSELF[arguments.code.upper()])
        return 0
    if found is None:
        return unknown_rule(arguments.code)
    print(found.page(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
