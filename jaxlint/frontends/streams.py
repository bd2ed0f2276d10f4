"""The standard streams, also when they are closed, full or no longer read."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def fill_closed() -> None:
    """Put something in the place of closed streams.

    A file that is opened later must not take their numbers. A command that is started finds
    them closed as this process did; writing to a closed standard output fails as it should.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(_at(0, os.O_RDONLY), encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(_at(1, os.O_RDONLY), "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(_at(2, os.O_WRONLY), "w", encoding="utf-8", closefd=False)


def _at(number: int, flags: int) -> int:
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number, inheritable=False)
        os.close(opened)
    return number


def write(text: str, stream: TextIO) -> str:
    """Write to a standard stream; returns what went wrong, or nothing.

    A reader that has seen enough and left is nothing wrong.
    """
    if stream.closed:
        return ""  # By the server, at its end.
    try:
        if hasattr(stream, "reconfigure"):
            # File names need not be text, and a terminal need not know every letter.
            stream.reconfigure(errors="backslashreplace")
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)
    except OSError as error:
        _abandon(stream)
        return error.strerror or str(error)
    return ""


def colours_wanted(choice: str, stream: TextIO) -> bool:
    """Whether a stream gets colours: as ``always`` or ``never`` say, else as is usual.

    ``NO_COLOR`` (https://no-color.org) and ``FORCE_COLOR`` (https://force-color.org) count
    when they are not empty; on a terminal there are colours, unless it is a dumb one.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return not stream.closed and stream.isatty() and os.environ.get("TERM") != "dumb"


def hyperlinks_wanted(stream: TextIO) -> bool:
    """Whether what is written to a stream may hold links: on terminals that ignore them at least.

    ``FORCE_HYPERLINK`` counts when it is set (https://github.com/zkat/supports-hyperlinks).
    """
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    return not stream.closed and stream.isatty() and os.environ.get("TERM") not in _NO_LINKS


_NO_LINKS = ("dumb", "linux")
"""The console of Linux prints parts of what it does not understand."""


def _abandon(stream: TextIO) -> None:
    """Python writes what is left at its end, and would complain once more."""
    number = os.open(os.devnull, os.O_WRONLY)
    os.dup2(number, stream.fileno(), inheritable=False)
    os.close(number)
