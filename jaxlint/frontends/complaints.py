"""How the command says that it was used wrongly: one line on standard error, exit code 2."""

from __future__ import annotations

import os
import sys
import traceback

from jaxlint.findings import on_one_line
from jaxlint.frontends.streams import write


def fail(message: str) -> int:
    """Say what is wrong; returns the exit code."""
    warn(message)
    return 2


def warn(message: str) -> None:
    """Say something that stops nothing."""
    write(f"jaxlint: {on_one_line(message)}\n", sys.stderr)


def our_fault(error: Exception) -> str:
    """What to say when jaxlint itself failed: one line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno}"
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"failed: {what} (at {where}). Please report it"


def unknown_rule(code: str) -> int:
    """Say that there is no such rule, and which one may have been meant."""
    import difflib

    from jaxlint.rules.registry import all_rules

    names = [name for rule in all_rules() for name in (rule.code, rule.name)]
    tried = [code.upper(), code.lower()]
    close = [match for text in tried for match in difflib.get_close_matches(text, names, 1)]
    hint = f"; did you mean {close[0]}?" if close else "; see: jaxlint rule --all"
    return fail(f"no rule {code!r}{hint}")
