"""Variables of the environment that are set when JAX has read them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from .journal import Journal
from .stack import Stack, UserLine
from .watchlist import Watchlist

_THROUGH = ("os", "_collections_abc", "collections.abc")
"""The modules of Python's that ``os.environ.update`` and its like run through."""

_ON = ("1", "true", "yes", "on", "y", "t")


class Settings:
    """Notes them where they are set, and tells in the end of those that had no effect.

    One may be for the processes that are started afterwards, or the program may say the same to
    ``jax.config``.
    """

    def __init__(
        self,
        journal: Journal,
        stack: Stack,
        watchlist: Watchlist,
        has_started: Callable[[], bool],
        jax: ModuleType,
    ) -> None:
        self._journal = journal
        self._stack = stack
        self._read_when = watchlist.settings
        self._has_started = has_started
        self._jax = jax
        self._set: list[tuple[UserLine, str, str]] = []

    def is_set(self, frame: FrameType) -> None:
        """``os.environ[key] = value`` begins: JAX has been imported."""
        name, value = frame.f_locals.get("key"), frame.f_locals.get("value")
        if not isinstance(name, str) or not isinstance(value, str):
            return
        when = self._read_when.get(name)
        over = when == "import" or (when == "start" and self._has_started())
        if not over or os.environ.get(name) == value:
            return
        caller = frame.f_back
        while caller is not None and caller.f_globals.get("__name__") in _THROUGH:
            caller = caller.f_back
        line = self._stack.user_line(caller)
        if line is not None and line.direct:
            self._set.append((line, name, value))

    def starts_a_process(self, frame: FrameType) -> None:
        """Another process gets what has been set so far."""
        self._set.clear()

    def tell(self) -> None:
        """The program ends."""
        for line, name, value in self._set if not _has_had_children() else ():
            if not self._is_in_force(name, value):
                self._journal.count("event", "late-setting", line.file, line.line, name, True, None)

    def _is_in_force(self, name: str, value: str) -> bool:
        """Whether JAX does what a variable says, since the program has told it otherwise."""
        option: Any = getattr(self._jax.config, name.lower(), None)
        if isinstance(option, bool):
            return option is (value.lower() in _ON)
        return option is not None and str(option) == value


def _has_had_children() -> bool:
    """Whether ``multiprocessing`` has made a process: it counts them from 1."""
    module = sys.modules.get("multiprocessing.process")
    return repr(getattr(module, "_process_counter", "count(1)")).strip("'") != "count(1)"
