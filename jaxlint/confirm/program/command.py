"""Runs the user's command under the observer, and reads what it wrote."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jaxlint.confirm import observer
from jaxlint.confirm.observation import Observation, read_journals
from jaxlint.confirm.program.linted import Linted

NOT_FOUND, NOT_EXECUTABLE, BY_SIGNAL = 127, 126, 128
"""Ending codes for commands that did not run or were killed, as shells give them."""

_TROUBLE_FILE = "trouble.txt"
_FORWARDED = ("SIGTERM", "SIGHUP")


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


def observe(command: list[str], linted: Linted, platform: str = "") -> tuple[Ending, Observation]:
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
        linted.watchlist.write(str(folder))
        ending = _run(command, _environment(folder, platform))
        observation = read_journals(folder, linted.watchlist.paths)
        trouble = folder / _TROUBLE_FILE
        if trouble.exists():
            observation.troubles += trouble.read_text("utf-8").splitlines()
        return ending, observation
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


def _run(command: list[str], environment: dict[str, str]) -> Ending:
    start = time.perf_counter()
    try:
        with _signals_go_to_it() as started:
            process = subprocess.Popen(command, env=environment)
            started.append(process)
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
        name = signal.Signals(-code).name
        return Ending(command, BY_SIGNAL - code, f"the command was killed by {name}", seconds)
    return Ending(command, code, "", seconds)


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
