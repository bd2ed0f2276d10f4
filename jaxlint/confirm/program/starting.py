"""How a command ended, or why it could not be started, as shells have it."""

from __future__ import annotations

import os
import signal

from jaxlint.confirm.program.ran import Ending

NOT_FOUND, NOT_EXECUTABLE, BY_SIGNAL = 127, 126, 128
"""Ending codes for commands that did not run or were killed."""


def cannot_start(command: list[str], error: OSError) -> Ending:
    """The ending of a command that was not run."""
    if isinstance(error, FileNotFoundError):
        # A script whose interpreter is missing gives the same error.
        what = "its interpreter was not found" if os.path.exists(command[0]) else "not found"
        return Ending(command, NOT_FOUND, f"cannot run {command[0]!r}: {what}", 0.0)
    said = f"cannot run {command[0]!r}: {error.strerror}"
    return Ending(command, NOT_EXECUTABLE, said, 0.0)


def ended(command: list[str], code: int, seconds: float, began: float) -> Ending:
    """The ending of a command that was run.

    Args:
        code: what Python says of it: negative when it was killed.
        seconds: wall time.
        began: when, in seconds since the epoch.
    """
    if code < 0:
        said = f"the command was killed by {_signal_name(-code)}"
        return Ending(command, BY_SIGNAL - code, said, seconds, began)
    return Ending(command, code, "", seconds, began)


def _signal_name(number: int) -> str:
    """A signal in words; those between the named ones have numbers alone."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
