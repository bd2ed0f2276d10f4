"""Runs the user's command under the observer, and reads what it wrote."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jaxlint.confirm import observer
from jaxlint.confirm.observation import Observation, read_journals
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.signals import given_to
from jaxlint.reading import read_ordinary

NOT_FOUND, NOT_EXECUTABLE, BY_SIGNAL = 127, 126, 128
"""Ending codes for commands that did not run or were killed, as shells give them."""

_TROUBLE_FILE = "trouble.txt"


class CannotObserve(Exception):
    """The command was not run; the text says why."""


@dataclass(slots=True)
class Ending:
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


def observe(
    command: list[str],
    linted: Linted,
    platform: str = "",
    environment: Mapping[str, str] = os.environ,
    folder: Path | None = None,
) -> tuple[Ending, Observation]:
    """Run a command with the observer in its Python processes.

    Its standard streams are those of this process, untouched. The folder of the
    run is its own: runs beside each other do not mix.

    Args:
        command: program and arguments.
        linted: the findings to look at.
        platform: value for ``JAX_PLATFORMS``; as it is when empty.
        environment: what the command finds in its environment, besides the observer.
        folder: where it is run; here when None.

    Raises:
        CannotObserve: the folder of the run cannot be written; nothing was run.
    """
    journals = _folder_of_the_run(linted)
    try:
        ending = _run(command, _environment(environment, journals, platform), folder)
        observation = read_journals(journals, linted.watchlist.paths)
        with suppress(OSError):
            troubles = read_ordinary(journals / _TROUBLE_FILE).decode("utf-8", "replace")
            observation.troubles += troubles.splitlines()
        return ending, observation
    finally:
        shutil.rmtree(journals, ignore_errors=True)


def _folder_of_the_run(linted: Linted) -> Path:
    try:
        folder = Path(tempfile.mkdtemp(prefix="jaxlint-"))
        linted.watchlist.write(str(folder))
    except OSError as error:
        raise CannotObserve(f"no folder for what is observed: {error.strerror}") from error
    return folder


def _environment(given: Mapping[str, str], journals: Path, platform: str) -> dict[str, str]:
    environment = dict(given)
    bootstrap = str(Path(observer.__file__).parent / "bootstrap")
    path = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join([bootstrap, path] if path else [bootstrap])
    environment[observer.RUN_VARIABLE] = str(journals)
    if platform:
        environment["JAX_PLATFORMS"] = platform
    return environment


def _run(command: list[str], environment: dict[str, str], folder: Path | None) -> Ending:
    start = time.perf_counter()
    started: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
    try:
        with given_to(started):
            # What the command is to inherit, this process has inherited: its own files are not.
            process = subprocess.Popen(command, env=environment, cwd=folder, close_fds=False)
            started.put(process)
            code = process.wait()
    except FileNotFoundError:
        # A script whose interpreter is missing gives the same error.
        what = "its interpreter was not found" if os.path.exists(command[0]) else "not found"
        return Ending(command, NOT_FOUND, f"cannot run {command[0]!r}: {what}", 0.0)
    except OSError as error:
        said = f"cannot run {command[0]!r}: {error.strerror}"
        return Ending(command, NOT_EXECUTABLE, said, 0.0)
    seconds = time.perf_counter() - start
    if code < 0:
        said = f"the command was killed by {_signal_name(-code)}"
        return Ending(command, BY_SIGNAL - code, said, seconds)
    return Ending(command, code, "", seconds)


def _signal_name(number: int) -> str:
    """A signal in words; those between the named ones have numbers alone."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
