"""Signals that reach this process while the command runs: the command gets each of them once.

A terminal and some job managers signal the whole group of processes: the command has it then,
and must not get it twice. Others signal this process alone, and it is passed on. Nothing in a
signal tells which, so a third process of the group is asked whether it got it too: the witness.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

from jaxlint.confirm.program import witness

Command = subprocess.Popen[bytes]


class Receiver(Protocol):
    """What signals can be given to."""

    def send_signal(self, sig: int, /) -> None:
        """Give it a signal."""


_Given = TypeVar("_Given", bound=Receiver)


_NAMES = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_MOMENT = 0.01
"""Seconds in which a signal to a group reaches all of it."""


@contextmanager
def given_to(started: queue.SimpleQueue[_Given], alone: bool = False) -> Iterator[None]:
    """Give the signals of this process to the command that is put into the queue.

    What this process ignores (as under ``nohup``) stays ignored, here and in the command.
    Handlers are not inherited.

    Args:
        alone: the command is not of this process's group: it gets nothing but what is passed on.
    """
    arrived: queue.SimpleQueue[int] = queue.SimpleQueue()
    numbers = [number for name in _NAMES if (number := getattr(signal, name, 0))]
    kept = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    asked = None if alone else _Witness(kept)
    before = {
        number: signal.signal(number, lambda number, frame: arrived.put(number)) for number in kept
    }
    threading.Thread(target=_give, args=(arrived, started, asked), daemon=True).start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        arrived.put(0)
        if asked is not None:
            asked.leave()


def _give(
    arrived: queue.SimpleQueue[int], started: queue.SimpleQueue[_Given], asked: _Witness | None
) -> None:
    process: _Given | None = None
    while number := arrived.get():
        if asked is None or not asked.got(number):
            process = process or started.get()
            process.send_signal(number)


class _Witness:
    """A process that signals do nothing to, and which says what it got."""

    def __init__(self, numbers: list[int]) -> None:
        self._process: Command | None = None
        if not hasattr(signal, "pthread_sigmask"):
            return
        # A new process has the mask of the one that starts it: it misses nothing.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", witness.__file__],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def got(self, number: int) -> bool:
        """Whether a signal that arrived here went to the group."""
        if self._process is None:
            # The interrupt of a console goes to all of its processes.
            return number == signal.SIGINT
        time.sleep(_MOMENT)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            os.write(self._process.stdin.fileno(), bytes([number]))
            return os.read(self._process.stdout.fileno(), 1) == b"\1"
        return False

    def leave(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
