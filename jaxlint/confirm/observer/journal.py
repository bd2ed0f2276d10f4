"""What one process writes down: JSON lines, one file for each process."""

from __future__ import annotations

import atexit
import json
import os
import sys
import time
from typing import Any

MOST_TROUBLES = 20
MOST_COUNTS = 100_000
"""Different things counted in one process; further ones are left out."""


class Journal:
    """Records and counts of one process, kept in memory.

    Attributes:
        counts: what was counted -> how often.
        closers: called at the end of the process, before the last counts are written.
    """

    def __init__(self) -> None:
        self.counts: dict[tuple[Any, ...], int] = {}
        self.closers: list[Any] = []
        self._records: list[dict[str, Any]] = []
        self._troubles = 0

    def write(self, is_: str, **facts: Any) -> None:
        """Write one record."""
        self._records.append({"is": is_, **facts})

    def write_for_all(self, is_: str, **facts: Any) -> None:
        """Write a record that holds for children forked later too."""
        self.write(is_, **facts)

    def count(self, *key: Any) -> int:
        """Count something once more; returns how often it has been counted."""
        number = self.counts.get(key, 0) + 1
        if number == 1 and len(self.counts) >= MOST_COUNTS:
            return 0
        self.counts[key] = number
        return number

    def write_counts(self) -> None:
        """Write what has been counted so far."""

    def trouble(self, error: BaseException) -> None:
        """The observer itself has failed somewhere: say so in the report, and go on."""
        self._troubles += 1
        if self._troubles <= MOST_TROUBLES:
            last = error.__traceback__
            while last is not None and last.tb_next is not None:
                last = last.tb_next
            where = f"{last.tb_frame.f_code.co_name}:{last.tb_lineno}" if last else ""
            self.write("trouble", text=f"{type(error).__name__} in {where}: {error}"[:300])

    def clear(self) -> None:
        """Forget all records and counts."""
        self.counts.clear()
        self._records.clear()
        self._troubles = 0

    def content(self) -> list[dict[str, Any]]:
        """All records, as a journal's file has them."""
        counts = [{"is": "count", "of": key, "n": number} for key, number in self.counts.items()]
        return [*self._records, *counts]


def _apart(number: int) -> int:
    """Leave the numbers of closed standard streams free: the program may write to them."""
    if number > 2:
        return number
    import fcntl

    try:
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(number)


class JournalFile(Journal):
    """A journal in a file, written so that little is lost when the process is killed.

    A record is written at once. A count is written when it reaches a power of
    two, and at the end; the reader takes the highest one. A forked child writes
    a journal of its own and counts from nothing.

    Args:
        folder: where the journals of the run lie.
    """

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder
        self._pid = 0
        self._file = -1
        self._lost = 0
        self._forked = False
        self._standing: list[dict[str, Any]] = []
        self._open()
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _open(self) -> None:
        self._pid = os.getpid()
        name = f"{self._pid}-{time.time_ns():x}.jsonl"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            self._file = _apart(os.open(os.path.join(self._folder, name), flags, 0o600))
            self._identity = os.fstat(self._file)
        except OSError:
            self._file = -1
            return
        self.write(
            is_="process", pid=self._pid, argv=sys.orig_argv[:20],
            python=".".join(map(str, sys.version_info[:3])),
        )  # fmt: skip
        for record in self._standing:
            self.write(**record)

    def write_for_all(self, is_: str, **facts: Any) -> None:
        """Write a record that holds for children forked later too."""
        self._standing.append({"is_": is_, **facts})
        self.write(is_, **facts)

    def _after_fork(self) -> None:
        """A forked child begins a journal; ``multiprocessing`` ends its children without atexit."""
        try:
            self.counts.clear()
            self._forked = True
            self._open()
            util = sys.modules.get("multiprocessing.util")
            if util is not None:
                util.register_after_fork(self, JournalFile._finish_with_multiprocessing)
        except Exception:
            self._file = -1

    def _finish_with_multiprocessing(self) -> None:
        from multiprocessing.util import Finalize

        Finalize(None, self.close, exitpriority=-1000)

    def write(self, is_: str, **facts: Any) -> None:
        """Write one record. One that cannot be written is counted, and the program goes on."""
        if not self._is_open():
            # The program has closed all files, as daemons do: they may be others by now.
            self._file = -1
            self._open()
        line = json.dumps({"is": is_, **facts}, default=str) + "\n"
        data = line.encode("utf-8", "backslashreplace")
        if self._file < 0 or not self._append(data):
            self._lost += 1

    def _is_open(self) -> bool:
        """Whether the journal is still what its number stands for, or was given up."""
        try:
            return self._file < 0 or os.path.samestat(os.fstat(self._file), self._identity)
        except OSError:
            return False

    def _append(self, data: bytes) -> bool:
        """Write the whole of it; a part at the end of a full disk is taken back."""
        try:
            size = os.fstat(self._file).st_size
            if os.write(self._file, data) == len(data):
                return True
            os.ftruncate(self._file, size)
        except OSError:
            pass
        return False

    def count(self, *key: Any) -> int:
        """Count something once more; returns how often it has been counted."""
        number = super().count(*key)
        if number & (number - 1) == 0 and number:
            self.write("count", of=key, n=number)
        return number

    def write_counts(self) -> None:
        """Write what has been counted so far, but for what is written already."""
        for key, number in list(self.counts.items()):
            if number & (number - 1):
                self.write("count", of=key, n=number)

    def close(self) -> None:
        """Write the final counts; the process ends.

        A forked child in which nothing happened says nothing of what it has of its parent.
        """
        if os.getpid() != self._pid:
            return
        for closer in self.closers if self.counts or not self._forked else ():
            try:
                closer()
            except Exception as error:
                self.trouble(error)
        self.write_counts()
        lost = self._lost
        if lost:
            self.write("blind", text=f"{lost} records could not be written: is the disk full?")
        if self._lost == lost:
            # Without this word the reader knows that something is missing.
            self.write("end")
