"""``jaxlint report``: the runs that were kept in some folders, as one."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxlint.confirm.journals import Record, observation_of_all
from jaxlint.confirm.observation import Observation
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.ran import Ending, Member, Ran
from jaxlint.confirm.program.run_file import (
    SUFFIX,
    NotARun,
    RunFile,
    hash_of,
    places_of,
    read_run,
)
from jaxlint.confirm.program.words import count
from jaxlint.confirm.record_forms import NotHere, Numbering, checked
from jaxlint.source import SourceError, read_source

_MOST_RUNS = 10_000
NOT_ENDED = "had not ended when this was written"


class CannotJoin(Exception):
    """The runs cannot be joined; the text says why."""


def runs_in(folder: Path) -> list[Path]:
    """The files of runs in a folder, and in the folders in it, in order.

    Raises:
        CannotJoin: it cannot be looked into, or there are too many.
    """
    if folder.is_file():
        return [folder] if folder.name.endswith(SUFFIX) else []
    try:
        inside = sorted(os.scandir(folder), key=lambda each: each.name)
        found = list(_runs_among(inside))
        for each in inside:
            if each.is_dir(follow_symlinks=False):
                found += _runs_among(sorted(os.scandir(each), key=lambda each: each.name))
    except OSError as error:
        raise CannotJoin(f"cannot look into {folder}: {error.strerror}") from error
    if len(found) > _MOST_RUNS:
        raise CannotJoin(f"{folder} holds {len(found)} runs; at most {_MOST_RUNS} are joined")
    return found


def _runs_among(entries: Iterable[os.DirEntry[str]]) -> Iterator[Path]:
    for each in entries:
        # What is being written begins with a dot.
        if each.name.endswith(SUFFIX) and not each.name.startswith("."):
            yield Path(each.path)


@dataclass
class Joining:
    """Runs that are to be joined.

    Args:
        root: of the project, here.
        runs: where each was read, and what it says.
    """

    root: Path
    runs: list[tuple[Path, RunFile]] = field(default_factory=list)

    @classmethod
    def of(cls, paths: Sequence[Path], roots: Sequence[Path]) -> Joining:
        """Read the runs.

        Args:
            roots: where the project may be; the first that has the files of the runs is taken.

        Raises:
            CannotJoin: a file is no run.
        """
        runs = []
        for path in paths:
            try:
                runs.append((path, read_run(path)))
            except NotARun as error:
                raise CannotJoin(f"{path} {error}") from error
        names = {each[0] for _, run in runs for each in run.files if each is not None and each[2]}
        there = [sum((root / name).is_file() for name in names) for root in roots]
        return cls(roots[there.index(max(there))], runs)

    @property
    def linted(self) -> list[Path]:
        """The files that were linted where the runs were made.

        Raises:
            CannotJoin: one of them is not here.
        """
        found: dict[Path, None] = {}
        for path, run in self.runs:
            for each in run.files:
                if each is not None and each[2]:
                    file = self.root / each[0]
                    if not file.is_file():
                        raise CannotJoin(
                            f"{each[0]}, which was linted for {path}, is not in {self.root}: run "
                            "jaxlint report in the project, or say where it is with --root"
                        )
                    found[file] = None
        return list(found)

    def join(self, linted: Linted) -> Ran:
        """All runs as one, in the numbers of a watch list of here.

        Args:
            linted: what is found in the files now.

        Raises:
            CannotJoin: a file is another one than that which ran.
        """
        here = _Here(self.root, linted)
        journals = [here.journals_of(path, run) for path, run in self.runs]
        paths = linted.watchlist.paths
        members = []
        for (_, run), own in zip(self.runs, journals, strict=True):
            observation = observation_of_all([own.records], paths)
            observation.strange += own.strange
            observation.troubles += run.troubles
            members.append(_member(run, observation, own.unwatched))
        together = observation_of_all([own.records for own in journals], paths)
        together.strange += sum(own.strange for own in journals)
        together.troubles += [one for _, run in self.runs for one in run.troubles]
        order = sorted(range(len(members)), key=lambda n: _place_of(members[n]))
        return Ran(_numbered([members[n] for n in order]), together, self._ending())

    def _ending(self) -> Ending:
        runs = [run for _, run in self.runs]
        commands = list(dict.fromkeys(shlex.join(run.command) for run in runs))
        first = next(run.command for run in runs)
        command = first if len(commands) == 1 else [*first, "..."]
        code = next((run.code for run in runs if run.code), 0)
        seconds = max(run.seconds for run in runs)
        return Ending(command, code, "", seconds, min(run.began for run in runs))

    def remarks(self) -> Iterator[str]:
        """What the user must know of what was joined, a line each."""
        runs = [run for _, run in self.runs]
        hosts = {run.host for run in runs}
        commands = Counter(shlex.join(run.command) for run in runs)
        some = f", of {len(commands)} commands" if len(commands) > 1 else ""
        yield f"joined from {count(len(runs), 'run')}{some} on {count(len(hosts), 'host')}"
        unfinished = sum(run.code is None for run in runs)
        if unfinished:
            yield f"{unfinished} of them {NOT_ENDED}: their counts may be too low"
        commits = sorted({run.commit for run in runs if run.commit})
        if len(commits) > 1:
            yield f"they ran from different commits, {', '.join(commits[:4])}, of the same files"
        for said, number in Counter(run.said for run in runs if run.said).items():
            yield f"{count(number, 'run')}: {said}"

    @property
    def commit(self) -> str:
        """Of the project that ran."""
        return next((run.commit for _, run in self.runs if run.commit), "")


@dataclass
class _Own:
    """The journals of a run in the numbers of here.

    Attributes:
        unwatched: numbers of findings that the run did not look for.
        strange: records that the observer did not write.
    """

    records: list[list[Record]]
    unwatched: frozenset[int]
    strange: int = 0


class _Here:
    """The project as it is here."""

    def __init__(self, root: Path, linted: Linted) -> None:
        self._root = root
        self._linted = linted
        self._files = {path: n for n, path in enumerate(linted.watchlist.paths)}
        self._watches = {place: n for n, place in enumerate(places_of(linted, root))}
        self._hashes: dict[str, str] = {}

    def journals_of(self, path: Path, run: RunFile) -> _Own:
        files = [self._number_of(each[0]) if each is not None else None for each in run.files]
        numbers = {
            there: self._watches[place]
            for there, place in enumerate(run.watches)
            if place in self._watches
        }
        numbering = Numbering(files, numbers)
        own = _Own([], frozenset(self._watches.values()) - frozenset(numbers.values()))
        loaded: set[int] = set()
        for records in run.journals:
            own.records.append([])
            for each in records:
                loaded |= _loaded(each)
                try:
                    own.records[-1].append(checked(each, numbering))
                except NotHere:
                    continue
                except ValueError:
                    own.strange += 1
        self._check(path, run, loaded)
        return own

    def _number_of(self, name: str) -> int | None:
        return self._files.get(os.path.realpath(self._root / name))

    def _check(self, path: Path, run: RunFile, loaded: set[int]) -> None:
        """Are the files that ran, or were linted there, the same here?"""
        for number, each in enumerate(run.files):
            if each is None or not (each[2] or number in loaded):
                continue
            name, digest, _ = each
            file = os.path.realpath(self._root / name)
            if not Path(file).is_relative_to(self._root):
                raise CannotJoin(f"{path} is no run: {name} leads out of the project")
            if self._hash(file) != digest:
                ran = f", or check out {run.commit.split()[0]}" if run.commit else ""
                raise CannotJoin(
                    f"{name} has changed since {path.name} was written on {run.host}: run it again"
                    f"{ran}"
                )

    def _hash(self, file: str) -> str:
        """Of a source; empty when there is none."""
        if file not in self._hashes:
            text = self._linted.texts.get(file, self._linted.beside.get(file))
            if text is None:
                try:
                    text = read_source(Path(file)).text
                except SourceError:
                    return ""
            self._hashes[file] = hash_of(text)
        return self._hashes[file]


def _loaded(record: Record) -> set[int]:
    """The number of the file that a record says was run."""
    key = record.get("of") if isinstance(record, dict) else None
    if isinstance(key, list) and len(key) == 2 and key[0] == "file" and type(key[1]) is int:
        return {key[1]}
    return set()


def _member(run: RunFile, observation: Observation, unwatched: frozenset[int]) -> Member:
    ending = Ending(run.command, run.code or 0, run.said, run.seconds, run.began)
    return Member(
        ending, observation, run.launched, run.of, run.host, run.cluster, unwatched,
        run.code is not None,
    )  # fmt: skip


def _place_of(member: Member) -> tuple[str, int, float]:
    return member.cluster, -1 if member.number is None else member.number, member.ending.began


def _numbered(members: Sequence[Member]) -> list[Member]:
    """Members of which nothing says which ran together: those whose number comes again are of the
    next cluster."""
    found = []
    clusters: dict[str, Counter[int]] = {}
    for each in members:
        if each.number is not None:
            times = clusters.setdefault(each.cluster, Counter())
            times[each.number] += 1
            if times[each.number] > 1:
                each = replace(each, cluster=f"{each.cluster} ({times[each.number]})")
        found.append(each)
    return found
