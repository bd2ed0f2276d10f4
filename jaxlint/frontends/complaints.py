"""How the command says that it was used wrongly: one line on standard error, exit code 2."""

from __future__ import annotations

import sys

from jaxlint.frontends.streams import write


def fail(message: str) -> int:
    """Say what is wrong; returns the exit code."""
    warn(message)
    return 2


def warn(message: str) -> None:
    """Say something that stops nothing."""
    # A file name in it may hold line ends and escape sequences.
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    write(f"jaxlint: {shown}\n", sys.stderr)


def hint(line: str) -> None:
    """Say how to go on, below what is wrong."""
    write(f"{line}\n", sys.stderr)


def unknown_rule(code: str) -> int:
    """Say that there is no such rule, and which one may have been meant."""
    from jaxlint.rules.codes import advice

    return fail(f"no rule {code!r}; {advice(code)}")
