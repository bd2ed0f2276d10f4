"""One of several processes that compute together: its number, and where it waits for others."""

from __future__ import annotations

import _thread
import json
import os
import threading
from types import FrameType
from typing import Any

from .callee import called_by
from .journal import Journal
from .stack import JAX, Stack
from .stillness import watch_stillness
from .values import Values

MEMBER_VARIABLE = "JAXLINT_CONFIRM_MEMBER"
"""Environment variable of processes that a launcher has started together: their number."""

WAITING_FILE = "waiting.json"
"""In the folder of the run, while the process stands still: for who watches it meanwhile."""


class Membership:
    """Watches, from a thread of its own, whether the main thread waits.

    Args:
        folder: of the run; a member has one of its own.
    """

    def __init__(self, journal: Journal, stack: Stack, values: Values, folder: str) -> None:
        self._journal = journal
        self._stack = stack
        self._values = values
        self._file = os.path.join(folder, WAITING_FILE)
        self._number = 0
        self._is_told = False

    def begin(self) -> None:
        """Watch from now on."""
        # No ``threading.Thread``: the program may count its threads, and wait for them.
        _thread.start_new_thread(self._watch, ())

    def _watch(self) -> None:
        main = threading.main_thread().ident
        try:
            watch_stillness(main or 0, self._begins, self._ends, self._is_member)
        except Exception as error:
            self._journal.trouble(error)

    def _is_member(self) -> bool:
        """Whether ``jax.distributed`` connects this process with others now."""
        from jax._src.distributed import global_state as state

        if state.client is None:
            return False
        if not self._is_told:
            self._is_told = True
            self._journal.write("member", index=state.process_id, of=state.num_processes)
        return True

    def _begins(self, frame: FrameType) -> None:
        self._number += 1
        lines = self._stack.user_lines(frame)
        facts = {
            "number": self._number,
            "stack": [[each.file, each.line, each.scope] for each in lines],
            "outside": self._outside(frame),
            "in_jax": self._is_in_jax(frame),
        }
        self._journal.write("waits", **facts)
        # Who waits for ever never comes to its end.
        self._journal.write_counts()
        whole = f"{self._file}.{os.getpid()}"
        with open(whole, "w", encoding="utf-8") as stream:
            json.dump({**facts, "pid": os.getpid()}, stream)
        os.replace(whole, self._file)

    def _ends(self, seconds: float) -> None:
        self._journal.write("goes on", number=self._number, seconds=round(seconds, 1))
        os.unlink(self._file)

    def _is_in_jax(self, frame: FrameType) -> bool:
        """Whether it is JAX that does not come back."""
        if self._stack.kind(frame.f_code.co_filename) == JAX:
            return True
        called: list[Any] = called_by(frame, self._values)
        return any(type(each).__module__.split(".")[0] in ("jax", "jaxlib") for each in called)

    def _outside(self, frame: FrameType | None) -> str:
        """The innermost line that is not JAX's, whoever wrote it; empty when there is none."""
        while frame is not None:
            if self._stack.kind(frame.f_code.co_filename) != JAX:
                return f"{frame.f_code.co_filename}:{frame.f_lineno}"
            frame = frame.f_back
        return ""
