"""``--collect``: keeps what is observed, while the command runs and when it has ended."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.confirm.journals import read_journals, read_troubles
from jaxlint.confirm.launchers import Launched
from jaxlint.confirm.program.commit import commit_of
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.ran import Ending
from jaxlint.confirm.program.run_file import (
    RunFile,
    files_of,
    inside,
    name_for,
    places_of,
    write_run,
)
from jaxlint.project import top_of_project

_SOON, _EVERY = 2.0, 20.0
"""Seconds after which what has been observed is written again, the first time and later: jobs are
killed without warning."""

_SHARE = 20
"""Writing takes at most one part in so many of the time."""


class CannotKeep(Exception):
    """Nothing can be kept; the text says why."""


def root_of_the_project() -> Path:
    """What paths in kept runs are relative to: the project around the current folder, or that."""
    here = Path.cwd().resolve()
    return (top_of_project(here) or here).resolve()


@dataclass
class Keeper:
    """Keeps the runs of a command, each in a file of its own.

    Args:
        folder: where the files go; made when it is not there.
        command: program and arguments.
        members: for each run its journals, and what its launcher says.
    """

    folder: Path
    command: list[str]
    linted: Linted
    members: Sequence[tuple[Path, Launched | None]]
    written: list[Path] = field(default_factory=list)
    problem: str = ""

    def begin(self) -> None:
        """Write what there is, and from now on every few seconds what has come.

        Raises:
            CannotKeep: the folder cannot be written to, or a linted file is of another project.
        """
        self._root = root = root_of_the_project()
        outside = [path for path in self.linted.files if not inside(path, root)]
        if outside:
            raise CannotKeep(
                f"{outside[0]} lies outside of the project around the current folder, {root}: "
                "elsewhere it could not be found again"
            )
        self._files = list(files_of(self.linted, root))
        self._places = places_of(self.linted, root)
        self._commit = commit_of(Path.cwd())
        self._began, self._start = time.time(), time.perf_counter()
        self._over = threading.Event()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for journals, own in self.members:
                self.written.append(self.folder / name_for(own.number if own else None))
                self._write(len(self.written) - 1, journals, own, None)
        except OSError as error:
            raise CannotKeep(f"cannot write to {self.folder}: {error.strerror}") from error
        self._thread = threading.Thread(target=self._keep_on, daemon=True)
        self._thread.start()

    def finish(self, endings: Sequence[Ending]) -> None:
        """Write all of it, with how each run ended; what goes wrong is in :attr:`problem`."""
        self._over.set()
        self._thread.join()
        try:
            for number, ((journals, own), ending) in enumerate(
                zip(self.members, endings, strict=True)
            ):
                self._write(number, journals, own, ending)
        except OSError as error:
            self.problem = f"cannot write to {self.folder}: {error.strerror}"

    def _keep_on(self) -> None:
        pause, before = _SOON, self._sizes()
        while not self._over.wait(pause):
            began, now = time.perf_counter(), self._sizes()
            if now != before:
                before = now
                with suppress(OSError):  # The last time tells.
                    for number, (journals, own) in enumerate(self.members):
                        self._write(number, journals, own, None)
            pause = max(min(2 * pause, _EVERY), _SHARE * (time.perf_counter() - began))

    def _sizes(self) -> int:
        with suppress(OSError):
            return sum(
                each.stat().st_size for folder, _ in self.members for each in folder.glob("*.jsonl")
            )
        return -1

    def _write(
        self, number: int, journals: Path, own: Launched | None, ending: Ending | None
    ) -> None:
        run = RunFile(
            host=socket.gethostname(),
            pid=os.getpid(),
            launched=own.number if own else None,
            of=own.of if own else 0,
            cluster=own.cluster if own else "",
            command=self.command,
            code=ending.code if ending else None,
            said=ending.said if ending else "",
            seconds=ending.seconds if ending else time.perf_counter() - self._start,
            began=self._began,
            commit=self._commit,
            files=self._files,
            watches=self._places,
            journals=[list(each) for each in read_journals(journals)],
            troubles=read_troubles(journals),
        )
        write_run(self.written[number], run)
