"""What Ctrl-C does: whatever jaxlint is doing, it ends, at once and with one line."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from jaxlint.frontends.complaints import warn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130
"""Exit code, as shells have it."""

_GRACE = 0.2
"""Seconds in which the program may tidy up."""

_CURSOR_ON = "\x1b[?25h"


@contextmanager
def ended_at_once() -> Iterator[None]:
    """While nothing has been begun, such as imports: just end."""
    before = _set(lambda number, frame: _end())
    try:
        yield
    finally:
        _set(before)


@contextmanager
def ended_soon() -> Iterator[None]:
    """Raise ``KeyboardInterrupt``, as Python does; and end when that leads nowhere.

    Native code and libraries may swallow the exception, or be long in handing it on.
    """
    before, tell = _set(_raise_and_watch), sys.unraisablehook
    sys.unraisablehook = partial(_tell_ignored, tell)
    try:
        yield
    finally:
        sys.unraisablehook = tell
        _set(before)


def leave(code: int) -> NoReturn:
    """End the process with the exit code of a command.

    Started by ``-m``, Python dies of the signal in place of ending with a code, where the
    interrupt came while it ran a text, such as those that dataclasses are made of.
    """
    if code == INTERRUPTED:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _set(handler: signal.Handlers | object) -> object:
    try:
        return signal.signal(signal.SIGINT, handler)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return None  # In a thread, which no signal reaches; or it was not set by Python.


def _raise_and_watch(number: int, frame: FrameType | None) -> None:
    from threading import Thread

    try:
        Thread(target=_end_later, daemon=True).start()
    except RuntimeError:
        _end()
    raise KeyboardInterrupt


def _tell_ignored(tell: Callable[[UnraisableHookArgs], object], what: UnraisableHookArgs) -> None:
    """Where Python ignores an exception, as in what a weak reference calls, it shows it.

    Of an interrupt nobody wants to see that: the process ends all the same.
    """
    if not issubclass(what.exc_type, KeyboardInterrupt):
        tell(what)


def _end_later() -> None:
    time.sleep(_GRACE)
    _end()


def _end() -> None:
    if os.isatty(2):
        os.write(2, _CURSOR_ON.encode())  # A bar may have hidden it.
    warn("interrupted")
    os._exit(INTERRUPTED)
