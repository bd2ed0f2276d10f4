"""The command ``jaxlint``: finds which of its commands is meant, and runs it.

Exit codes: 0 all is well, 1 something was found or refuted, 2 wrong use or
nothing could be run. ``confirm PATHS -- COMMAND`` ends with the command's own.

Nothing of weight is imported here: an interrupt would find nobody who answers it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from jaxlint import __version__
from jaxlint.frontends.complaints import fail, hint, warn
from jaxlint.frontends.interrupts import INTERRUPTED, ended_at_once
from jaxlint.frontends.streams import fill_closed, write

_HELP = """\
usage: jaxlint [COMMAND] [OPTIONS] [PATH ...]

Finds JAX mistakes before JAX does, and proves them.

commands:
{commands}

options:
  -h, --help       show this, or the help of a command: jaxlint check --help
  -V, --version    show the version

examples:
  jaxlint src/                                  lint; or through flake8: flake8 --select JXL src/
  jaxlint check --watch src/                    lint again whenever a file is saved
  jaxlint rule JXL101                           what a rule finds, why, and what to write
  jaxlint rule --all                            the table of all rules
  jaxlint confirm                               prove every rule under the JAX installed here
  jaxlint confirm src/ -- python -m pytest -q   run your tests: which findings come true?
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code, which is a documented one whatever happens."""
    try:
        with ended_at_once():
            fill_closed()
            work = _work(list(sys.argv[1:] if argv is None else argv))
        code = work if isinstance(work, int) else work()
    except KeyboardInterrupt:
        warn("interrupted")
        code = INTERRUPTED
    except Exception as error:
        return fail(f"failed: {_where(error)}. Please report it")
    problem = write("", sys.stdout)
    return fail(f"cannot write: {problem}") if problem and not code else code


def _where(error: Exception) -> str:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"{what} (at {os.path.basename(last.filename)}:{last.lineno})"


def _work(given: list[str]) -> Callable[[], int] | int:
    """What is to be done; or the exit code, where that is done already."""
    from jaxlint.frontends.commands import COMMANDS

    if not given or given[0] in ("-h", "--help", "help"):
        problem = write(help_text(), sys.stdout)
        return fail(problem) if problem else 0 if given else 2
    if given[0] in ("-V", "--version"):
        print(f"jaxlint {__version__}")
        return 0
    name, *rest = given
    if name not in COMMANDS:
        problem = _no_command(given)
        if problem:
            warn(problem)
            hint(f"usage: jaxlint COMMAND [OPTIONS] [PATH ...]   (commands: {', '.join(COMMANDS)})")
            return 2
        name, rest = "check", given
    command = COMMANDS[name]
    behind: list[str] | None = None
    if "--" in rest and name != "check":
        at = rest.index("--")
        rest, behind = rest[:at], rest[at + 1 :]
        if not command.takes_command:
            return fail("-- COMMAND is for jaxlint confirm")
    arguments = command.parser().read(rest)
    arguments.behind = behind
    return partial(command.load(), arguments)


def _no_command(given: list[str]) -> str:
    """What is wrong with arguments without a command; empty when they are those of ``check``."""
    from jaxlint.frontends.commands import COMMANDS
    from jaxlint.frontends.parser import did_you_mean

    first = given[0]
    if first.startswith("-"):
        later = next((each for each in given if each in COMMANDS), "")
        if later and not os.path.exists(later):
            return f"write the command first: jaxlint {later} {first} ..."
        return ""
    if os.path.lexists(first) or any(each in first for each in (os.sep, "/", ".", "*")):
        return ""
    return f"no command, file or folder {first!r}{did_you_mean(first, COMMANDS)}"


def help_text() -> str:
    """What ``jaxlint --help`` shows."""
    from jaxlint.frontends.commands import COMMANDS

    width = max(map(len, COMMANDS))
    lines = (f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    return _HELP.format(commands="\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
