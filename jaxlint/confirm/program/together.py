"""The command as several processes of one cluster: started, watched while they wait, ended."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jaxlint.confirm.observer.membership import WAITING_FILE
from jaxlint.confirm.program.ran import Ending
from jaxlint.confirm.program.signals import given_to
from jaxlint.confirm.program.starting import BY_SIGNAL, cannot_start, ended
from jaxlint.confirm.program.tagged_output import TaggedOutput
from jaxlint.reading import read_ordinary

WAITED = 124
"""Exit code when the processes waited for each other and were ended; ``timeout`` has the same."""

_BEAT = 0.1
_AFTER_A_SIGNAL = 2.0
"""Seconds after which processes that wait in JAX are not going to answer a signal: Python answers
between two of its instructions, and the one that they wait in does not come back."""

_ENDING = tuple(getattr(signal, name, 0) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"))
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class Together:
    """Runs the command once for each environment, all at the same time.

    Args:
        command: program and arguments.
        environments: what each finds in its environment.
        folders: of the observer, one for each.
        patience: seconds after which they are ended when all that still run wait in JAX; 0: never.
        folder: where they are run; here when None.
    """

    def __init__(
        self, command: list[str], environments: Sequence[Mapping[str, str]], folders: list[Path],
        patience: float, folder: Path | None,
    ) -> None:  # fmt: skip
        self._command = command
        self._environments = environments
        self._folders = folders
        self._patience = patience
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._endings: dict[int, Ending] = {}
        self._began, self._start_time = time.time(), time.perf_counter()
        self._waited: set[int] = set()
        self._signalled = 0.0
        self._by = 0

    def run(self) -> tuple[list[Ending], Ending]:
        """How each ended, in their order, and how all of it did."""
        started: queue.SimpleQueue[Together] = queue.SimpleQueue()
        output = TaggedOutput()
        try:
            with given_to(started, alone=True):
                for number in range(len(self._environments)):
                    self._processes.append(self._start(number))
                    output.follow(number, self._processes[-1])
                started.put(self)
                self._wait()
        except OSError as error:
            ending = cannot_start(self._command, error)
            return [ending] * len(self._environments), ending
        finally:
            self._kill(self._alive())
        output.finish()
        endings = [self._endings[number] for number in range(len(self._processes))]
        said = f"the processes waited for others for {self._patience:g} s and were ended"
        return endings, Ending(
            self._command, self._code(), said if self._waited else "", self._seconds, self._began
        )

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._start_time

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        # In a group of its own each can be ended with all that it has started.
        return subprocess.Popen(
            self._command, env=self._environments[number], cwd=self._folder, close_fds=False,
            stdin=None if number == 0 else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=hasattr(os, "killpg"),
        )  # fmt: skip

    def send_signal(self, number: int) -> None:
        """Give a signal to all; when it is the second one that is to end them, it does."""
        if number in _ENDING and self._signalled:
            self._kill(self._alive())
            return
        if number in _ENDING:
            self._signalled, self._by = time.monotonic(), number
        for each in self._alive():
            _send(self._processes[each], number)

    def _alive(self) -> list[int]:
        return [n for n, each in enumerate(self._processes) if each.poll() is None]

    def _kill(self, numbers: list[int]) -> None:
        for number in numbers:
            _send(self._processes[number], _KILL)

    def _wait(self) -> None:
        """Until all have ended, by themselves or since they have waited for too long."""
        since, before = time.monotonic(), [b""]
        while True:
            alive = self._alive()
            for number in set(range(len(self._processes))) - self._endings.keys() - {*alive}:
                self._note(number)
            if not alive:
                return
            waits = [self._waits(number) for number in alive]
            if waits != before or not all(map(_is_in_jax, waits)):
                since, before = time.monotonic(), waits
            patience = _AFTER_A_SIGNAL if self._signalled else self._patience
            if patience and time.monotonic() - max(since, self._signalled) > patience:
                self._waited |= set() if self._signalled else {*alive}
                self._kill(alive)
            time.sleep(_BEAT)

    def _note(self, number: int) -> None:
        code = self._processes[number].returncode
        ending = ended(self._command, code, self._seconds, self._began)
        if number in self._waited and code == -_KILL:
            said = f"waited for others for {self._patience:g} s and was ended"
            ending = replace(ending, code=WAITED, said=said)
        self._endings[number] = ending

    def _waits(self, number: int) -> bytes:
        """What a process has said when it began to stand still; empty when it does not."""
        try:
            return read_ordinary(self._folders[number] / WAITING_FILE)
        except OSError:
            return b""

    def _code(self) -> int:
        """Of the process that failed first, by itself: the others may have failed because of it.

        After a signal that ends, those that another signal ended (JAX aborts when one of its
        cluster has gone) ended because of that one.
        """
        failed = [each.code for each in self._endings.values() if each.code]
        if not self._by:
            return next((code for code in failed if code != WAITED), next(iter(failed), 0))
        by_itself = [code for code in failed if code < BY_SIGNAL]
        return next(iter(by_itself), BY_SIGNAL + self._by if failed else 0)


def _is_in_jax(said: bytes) -> bool:
    try:
        return bool(json.loads(said)["in_jax"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    except OSError:
        pass  # It has just ended.
