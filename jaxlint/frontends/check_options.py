"""The options of ``jaxlint check``: declared here, and what is wrong with them said."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from jaxlint.frontends.parser import Parser

FORMATS = {
    "text": "text",
    "concise": "concise",
    "grouped": "grouped",
    "json": "json_list",
    "json-lines": "json_lines",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "azure": "azure",
    "rdjson": "rdjson",
    "pylint": "pylint",
    "junit": "junit",
}
"""Name of a format -> module of ``formats`` that writes it."""

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
  jaxlint check --watch src/                 again whenever a file is saved
  jaxlint check --output-format sarif --output-file jaxlint.sarif
  jaxlint check --write-baseline baseline.json    adopt it on an old code base ...
  jaxlint check --baseline baseline.json          ... and see only what is new
  jaxlint check --fix src/                        mend what can be mended safely
  jaxlint check --diff --unsafe-fixes src/        see what all fixes would change
  git show :model.py | jaxlint check --stdin-filename model.py -

CODES are codes, beginnings of codes, names of rules, or ALL: JXL1,JXL401,stale-value.
Hidden folders, __pycache__, build, dist, node_modules, site-packages and venv are
left out, and what .gitignore and `exclude` leave out; what is named here is linted.

exit codes: 0 nothing found (or all of it fixed), 1 something found (with --diff: a fix
would change a file), 2 wrong use, a path that does not exist, a folder that cannot be
read, a file that cannot be mended, or jaxlint itself failed. `# noqa: JXL101` at the
end of a line silences it, `# jaxlint: noqa` on a line of its own the file.
"""


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser("jaxlint check", _DESCRIPTION, epilog=_EPILOG)
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (.); - reads standard input"
    )
    _add_rules(parser.add_argument_group("rules"))
    _add_fixes(parser.add_argument_group("fixes"))
    _add_output(parser.add_argument_group("output"))
    _add_files(parser.add_argument_group("files"))
    _add_noqa(parser.add_argument_group("noqa comments and baselines"))
    _add_work(parser.add_argument_group("work"))
    return parser


def _add_rules(rules: argparse._ArgumentGroup) -> None:
    codes: dict[str, Any] = {"action": "extend", "type": _codes, "metavar": "CODES"}
    rules.add_argument("--select", **codes, help="only these, whatever the settings say")
    rules.add_argument(
        "--extend-select", **codes, help="these too; in full also rules that are off by default"
    )
    rules.add_argument("--ignore", **codes, help="not these, in place of those in the settings")
    rules.add_argument("--extend-ignore", **codes, help="not these either")
    rules.add_argument(
        "--per-file-ignores",
        action="append", type=_file_ignores, metavar="PATTERN:CODES",
        help="not these in such files, in place of the settings: 'scripts/*:JXL301,JXL4'",
    )  # fmt: skip
    rules.add_argument(
        "--jax", type=_releases, metavar="VERSIONS",
        help="releases the code runs on: '>=0.4.30,<0.7'",
    )  # fmt: skip


def _add_fixes(fixes: argparse._ArgumentGroup) -> None:
    fixes.add_argument("--fix", action="store_true", help="mend what a program can mend safely")
    fixes.add_argument(
        "--unsafe-fixes",
        action=argparse.BooleanOptionalAction,
        help="also what may change the meaning: look at it",
    )
    fixes.add_argument("--diff", action="store_true", help="write nothing; show what --fix changes")
    fixes.add_argument("--fix-only", action="store_true", help="mend, and report nothing else")
    fixes.add_argument("--show-fixes", action="store_true", help="list what was mended")
    fixes.add_argument(
        "--exit-non-zero-on-fix", action="store_true", help="exit with 1 when a file was changed"
    )


def _add_output(output: argparse._ArgumentGroup) -> None:
    output.add_argument(
        "--output-format", choices=FORMATS, default="text", metavar="FORMAT",
        help=f"(text), {', '.join(each for each in FORMATS if each != 'text')}",
    )  # fmt: skip
    output.add_argument("--output-file", type=Path, metavar="FILE", help="write there instead")
    output.add_argument(
        "--statistics", action="store_true",
        help="counts of codes, also as JSON; modules that were not found",
    )  # fmt: skip
    output.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    output.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto",
        help="(auto: on a terminal, as NO_COLOR and FORCE_COLOR say)",
    )  # fmt: skip
    output.add_argument("-q", "--quiet", action="store_true", help="findings only")
    output.add_argument("-v", "--verbose", action="store_true", help="say what is done, and how")
    output.add_argument(
        "--show-files", action="store_true", help="list what would be linted; lint nothing"
    )
    output.add_argument(
        "--show-settings", action="store_true",
        help="print what holds for the first file; lint nothing",
    )  # fmt: skip


def _add_files(files: argparse._ArgumentGroup) -> None:
    files.add_argument(
        "--config", type=Path, metavar="FILE", help="settings for every file, from this TOML file"
    )
    files.add_argument("--isolated", action="store_true", help="no settings from any file")
    patterns: dict[str, Any] = {"action": "append", "type": _pattern, "metavar": "PATTERN"}
    files.add_argument(
        "--exclude", **patterns, help="leave out, as in .gitignore, in place of the settings"
    )
    files.add_argument("--extend-exclude", **patterns, help="leave out besides")
    files.add_argument(
        "--force-exclude", action="store_true", help="leave out also what is named here"
    )
    files.add_argument(
        "--no-respect-gitignore", action="store_true", help="take what git ignores too"
    )
    files.add_argument("--stdin-filename", metavar="FILE", help="what standard input is called")


def _add_noqa(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--unused-noqa", action="store_true", default=None, help="report noqa without effect"
    )
    group.add_argument("--ignore-noqa", action="store_true", help="report what noqa silences too")
    group.add_argument(
        "--add-noqa", action="store_true", help="write a noqa comment at every finding"
    )
    group.add_argument("--baseline", type=Path, metavar="FILE", help="leave out what it holds")
    group.add_argument(
        "--write-baseline", type=Path, metavar="FILE", help="write what is found; report nothing"
    )


def _add_work(work: argparse._ArgumentGroup) -> None:
    work.add_argument("-w", "--watch", action="store_true", help="lint again after every change")
    work.add_argument("-j", "--jobs", type=int, default=0, metavar="N", help="processes (cores)")
    work.add_argument("--no-cache", action="store_true", help="look at every file again")
    work.add_argument(
        "--cache-dir", type=Path, metavar="FOLDER", help="(.jaxlint_cache beside pyproject.toml)"
    )


def _codes(text: str) -> list[str]:
    from jaxlint.rules.codes import code_of, problem_with

    codes = [part.strip() for part in text.split(",") if part.strip()]
    for code in codes:
        _refuse(problem_with(code))
    return [code_of(code) for code in codes]


def _file_ignores(text: str) -> tuple[str, tuple[str, ...]]:
    pattern, _, codes = text.rpartition(":")
    _refuse("" if pattern else f"{text!r} is not written as PATTERN:CODES")
    return pattern, tuple(_codes(codes))


def _releases(text: str) -> str:
    from jaxlint.project import check_specifier

    _refuse(check_specifier(text))
    return text


def _pattern(text: str) -> str:
    from jaxlint.workspace.exclusions import check_pattern

    _refuse(check_pattern(text))
    return text


def _refuse(problem: str) -> None:
    if problem:
        raise argparse.ArgumentTypeError(problem)


def problem_with(arguments: argparse.Namespace) -> str:
    """What is wrong with the options, taken together; empty when nothing."""
    if arguments.jobs < 0:
        return "--jobs must not be negative"
    if arguments.config is not None and arguments.isolated:
        return "--config and --isolated exclude each other"
    standard_input = "-" in arguments.paths or arguments.stdin_filename is not None
    if "-" in arguments.paths and len(arguments.paths) > 1:
        return "- reads standard input alone; give no other paths"
    if arguments.stdin_filename is not None and arguments.paths not in ([], ["-"]):
        return "--stdin-filename names standard input; give no other paths"
    for name in ("watch", "add_noqa", "show_files"):
        if standard_input and getattr(arguments, name):
            return f"--{name.replace('_', '-')} is for files, not for standard input"
    if arguments.watch and arguments.write_baseline is not None:
        return "--watch and --write-baseline exclude each other"
    for target in (arguments.output_file, arguments.write_baseline):
        if target is not None and not os.path.isdir(target.absolute().parent):
            return f"cannot write {target}: its folder does not exist"
    return ""
