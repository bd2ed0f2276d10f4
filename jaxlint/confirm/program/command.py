"""Runs the user's command under the observer, and reads what it wrote."""

from __future__ import annotations

import os
import queue
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from jaxlint.confirm import observer
from jaxlint.confirm.cluster import free_port, member
from jaxlint.confirm.journals import observation_of_all, read_journals, read_troubles
from jaxlint.confirm.launchers import Launched, launched
from jaxlint.confirm.observer.membership import MEMBER_VARIABLE
from jaxlint.confirm.program.asked import Asked
from jaxlint.confirm.program.keeping import CannotKeep, Keeper
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.ran import Ending, Member, Ran
from jaxlint.confirm.program.signals import given_to
from jaxlint.confirm.program.starting import cannot_start, ended
from jaxlint.confirm.program.together import Together


class CannotObserve(Exception):
    """The command was not run; the text says why."""


def observe(
    asked: Asked,
    linted: Linted,
    environment: Mapping[str, str] = os.environ,
    command: Sequence[str] = (),
    folder: Path | None = None,
) -> Ran:
    """Run a command with the observer in its Python processes.

    Alone, its standard streams are those of this process, untouched; of several processes each
    line is written with the number of its process. The folder of the run is its own: runs beside
    each other do not mix.

    Args:
        asked: the command, and how it is run.
        linted: the findings to look at.
        environment: what the command finds in its environment, besides the observer.
        command: in place of the one that was asked for.
        folder: where it is run; here when None.

    Raises:
        CannotObserve: the folder of the run cannot be written; nothing was run.
    """
    command = list(command or asked.command)
    try:
        top = Path(tempfile.mkdtemp(prefix="jaxlint-"))
    except OSError as error:
        raise CannotObserve(f"no folder for what is observed: {error.strerror}") from error
    try:
        return _run_all(command, asked, linted, environment, folder, top)
    except CannotKeep as error:
        raise CannotObserve(str(error)) from error
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _run_all(
    command: list[str], asked: Asked, linted: Linted, environment: Mapping[str, str],
    folder: Path | None, top: Path,
) -> Ran:  # fmt: skip
    members = _members(asked, environment)
    folders = _folders(top, len(members), linted)
    environments = [_environment(environment, each, asked.platform) for each in folders]
    keeper = None
    if asked.collect is not None:
        keeper = Keeper(asked.collect, command, linted, list(zip(folders, members, strict=True)))
        keeper.begin()
    if asked.processes:
        _make_cluster(environments)
        endings, ending = Together(command, environments, folders, asked.patience, folder).run()
    else:
        if members[0] is not None or keeper is not None:
            environments[0][MEMBER_VARIABLE] = str(members[0].number if members[0] else 0)
        ending = _run(command, environments[0], folder)
        endings = [ending]
    if keeper is not None:
        keeper.finish(endings)
    found = list(map(partial(_member, linted), endings, folders, members))
    together = found[0].observation
    if len(found) > 1:
        journals = [read_journals(each) for each in folders]
        together = observation_of_all(journals, linted.watchlist.paths)
    kept = (keeper.written, keeper.problem) if keeper is not None else ([], "")
    return Ran(found, together, ending, *kept)


def _members(asked: Asked, environment: Mapping[str, str]) -> list[Launched | None]:
    """What is known of each run of the command before it begins."""
    if not asked.processes:
        return [launched(environment)]
    cluster = f"jaxlint {socket.gethostname()} {os.getpid()} {time.time():.3f}"
    return [Launched(number, asked.processes, cluster) for number in range(asked.processes)]


def _folders(top: Path, count: int, linted: Linted) -> list[Path]:
    """A folder for each run of the command, and in each the watch list."""
    found = [top / str(number) for number in range(count)]
    try:
        for each in found:
            each.mkdir()
            linted.watchlist.write(str(each))
    except OSError as error:
        raise CannotObserve(f"no folder for what is observed: {error.strerror}") from error
    return found


def _make_cluster(environments: list[dict[str, str]]) -> None:
    port = free_port()
    for number, each in enumerate(environments):
        for name in [*each]:
            # This may be a process of a launcher itself: those that are started here are not.
            if name.startswith(("SLURM_", "OMPI_", "PMI_", "PMIX_")):
                del each[name]
        each |= {**member(number, len(environments), port), MEMBER_VARIABLE: str(number)}
        # What a process has said must not be lost when it is ended.
        each.setdefault("PYTHONUNBUFFERED", "1")


def _member(linted: Linted, ending: Ending, journals: Path, own: Launched | None) -> Member:
    observation = observation_of_all([read_journals(journals)], linted.watchlist.paths)
    observation.gone = not journals.is_dir()
    observation.troubles += read_troubles(journals)
    if own is None:
        return Member(ending, observation)
    return Member(ending, observation, own.number, own.of, cluster=own.cluster)


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
    began, start = time.time(), time.perf_counter()
    started: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
    try:
        with given_to(started):
            # What the command is to inherit, this process has inherited: its own files are not.
            process = subprocess.Popen(command, env=environment, cwd=folder, close_fds=False)
            started.put(process)
            code = process.wait()
    except OSError as error:
        return cannot_start(command, error)
    return ended(command, code, time.perf_counter() - start, began)
