"""What the journals of all processes say together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxlint.events import Event, Kind, Place, Site


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
    def repeats_with_new_function(self) -> bool:
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


@dataclass(slots=True)
class Seen:
    """What was seen at the place of one finding.

    Attributes:
        hits: (traced, state of the values) -> how often the line began. States:
            ``tracer``, ``array``, ``other``, ``unknown``.
        raised: (own, exception and its bases, message) -> count; ``own``: raised by
            the line itself and not by a function of the user's that it called.
        changes: (kind of change, a tracer got in, seen through an outer name) -> count.
        stale: (name, value while tracing, value at the end).
        unready: how often an array was still being computed when the line began.
        same, rebound: how often the names were bound to the same objects after the line,
            and to others.
        unrolled: calls in which the line ran many times while JAX was tracing.
    """

    hits: Counter[tuple[bool, str]] = field(default_factory=Counter)
    raised: Counter[tuple[bool, tuple[str, ...], str]] = field(default_factory=Counter)
    changes: Counter[tuple[str, bool, bool]] = field(default_factory=Counter)
    stale: set[tuple[str, str, str]] = field(default_factory=set)
    unready: int = 0
    same: int = 0
    rebound: int = 0
    unrolled: int = 0

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
        events: what JAX minded, as events with places; ``detail["count"]`` says how
            often, ``detail["file"]`` where, ``detail["direct"]`` whether the user's own
            line did it or a library that it called; ``other_file`` and ``other_line`` a
            second place: of the first use of a key, of the definition of a function;
            ``through`` the lines of linted files between the place and JAX; ``callers``
            the files that alone are to blame.
        wraps: (place, same function again, name) -> calls of ``jax.jit``.
        keys: the uses of PRNG keys.
        reads: place -> waits of the host for a value.
        loaded: linted files that were run at all.
        copies: linted file -> a file that looks like it and was run instead.
        elsewhere: traces and compilations without any linted line on the stack.
        unwritten: processes that could not even write down who they are.
    """

    processes: list[Process] = field(default_factory=list)
    seen: dict[int, Seen] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    wraps: Counter[tuple[At, bool, str]] = field(default_factory=Counter)
    keys: list[KeyUse] = field(default_factory=list)
    reads: Counter[At] = field(default_factory=Counter)
    loaded: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)
    elsewhere: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)
    unwritten: int = 0

    def of(self, number: int) -> Seen:
        """What was seen at a finding."""
        return self.seen.setdefault(number, Seen())


def read_journals(folder: Path, files: list[str]) -> Observation:
    """Read what all processes of a run wrote.

    Args:
        folder: the run's.
        files: the linted files, in the order of the watch list.
    """
    reader = _Reader(files)
    for path in sorted(folder.glob("*.jsonl")):
        reader.read(path)
    return reader.finish()


class _Reader:
    def __init__(self, files: list[str]) -> None:
        self._files = files
        self._found = Observation()
        self._totals: Counter[tuple[Any, ...]] = Counter()

    def read(self, path: Path) -> None:
        """One process: of its counts the highest holds."""
        highest: dict[tuple[Any, ...], int] = {}
        process = None
        for record in _records(path):
            what = record["is"]
            if what == "process":
                process = self._process(record)
            elif what == "count":
                key = _as_key(record["of"])
                highest[key] = max(highest.get(key, 0), record["n"])
            elif what == "trouble":
                self._found.troubles.append(record["text"])
            elif what in ("trace", "lowering", "compilation"):
                self._found.work.append(self._work(record))
            elif process is not None:
                _tell(process, record)
        self._totals.update(highest)
        self._found.unwritten += process is None

    def _process(self, record: dict[str, Any]) -> Process:
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

    def _work(self, record: dict[str, Any]) -> Work:
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
        for (what, *key), count in self._totals.items():
            getattr(self, f"_add_{what}")(count, *key)
        return self._found

    def _add_hit(self, count: int, number: int, traced: bool, state: str) -> None:
        self._found.of(number).hits[traced, state] += count

    def _add_raise(self, count: int, number: int, own: bool, names: str, message: str) -> None:
        self._found.of(number).raised[own, tuple(names.split(",")), message] += count

    def _add_change(self, count: int, number: int, kind: str, leaks: bool, outer: bool) -> None:
        self._found.of(number).changes[kind, leaks, outer] += count

    def _add_stale(self, count: int, number: int, name: str, was: str, now: str) -> None:
        self._found.of(number).stale.add((name, was, now))

    def _add_unready(self, count: int, number: int) -> None:
        self._found.of(number).unready += count

    def _add_same(self, count: int, number: int) -> None:
        self._found.of(number).same += count

    def _add_rebound(self, count: int, number: int) -> None:
        self._found.of(number).rebound += count

    def _add_unrolled(self, count: int, number: int) -> None:
        self._found.of(number).unrolled += count

    def _add_event(
        self, count: int, kind: str, file: int, line: int, construct: str, direct: bool,
        other: tuple[int, ...] | None,
    ) -> None:  # fmt: skip
        detail: dict[str, Any] = {"file": self._files[file], "count": count, "direct": direct}
        if other is not None:
            detail |= {"other_file": self._files[other[0]], "other_line": other[1]}
        site = Site(None, Place(line, 0, line, 0))
        self._found.events.append(Event(Kind(kind), site, construct, detail=detail))

    def _add_leak(self, count: int, file: int, name: str, line: int) -> None:
        detail = {"file": self._files[file], "count": count, "direct": True}
        site = Site(None, Place(max(line, 1), 0, max(line, 1), 0))
        self._found.events.append(Event(Kind.KEPT_TRACER, site, name, detail=detail))

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
        if use == "again":
            file, line, scope = owner
            self._add_event(count, Kind.KEY_REUSE.value, file, line, function, direct, before)
            detail = self._found.events[-1].detail
            detail["through"] = [[at.file, at.line] for at in stack]
            if before is None or before[2] != scope or before[:2] == (file, line):
                # Not one call of one function: whoever calls it hands the key in again.
                detail["callers"] = [stack[-1].file]

    def _add_read(self, count: int, file: int, line: int) -> None:
        self._found.reads[self._at([file, line])] += count

    def _add_file(self, count: int, file: int) -> None:
        self._found.loaded.add(self._files[file])

    def _add_copy(self, count: int, file: int, path: str) -> None:
        self._found.copies[self._files[file]] = path

    def _add_elsewhere(self, count: int, what: str) -> None:
        self._found.elsewhere[what] += count


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", errors="replace") as stream:
        for line in stream:
            try:
                yield json.loads(line)
            except ValueError:
                # The last line of a process that was killed while writing it.
                continue


def _as_key(value: Any) -> Any:
    return tuple(map(_as_key, value)) if isinstance(value, list) else value


def _tell(process: Process, record: dict[str, Any]) -> None:
    if record["is"] == "jax":
        process.jax, process.engine = record["version"], record["engine"]
    elif record["is"] == "blind":
        process.blind = record["text"]
    elif record["is"] == "end":
        process.ended = True
