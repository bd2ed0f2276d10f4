"""Journals, which the observer writes in each process, read as what they say together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint.confirm.event_kinds import KEPT_TRACER, KEY_REUSE
from jaxlint.confirm.observation import (
    At,
    Change,
    KeyUse,
    Led,
    Observation,
    Occurrence,
    Process,
    Wait,
    Work,
)
from jaxlint.reading import read_ordinary

_TROUBLE_FILE = "trouble.txt"
_LONGEST = 1_000_000
"""Characters of a line; the observer writes none as long."""

Record = dict[str, Any]
"""One line of a journal."""


def observation_of(journals: Iterable[Iterable[Record]], files: list[str]) -> Observation:
    """What the journals of a run say.

    Args:
        journals: the records of each.
        files: the watched files, in the order of the watch list.
    """
    return observation_of_all([journals], files)


def observation_of_all(runs: Iterable[Iterable[Iterable[Record]]], files: list[str]) -> Observation:
    """What the journals of several runs say together.

    Args:
        runs: the journals of each, as records.
        files: the watched files, which all of them number alike.
    """
    reader = _Reader(files)
    for number, journals in enumerate(runs):
        for records in journals:
            reader.read(records, number)
    return reader.finish()


def read_journals(folder: Path) -> list[Journal]:
    """What the processes of a run wrote."""
    return [Journal(path) for path in sorted(folder.glob("*.jsonl")) if path.is_file()]


def read_troubles(folder: Path) -> list[str]:
    """What kept the observer from being loaded, a line each."""
    with suppress(OSError):
        return read_ordinary(folder / _TROUBLE_FILE).decode("utf-8", "replace").splitlines()
    return []


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a process, read anew whenever its records are asked for."""

    path: Path

    def __iter__(self) -> Iterator[Record]:
        with suppress(OSError), self.path.open(encoding="utf-8", errors="replace") as stream:
            while line := stream.readline(_LONGEST):
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    # The last line of a process that was killed while writing it.
                    continue


class _Reader:
    def __init__(self, files: list[str]) -> None:
        self._files = files
        self._found = Observation()
        self._totals: Counter[tuple[Any, ...]] = Counter()

    def read(self, records: Iterable[Record], member: int = 0) -> None:
        """One journal: of its counts the highest holds."""
        highest: dict[tuple[Any, ...], int] = {}
        process = None
        for record in records:
            try:
                process = self._take(record, member, process, highest)
            except _NOT_OURS:
                self._found.strange += 1
        self._totals.update(highest)
        self._found.unwritten += process is None

    def _take(
        self, record: Record, member: int, process: Process | None,
        highest: dict[tuple[Any, ...], int],
    ) -> Process | None:  # fmt: skip
        """One record; returns the process that it and the next ones are about."""
        what = record["is"]
        if what == "process":
            return self._process(record, member)
        if what == "count":
            key = _as_key(record["of"])
            highest[key] = max(highest.get(key, 0), record["n"])
            if process is not None:
                process.counted = True
        elif what == "trouble":
            self._found.troubles.append(record["text"])
        elif what in ("trace", "lowering", "compilation"):
            self._found.work.append(self._work(record))
        elif what == "waits" and process is not None:
            stack = tuple(map(self._at, record["stack"]))
            wait = Wait(record["number"], stack, record["outside"], record["in_jax"])
            process.waits.append(wait)
        elif process is not None:
            _tell(process, record)
        return process

    def _process(self, record: Record, member: int) -> Process:
        """A process that closed its files, or became another program, begins a second journal."""
        for known in self._found.processes:
            if (known.member, known.pid) == (member, record["pid"]):
                return known
        process = Process(record["pid"], record["argv"], record["python"], member=member)
        self._found.processes.append(process)
        return process

    def _at(self, place: list[int] | tuple[int, ...]) -> At:
        file, line, *scope = place
        return At(self._files[file], line, scope[0] if scope else 0)

    def _work(self, record: Record) -> Work:
        own = record["file"] >= 0
        made = record["made"]
        return Work(
            record["is"],
            record["name"],
            self._at([record["file"], record["line"]]) if own else None,
            record["path"],
            self._at(made) if made is not None else None,
            [self._at(place) for place in record["stack"]],
            record["seconds"],
            [(kind, text) for kind, text in record.get("why", ())],
            [(name, what) for name, what in record.get("given", ())],
        )

    def finish(self) -> Observation:
        """Sum up the counts of all processes."""
        for counted, count in self._totals.items():
            try:
                what, *key = counted
                getattr(self, f"_add_{what}")(count, *key)
            except _NOT_OURS:
                self._found.strange += 1
        return self._found

    def _add_hit(self, count: int, number: int, traced: bool, state: str) -> None:
        self._found.of(number).hits[traced, state] += count

    def _add_raise(self, count: int, number: int, own: bool, names: str, message: str) -> None:
        self._found.of(number).raised[own, tuple(names.split(",")), message] += count

    def _add_refused(self, count: int, number: int, names: str, message: str) -> None:
        self._found.of(number).refused[tuple(names.split(",")), message] += count

    def _add_led(
        self, count: int, number: int, how: str, test: str, places: tuple[tuple[int, ...], ...]
    ) -> None:
        self._found.of(number).led.setdefault(how, Led(test, tuple(map(self._at, places))))

    def _add_said(self, count: int, number: int, name: str, text: str) -> None:
        self._found.of(number).said.setdefault(name, text)

    def _add_change(self, count: int, number: int, *change: Any) -> None:
        self._found.of(number).changes[Change(*change)] += count

    def _add_stale(self, count: int, number: int, name: str, was: str, now: str) -> None:
        self._found.of(number).stale.add((name, was, now))

    def _add_unready(self, count: int, number: int) -> None:
        self._found.of(number).unready += count

    def _add_same(self, count: int, number: int) -> None:
        self._found.of(number).same += count

    def _add_rebound(self, count: int, number: int) -> None:
        self._found.of(number).rebound += count

    def _add_gradient(self, count: int, number: int, shown: str) -> None:
        self._found.of(number).gradients[shown] += count

    def _add_state(self, count: int, number: int, same: bool) -> None:
        self._found.of(number).states[same] += count

    def _add_copied(self, count: int, number: int, changed: bool) -> None:
        self._found.of(number).copied[changed] += count

    def _add_unrolled(self, count: int, number: int) -> None:
        self._found.of(number).unrolled += count

    def _add_started(self, count: int, number: int) -> None:
        self._found.of(number).started += count

    def _add_event(
        self, count: int, kind: str, file: int, line: int, construct: str, direct: bool,
        other: tuple[int, ...] | None,
    ) -> None:  # fmt: skip
        second = self._at(other) if other is not None else None
        found = Occurrence(kind, self._at([file, line]), construct, count, direct, second)
        self._found.occurrences.append(found)

    def _add_leak(self, count: int, file: int, name: str, line: int) -> None:
        at = self._at([file, max(line, 1)])
        self._found.occurrences.append(Occurrence(KEPT_TRACER, at, name, count))

    def _add_wrap(self, count: int, file: int, line: int, again: str, name: str) -> None:
        self._found.wraps[self._at([file, line]), again == "again", name] += count

    def _add_key(
        self, count: int, use: str, places: tuple[tuple[int, ...], ...],
        before: tuple[int, ...] | None, function: str, owner: tuple[int, ...], direct: bool,
        traced: bool,
    ) -> None:  # fmt: skip
        stack = tuple(map(self._at, places))
        first = self._at(before) if before is not None else None
        self._found.keys.append(KeyUse(use, stack, first, traced, count))
        if use != "again":
            return
        # Unless it is one call of one function, whoever calls it hands the key in again.
        in_one_call = before is not None and before[2] == owner[2] and before[:2] != owner[:2]
        callers = () if in_one_call else (stack[-1].file,)
        at = self._at(owner[:2])
        again = Occurrence(KEY_REUSE, at, function, count, direct, first, stack, callers)
        self._found.occurrences.append(again)

    def _add_wait(self, count: int, file: int, line: int) -> None:
        self._found.waits[self._at([file, line])] += count

    def _add_file(self, count: int, file: int) -> None:
        self._found.loaded.add(self._files[file])

    def _add_copy(self, count: int, file: int, path: str) -> None:
        self._found.copies[self._files[file]] = path

    def _add_elsewhere(self, count: int, what: str) -> None:
        self._found.elsewhere[what] += count


_NOT_OURS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What comes of reading a record that somebody else has put into the folder."""


def _as_key(value: Any) -> Any:
    return tuple(map(_as_key, value)) if isinstance(value, list) else value


def _tell(process: Process, record: Record) -> None:
    if record["is"] == "jax":
        process.jax, process.engine = record["version"], record["engine"]
    elif record["is"] == "blind":
        process.blind = record["text"]
    elif record["is"] == "devices":
        process.devices = dict(record["kinds"])
    elif record["is"] == "member":
        process.index, process.of = record["index"], record["of"]
    elif record["is"] == "goes on" and process.waits:
        process.waits[-1].seconds = record["seconds"]
    elif record["is"] == "end":
        process.ended = True
