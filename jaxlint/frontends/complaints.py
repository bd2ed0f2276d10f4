"""How the command says that it was used wrongly: one line on standard error, exit code 2."""

from __future__ import annotations

import os
import sys

from jaxlint.frontends.streams import write
from jaxlint.one_line import on_one_line


def fail(message: str) -> int:
    """Say what is wrong; returns the exit code."""
    warn(message)
    return 2


def warn(message: str) -> None:
    """Say something that stops nothing."""
    write(f"jaxlint: {on_one_line(message)}\n", sys.stderr)


def our_fault(error: Exception) -> str:
    """What to say when jaxlint itself failed: one line."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno}"
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"failed: {what} (at {where}). Please report it"


def hint(line: str) -> None:
    """Say how to go on, below what is wrong."""
    write(f"{line}\n", sys.stderr)


def unknown_rule(code: str) -> int:
    """Say that there is no such rule, and which one may have been meant."""
    from jaxlint.rules.codes import advice

    return fail(f"no rule {code!r}; {advice(code)}")
