"""Lints the paths, runs the command under the observer, and reads what it wrote."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from jaxlint.config import Options
from jaxlint.confirm import observer
from jaxlint.confirm.observer.watchlist import FILE_NAME
from jaxlint.confirm.program.observation import Observation, read_journals
from jaxlint.confirm.program.watch import watchlist
from jaxlint.findings import CANNOT_CHECK, Finding
from jaxlint.source import SourceError, read_source
from jaxlint.workspace.discovery import python_files
from jaxlint.workspace.lint import lint_source

NOT_FOUND, NOT_EXECUTABLE, BY_SIGNAL = 127, 126, 128
"""Exit codes for commands that did not run or were killed, as shells give them."""

NOTEBOOK = ".ipynb"
"""Notebooks have no lines that a Python process could be seen on."""

_TROUBLE_FILE = "trouble.txt"
_FORWARDED = ("SIGTERM", "SIGHUP")


@dataclass
class Linted:
    """What the linter says before anything runs.

    Attributes:
        files: absolute path -> findings, for each file that could be read.
        texts: absolute path -> source.
        given: absolute path -> the path as the user wrote it, by which tests are recognised.
        problems: files that could not be linted, a line each.
    """

    files: dict[str, list[Finding]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @cached_property
    def watchlist(self) -> dict[str, Any]:
        """What the observer is told to look at."""
        return watchlist(self.files, self.texts)

    @property
    def names(self) -> list[set[str]]:
        """The names, without attributes, that each finding is about."""
        entries = [entry for entries in self.watchlist["files"].values() for entry in entries]
        return [{name.split(".")[0] for name in entry["names"]} for entry in entries]

    @property
    def findings(self) -> list[Finding]:
        """All findings, numbered through as in the watch list."""
        return [finding for findings in self.files.values() for finding in findings]


@dataclass(slots=True)
class Outcome:
    """How the command ended.

    Attributes:
        command: as the user gave it.
        code: its exit code; 128 and the signal's number when it was killed.
        said: one line for the user when it did not simply run; else empty.
        seconds: wall time.
    """

    command: list[str]
    code: int
    said: str
    seconds: float


def lint(paths: Sequence[Path], options: Options, progress: Callable[[int, int], None]) -> Linted:
    """Lint the files that the paths stand for.

    Raises:
        jaxlint.workspace.discovery.PathError: a path does not exist or has no Python file.
    """
    linted = Linted()
    files = [file for file in python_files(paths) if file.suffix != NOTEBOOK]
    for number, file in enumerate(files):
        progress(number, len(files))
        try:
            source = read_source(file)
        except SourceError as error:
            linted.problems.append(str(error))
            continue
        findings = lint_source(source, options).findings
        problems = [finding for finding in findings if finding.code == CANNOT_CHECK]
        if problems:
            linted.problems += map(str, problems)
            continue
        path = os.path.realpath(file)
        linted.files[path] = [replace(finding, filename=path) for finding in findings]
        linted.texts[path] = source.text
        linted.given[path] = source.filename
    return linted


def observe(command: list[str], linted: Linted, platform: str = "") -> tuple[Outcome, Observation]:
    """Run a command with the observer in its Python processes.

    Its standard streams are those of this process, untouched. The folder of the
    run is its own: runs beside each other do not mix.

    Args:
        command: program and arguments.
        linted: the findings to look at.
        platform: value for ``JAX_PLATFORMS``; as it is when empty.
    """
    folder = Path(tempfile.mkdtemp(prefix="jaxlint-"))
    try:
        (folder / FILE_NAME).write_text(json.dumps(linted.watchlist), "utf-8")
        outcome = _run(command, _environment(folder, platform))
        observation = read_journals(folder, list(linted.files))
        trouble = folder / _TROUBLE_FILE
        if trouble.exists():
            observation.troubles += trouble.read_text("utf-8").splitlines()
        return outcome, observation
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, platform: str) -> dict[str, str]:
    environment = dict(os.environ)
    bootstrap = str(Path(observer.__file__).parent / "bootstrap")
    path = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join([bootstrap, path] if path else [bootstrap])
    environment[observer.RUN_VARIABLE] = str(folder)
    if platform:
        environment["JAX_PLATFORMS"] = platform
    return environment


def _run(command: list[str], environment: dict[str, str]) -> Outcome:
    start = time.perf_counter()
    try:
        with _signals_go_to_it() as started:
            process = subprocess.Popen(command, env=environment)
            started.append(process)
            code = process.wait()
    except FileNotFoundError:
        # A script whose interpreter is missing gives the same error.
        what = "its interpreter was not found" if os.path.exists(command[0]) else "not found"
        return Outcome(command, NOT_FOUND, f"cannot run {command[0]!r}: {what}", 0.0)
    except OSError as error:
        said = f"cannot run {command[0]!r}: {error.strerror}"
        return Outcome(command, NOT_EXECUTABLE, said, 0.0)
    seconds = time.perf_counter() - start
    if code < 0:
        name = signal.Signals(-code).name
        return Outcome(command, BY_SIGNAL - code, f"the command was killed by {name}", seconds)
    return Outcome(command, code, "", seconds)


@contextmanager
def _signals_go_to_it() -> Iterator[list[subprocess.Popen[bytes]]]:
    """The command decides what a signal means; this process stays to write the report.

    A terminal sends its interrupt to both: here it does nothing. Handlers, unlike
    ignored signals, are not inherited by the command.
    """
    started: list[subprocess.Popen[bytes]] = []

    def forward(number: int, frame: object) -> None:
        for process in started:
            process.send_signal(number)

    before = {signal.SIGINT: signal.signal(signal.SIGINT, lambda number, frame: None)}
    for name in _FORWARDED:
        number = getattr(signal, name, None)
        if number is not None:
            before[number] = signal.signal(number, forward)
    try:
        yield started
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
