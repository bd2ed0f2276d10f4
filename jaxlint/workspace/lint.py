"""Lints many files: several at once, each on its own, nothing lost when one goes wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.check import examine
from jaxlint.config import Options
from jaxlint.findings import CANNOT_CHECK, Finding, bad_cells, internal_error, not_checked
from jaxlint.source import Source, SourceError, decode, read_bytes
from jaxlint.workspace.cache import Cache

Progress = Callable[[int, int], None]
"""Is told how many files are done, of how many."""

_WORTH_A_PROCESS = 12
"""Files to lint for each process that is started: starting one costs about as much."""


@dataclass
class Linted:
    """What was found in one file.

    Attributes:
        filename: as the user wrote it.
        findings: by position; a file that could not be checked has one that says so.
        failed: jaxlint itself failed on it.
    """

    filename: str
    findings: list[Finding] = field(default_factory=list)
    failed: bool = False


@dataclass(frozen=True)
class Task:
    """A file, and the options that hold for it."""

    path: str
    options: Options


def lint_source(source: Source, options: Options) -> Linted:
    """Lint one file that has been read; nothing is raised."""
    try:
        return Linted(source.filename, bad_cells(source) + examine(source, options).shown)
    except SourceError as error:
        return Linted(source.filename, [not_checked(error)])
    except Exception as error:
        return Linted(source.filename, [internal_error(source.filename, error)], failed=True)


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
    results: dict[int, Linted] = {}
    keys: dict[int, str] = {}
    waiting: list[tuple[int, Task]] = []
    for number, task in enumerate(tasks):
        known = _known(task, cache)
        if isinstance(known, Linted):
            results[number] = known
            progress(len(results), len(tasks))
        else:
            keys[number] = known
            waiting.append((number, task))
    for number, linted in _lint_all(waiting, jobs):
        results[number] = linted
        if cache is not None and keys[number] and not linted.failed:
            cache.put(keys[number], linted.findings)
        progress(len(results), len(tasks))
    if cache is not None:
        cache.save()
    return [results[number] for number in range(len(tasks))]


def _known(task: Task, cache: Cache | None) -> Linted | str:
    """What is known of a file without linting it, or the key to remember it by."""
    try:
        data = read_bytes(Path(task.path), task.path)
        if cache is None:
            return ""
        source = decode(data, task.path)
    except SourceError as error:
        return Linted(task.path, [not_checked(error)])
    key = cache.key(data, source, task.options)
    findings = cache.get(key)
    return key if findings is None else Linted(task.path, findings)


def _lint_all(tasks: list[tuple[int, Task]], jobs: int) -> Iterator[tuple[int, Linted]]:
    jobs = min(jobs or max(1, min(_cores(), len(tasks) // _WORTH_A_PROCESS)), max(len(tasks), 1))
    if jobs == 1:
        for number, task in tasks:
            yield number, lint_file(task)
        return
    done: set[int] = set()
    try:
        for number, linted in _in_processes(tasks, jobs):
            done.add(number)
            yield number, linted
    except BrokenProcessPool:
        # Some file brought a process down: the rest goes one by one, each in its own.
        for number, task in tasks:
            if number not in done:
                yield number, _alone(task)


def _in_processes(tasks: list[tuple[int, Task]], jobs: int) -> Iterator[tuple[int, Linted]]:
    with ProcessPoolExecutor(jobs) as pool:
        futures: dict[Future[Linted], int] = {}
        try:
            for number, task in tasks:
                futures[pool.submit(lint_file, task)] = number
            while futures:
                finished, _ = wait(futures, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield futures.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _alone(task: Task) -> Linted:
    with ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(lint_file, task).result()
        except BrokenProcessPool:
            message = (
                "linting this file brought the process down; the other files were checked. "
                "Please report it with the file"
            )
            return Linted(task.path, [Finding(CANNOT_CHECK, message, task.path, 1, 0, 1, 0)], True)


def lint_file(task: Task) -> Linted:
    """Lint one file; nothing is raised."""
    try:
        source = decode(read_bytes(Path(task.path), task.path), task.path)
    except SourceError as error:
        return Linted(task.path, [not_checked(error)])
    return lint_source(source, task.options)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
