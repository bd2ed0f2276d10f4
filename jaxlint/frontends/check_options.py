"""The options of ``jaxlint check``: declared here, and what is wrong with them said."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from jaxlint.frontends.check_fixes import add_fixing
from jaxlint.project import check_specifier
from jaxlint.workspace.discovery import check_pattern
from jaxlint.workspace.settings import check_code

FORMATS = {
    "text": "text",
    "concise": "concise",
    "json": "json_list",
    "sarif": "sarif",
    "github": "github",
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
  jaxlint check --output-format sarif --output-file jaxlint.sarif
  jaxlint check --write-baseline baseline.json    adopt it on an old code base ...
  jaxlint check --baseline baseline.json          ... and see only what is new
  jaxlint check --fix src/                        mend what can be mended safely
  jaxlint check --diff --unsafe-fixes src/        see what all fixes would change
  git show :model.py | jaxlint check --stdin-filename model.py -

exit codes: 0 nothing found (or all of it fixed), 1 something found (with --diff: a fix
would change a file), 2 wrong use, a path that does not
exist, a folder that cannot be read, or jaxlint itself failed. `# noqa: JXL101` at the
end of a line silences it.
"""


def add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "check",
        help="lint files, folders and notebooks",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders (.); - reads standard input"
    )
    _add_rules(parser.add_argument_group("rules"))
    add_fixing(parser.add_argument_group("fixes"))
    _add_output(parser.add_argument_group("output"))
    _add_files(parser.add_argument_group("files"))
    _add_work(parser.add_argument_group("work"))


def _add_rules(rules: argparse._ArgumentGroup) -> None:
    codes: dict[str, Any] = {"action": "append", "type": _list, "metavar": "CODES"}
    rules.add_argument("--select", **codes, help="only codes that begin so: JXL1,JXL401")
    rules.add_argument(
        "--extend-select", **codes, help="these too; in full also rules that are off by default"
    )
    rules.add_argument("--ignore", **codes, help="no codes that begin so")
    rules.add_argument(
        "--jax", metavar="VERSIONS", help="releases the code runs on: '>=0.4.30,<0.7'"
    )
    rules.add_argument(
        "--unused-noqa", action="store_true", default=None, help="report noqa without effect"
    )


def _add_output(output: argparse._ArgumentGroup) -> None:
    output.add_argument("--output-format", choices=FORMATS, default="text", help="(text)")
    output.add_argument("--output-file", type=Path, metavar="FILE", help="write there instead")
    output.add_argument(
        "--statistics", action="store_true", help="counts of codes; modules that were not found"
    )
    output.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever is found")
    output.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="(auto)"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="findings only")


def _add_files(files: argparse._ArgumentGroup) -> None:
    files.add_argument("--config", type=Path, metavar="FILE", help="settings for every file")
    files.add_argument("--isolated", action="store_true", help="no settings from any file")
    files.add_argument(
        "--exclude", action="append", metavar="PATTERN", help="leave out, as in .gitignore"
    )
    files.add_argument(
        "--no-respect-gitignore", action="store_true", help="take what git ignores too"
    )
    files.add_argument("--stdin-filename", metavar="FILE", help="what standard input is called")
    files.add_argument("--baseline", type=Path, metavar="FILE", help="leave out what it holds")
    files.add_argument(
        "--write-baseline", type=Path, metavar="FILE", help="write what is found; report nothing"
    )


def _add_work(work: argparse._ArgumentGroup) -> None:
    work.add_argument("--jobs", "-j", type=int, default=0, metavar="N", help="processes (cores)")
    work.add_argument("--no-cache", action="store_true", help="look at every file again")
    work.add_argument(
        "--cache-dir", type=Path, metavar="FOLDER", help="(.jaxlint_cache beside pyproject.toml)"
    )


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def problem_with(arguments: argparse.Namespace) -> str:
    """What is wrong with the options, taken together; empty when nothing."""
    for option in ("select", "extend_select", "ignore"):
        for code in [code for codes in getattr(arguments, option) or () for code in codes]:
            problem = check_code(code)
            if problem:
                return f"--{option.replace('_', '-')}: {problem}"
    if arguments.jax and check_specifier(arguments.jax):
        return f"--jax: {check_specifier(arguments.jax)}"
    for pattern in arguments.exclude or ():
        if check_pattern(pattern):
            return f"--exclude: {check_pattern(pattern)}"
    if arguments.jobs < 0:
        return "--jobs must not be negative"
    if arguments.config is not None and arguments.isolated:
        return "--config and --isolated exclude each other"
    if "-" in arguments.paths and len(arguments.paths) > 1:
        return "- reads standard input alone; give no other paths"
    if arguments.stdin_filename is not None and arguments.paths not in ([], ["-"]):
        return "--stdin-filename names standard input; give no other paths"
    for target in (arguments.output_file, arguments.write_baseline):
        if target is not None and not os.path.isdir(target.absolute().parent):
            return f"cannot write {target}: its folder does not exist"
    return ""
