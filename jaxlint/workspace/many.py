"""Lints many files: several at once, each on its own, nothing lost when one goes wrong."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxlint.findings import CANNOT_CHECK, Finding
from jaxlint.source import decode, read_bytes
from jaxlint.workspace.cache import Cache
from jaxlint.workspace.lint import Linted, Task, modules_kept
from jaxlint.workspace.own_python import command

Progress = Callable[[int, int], None]
"""Is told how many files are done, of how many."""

_WORTH_A_PROCESS = 20
"""Files to lint for each process that is started: starting one costs about as much."""

_HEARTBEAT = 0.2
"""Seconds after which an interrupt is noticed on systems where waiting hides it."""

Numbered = tuple[int, Task]


def lint_files(
    tasks: Sequence[Task], cache: Cache | None, jobs: int, progress: Progress
) -> list[Linted]:
    """Lint files, as many at once as ``jobs`` says; the results are in the given order.

    Args:
        tasks: what to lint.
        cache: what is known already; None: nothing, and nothing is remembered.
        jobs: processes; 0: one for each core of this machine that is worth it.
        progress: is called after each file.
    """
    # What an earlier run of this process read may have changed.
    modules_kept().forget()
    results: dict[int, Linted] = {}
    keys: dict[int, str] = {}
    waiting: list[Numbered] = []
    for number, task in enumerate(tasks):
        known = None if cache is None else _known(task, cache)
        if isinstance(known, Linted):
            results[number] = known
            progress(len(results), len(tasks))
        else:
            keys[number] = known or ""
            waiting.append((number, task))
    for number, linted in _lint_all(waiting, jobs):
        results[number] = linted
        if cache is not None and keys[number] and not linted.failed:
            cache.put(keys[number], linted)
        progress(len(results), len(tasks))
    if cache is not None:
        cache.save()
    return [results[number] for number in range(len(tasks))]


def _known(task: Task, cache: Cache) -> Linted | str:
    """What is known of a file without linting it, or the key to remember it by."""
    try:
        data = read_bytes(Path(task.path), task.path)
        key = cache.key(data, decode(data, task.path), task.options)
    except Exception:
        # Whatever it is, linting it says so.
        return ""
    return cache.get(key, task.path, task.options) or key


def _lint_all(tasks: list[Numbered], jobs: int) -> Iterator[tuple[int, Linted]]:
    jobs = min(jobs or max(1, min(_cores(), len(tasks) // _WORTH_A_PROCESS)), len(tasks))
    if jobs > 1:
        yield from _Crew(tasks, jobs)
    else:
        for number, task in tasks:
            yield number, task.run()


class _Crew:
    """Some processes that share tasks. Iterating gives each task's number and its result.

    Args:
        tasks: what to lint.
        size: processes.
    """

    def __init__(self, tasks: list[Numbered], size: int) -> None:
        self._size = size
        self._left = len(tasks)
        self._tasks: queue.SimpleQueue[Numbered] = queue.SimpleQueue()
        for each in tasks:
            self._tasks.put(each)
        self._results: queue.SimpleQueue[tuple[int, Linted] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._ended = False

    def __iter__(self) -> Iterator[tuple[int, Linted]]:
        """Results as they come; leaving early ends the processes."""
        try:
            working = self._start()
            while self._left and working:
                try:
                    result = self._results.get(timeout=_HEARTBEAT)
                except queue.Empty:
                    continue
                if result is None:
                    working -= 1
                else:
                    self._left -= 1
                    yield result
        finally:
            self._end()
        while self._left:
            # No process is to be had (any more): this one does the rest.
            number, task = self._tasks.get()
            self._left -= 1
            yield number, task.run()

    def _start(self) -> int:
        """Start a thread for each process; returns how many there are."""
        for number in range(self._size):
            try:
                threading.Thread(target=self._serve, daemon=True).start()
            except RuntimeError:
                return number
        return self._size

    def _serve(self) -> None:
        """Hand tasks to one process, and to another one when it dies."""
        worker: _Worker | None = None
        try:
            while True:
                each = self._tasks.get_nowait()
                try:
                    worker = worker or self._hire()
                except (OSError, _WorkerGone):
                    self._tasks.put(each)
                    return
                number, task = each
                try:
                    linted = worker.lint(task)
                except _WorkerGone as gone:
                    worker, linted = None, _brought_down(task, gone)
                self._results.put((number, linted))
        except queue.Empty:
            pass
        finally:
            self._results.put(None)

    def _hire(self) -> _Worker:
        with self._lock:
            if self._ended:
                raise _WorkerGone("the run has ended")
            worker = _Worker()
            self._workers.add(worker)
        worker.greet()
        return worker

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            for worker in self._workers:
                worker.end()


class _WorkerGone(Exception):
    """The process has died; the text says how."""


class _Worker:
    """One process. An interrupt of the terminal does not reach it: this end decides."""

    def __init__(self) -> None:
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        self._process = subprocess.Popen(
            command("jaxlint.workspace.worker"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **apart,
        )  # fmt: skip

    def greet(self) -> None:
        """Wait until it is there.

        Raises:
            _WorkerGone: it could not start.
        """
        self._receive()

    def lint(self, task: Task) -> Linted:
        """Have a file linted.

        Raises:
            _WorkerGone: the process died on it.
        """
        assert self._process.stdin is not None
        try:
            pickle.dump(task, self._process.stdin)
            self._process.stdin.flush()
        except OSError:
            pass  # It is dead: reading its answer says how.
        linted = self._receive()
        assert isinstance(linted, Linted)
        return linted

    def _receive(self) -> object:
        assert self._process.stdout is not None
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            self.end()
            raise _WorkerGone(_ending(self._process.returncode)) from error

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()


def _ending(code: int) -> str:
    """How a process ended, in a word or two."""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"


def _brought_down(task: Task, gone: _WorkerGone) -> Linted:
    message = (
        f"linting this file brought the process down ({gone}); the other files were checked. "
        "Please report it with the file"
    )
    return Linted(task.path, [Finding(CANNOT_CHECK, message, task.path, 1, 0, 1, 0)], True)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
