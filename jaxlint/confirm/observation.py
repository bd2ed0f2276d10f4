"""What the journals of all processes say together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from jaxlint.confirm.event_kinds import KEPT_TRACER, KEY_REUSE

_LONGEST = 1_000_000
"""Characters of a line; the observer writes none as long."""


@dataclass(slots=True)
class Process:
    """One Python process of the run.

    Attributes:
        jax: the release it imported; empty when it never did.
        engine: ``sys.monitoring`` or ``sys.settrace``.
        ended: whether it came to its end; False when it was killed or still runs.
        blind: why its lines could not be seen; empty when they could.
    """

    pid: int
    argv: list[str]
    python: str
    jax: str = ""
    engine: str = ""
    ended: bool = False
    blind: str = ""


@dataclass(frozen=True, slots=True)
class At:
    """A line of a linted file, with the first line of the function it stands in."""

    file: str
    line: int
    scope: int = 0


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Something that JAX minded, once or several times at one place.

    Attributes:
        kind: the id of the kind of event.
        at: where.
        construct: the exception, function or name that it was about.
        count: how often.
        direct: whether the user's own line did it, or a library that it called.
        other: a second place: of the first use of a key, of the definition of a function.
        through: the lines of linted files between the place and JAX.
        callers: the files that alone are to blame; empty when the place itself is.
        reasons: of retraces: kind of reason -> for how many of them it holds.
        example: of retraces: one difference in words.
    """

    kind: str
    at: At
    construct: str
    count: int
    direct: bool = True
    other: At | None = None
    through: tuple[At, ...] = ()
    callers: tuple[str, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    example: str = ""


@dataclass(slots=True)
class Work:
    """One trace, lowering or compilation.

    Attributes:
        what: ``trace``, ``lowering`` or ``compilation``.
        name: the function.
        defined: where, when that is in a linted file.
        library: the file it is defined in, when it is not a linted one.
        wrapped: the line that called ``jax.jit``, if in a linted file.
        stack: lines of linted files that led here, innermost first.
        reasons: (kind, text): why a trace was not in the cache.
    """

    what: str
    name: str
    defined: At | None
    library: str
    wrapped: At | None
    stack: list[At]
    seconds: float
    reasons: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_own(self) -> bool:
        """Whether the user compiled it: the operations of JAX on the same line are not meant."""
        return self.wrapped is not None or self.defined is not None

    @property
    def of_a_new_function(self) -> bool:
        """Whether it is traced again because the function object is another one."""
        return any(kind == "new function object" for kind, _ in self.reasons)


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A PRNG key was consumed.

    Attributes:
        use: ``first``; ``again`` for the same object; ``equal`` for the same value
            in the same function.
        stack: lines of linted files that led here, innermost first.
        before: where it was consumed before, unless this is the first time.
        traced: whether the key was a tracer.
    """

    use: str
    stack: tuple[At, ...]
    before: At | None
    traced: bool
    count: int


class Change(NamedTuple):
    """What a line changed while JAX was tracing.

    Attributes:
        kind: ``mutation``, ``attribute`` or ``rebinding``.
        leaks: a tracer got in.
        outer: what was changed was there before the trace began, as far as one sees.
        own: the line did it itself, and not another watched line that it called.
    """

    kind: str
    leaks: bool
    outer: bool
    own: bool


@dataclass(slots=True)
class Seen:
    """What was seen at the place of one finding.

    Attributes:
        hits: (traced, state of the values) -> how often the line began. States:
            ``tracer``, ``array``, ``other``, ``unknown``.
        raised: (own, exception and its bases, message) -> count; ``own``: raised by
            the line itself and not by a function of the user's that it called.
        changes: change -> in how many runs of the line.
        stale: (name, value while tracing, value at the end).
        unready: how often an array was still being computed when the line began.
        same, rebound: how often the names were bound to the same objects after the line,
            and to others.
        unrolled: calls in which the line ran many times while JAX was tracing.
        started: how often the backend had started when the line began.
        gradients: what gradients showed for which the line ran: ``nan``, ``value`` (the value is
            NaN too), ``finite``, ``unseen`` -> how often.
    """

    hits: Counter[tuple[bool, str]] = field(default_factory=Counter)
    raised: Counter[tuple[bool, tuple[str, ...], str]] = field(default_factory=Counter)
    changes: Counter[Change] = field(default_factory=Counter)
    stale: set[tuple[str, str, str]] = field(default_factory=set)
    unready: int = 0
    same: int = 0
    rebound: int = 0
    unrolled: int = 0
    started: int = 0
    gradients: Counter[str] = field(default_factory=Counter)

    @property
    def ran(self) -> int:
        """How often the line began, traced or not."""
        return sum(self.hits.values())

    @property
    def traced(self) -> int:
        """How often the line began while JAX was tracing."""
        return sum(count for (traced, _), count in self.hits.items() if traced)


@dataclass(slots=True)
class Observation:
    """All that was observed in a run.

    Attributes:
        seen: number of a finding -> what was seen there.
        occurrences: what JAX minded.
        wraps: (place, same function again, name) -> calls of ``jax.jit``.
        keys: the uses of PRNG keys.
        waits: place -> how often the host waited there for a value.
        loaded: linted files that were run at all.
        copies: linted file -> a file that looks like it and was run instead.
        elsewhere: traces and compilations without any linted line on the stack.
        strange: records in the folder of the run that the observer did not write.
        gone: the folder was deleted while the command ran.
        unwritten: processes that could not even write down who they are.
    """

    processes: list[Process] = field(default_factory=list)
    seen: dict[int, Seen] = field(default_factory=dict)
    occurrences: list[Occurrence] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    wraps: Counter[tuple[At, bool, str]] = field(default_factory=Counter)
    keys: list[KeyUse] = field(default_factory=list)
    waits: Counter[At] = field(default_factory=Counter)
    loaded: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)
    elsewhere: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)
    unwritten: int = 0
    strange: int = 0
    gone: bool = False

    def of(self, number: int) -> Seen:
        """What was seen at a finding."""
        return self.seen.setdefault(number, Seen())


Record = dict[str, Any]
"""One line of a journal."""


def observation_of(journals: Iterable[Iterable[Record]], files: list[str]) -> Observation:
    """What the journals of a run say.

    Args:
        journals: the records of each.
        files: the watched files, in the order of the watch list.
    """
    reader = _Reader(files)
    for records in journals:
        reader.read(records)
    return reader.finish()


def read_journals(folder: Path, files: list[str]) -> Observation:
    """Read what all processes of a run wrote.

    Args:
        folder: the run's.
        files: the watched files, in the order of the watch list.
    """
    journals = sorted(path for path in folder.glob("*.jsonl") if path.is_file())
    observation = observation_of(map(_records, journals), files)
    observation.gone = not folder.is_dir()
    return observation


class _Reader:
    def __init__(self, files: list[str]) -> None:
        self._files = files
        self._found = Observation()
        self._totals: Counter[tuple[Any, ...]] = Counter()

    def read(self, records: Iterable[Record]) -> None:
        """One journal: of its counts the highest holds."""
        highest: dict[tuple[Any, ...], int] = {}
        process = None
        for record in records:
            try:
                process = self._take(record, process, highest)
            except _NOT_OURS:
                self._found.strange += 1
        self._totals.update(highest)
        self._found.unwritten += process is None

    def _take(
        self, record: Record, process: Process | None, highest: dict[tuple[Any, ...], int]
    ) -> Process | None:
        """One record; returns the process that it and the next ones are about."""
        what = record["is"]
        if what == "process":
            return self._process(record)
        if what == "count":
            key = _as_key(record["of"])
            highest[key] = max(highest.get(key, 0), record["n"])
        elif what == "trouble":
            self._found.troubles.append(record["text"])
        elif what in ("trace", "lowering", "compilation"):
            self._found.work.append(self._work(record))
        elif process is not None:
            _tell(process, record)
        return process

    def _process(self, record: Record) -> Process:
        """A process that closed its files, or became another program, begins a second journal."""
        for known in self._found.processes:
            if known.pid == record["pid"]:
                return known
        process = Process(record["pid"], record["argv"], record["python"])
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


def _records(path: Path) -> Iterator[Record]:
    with suppress(OSError), path.open(encoding="utf-8", errors="replace") as stream:
        while line := stream.readline(_LONGEST):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                # The last line of a process that was killed while writing it.
                continue


def _as_key(value: Any) -> Any:
    return tuple(map(_as_key, value)) if isinstance(value, list) else value


def _tell(process: Process, record: Record) -> None:
    if record["is"] == "jax":
        process.jax, process.engine = record["version"], record["engine"]
    elif record["is"] == "blind":
        process.blind = record["text"]
    elif record["is"] == "end":
        process.ended = True
