"""What was observed in a run: processes, lines of findings, traces, keys, waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(slots=True)
class Process:
    """One Python process of the run.

    Attributes:
        jax: the release it imported; empty when it never did.
        engine: ``sys.monitoring`` or ``sys.settrace``.
        ended: whether it came to its end; False when it was killed or still runs.
        counted: whether anything was counted in it; nothing is in a process that only waits.
        blind: why its lines could not be seen; empty when they could.
        devices: what JAX computed on, and how many of each; empty when nothing was computed.
        member: of several commands that ran together, the number of the one that it belongs to.
        index: its number in the cluster of ``jax.distributed``; None outside of one.
        of: how many processes that cluster has.
        waits: where its main thread stood still, in the order in which it did.
    """

    pid: int
    argv: list[str]
    python: str
    jax: str = ""
    engine: str = ""
    ended: bool = False
    counted: bool = False
    blind: str = ""
    devices: dict[str, int] = field(default_factory=dict)
    member: int = 0
    index: int | None = None
    of: int = 1
    waits: list[Wait] = field(default_factory=list)

    @property
    def stuck(self) -> Wait | None:
        """Where it stood still when it was ended."""
        last = self.waits[-1] if self.waits and not self.ended else None
        return last if last is not None and last.seconds is None else None


@dataclass(slots=True)
class Wait:
    """A while in which the main thread of a process stood still, and nothing in it computed.

    Attributes:
        number: counts those of a process.
        stack: lines of linted files that led there, innermost first.
        outside: ``file:line`` of the innermost line that is not JAX's; empty at Python's end.
        in_jax: whether it was JAX that did not come back.
        seconds: how long; None: to the end.
    """

    number: int
    stack: tuple[At, ...]
    outside: str
    in_jax: bool
    seconds: float | None = None


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
        seconds: of retraces: what all of them took.
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
    seconds: float = 0.0


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
        given: (argument, what it is) of a trace in one of several processes.
    """

    what: str
    name: str
    defined: At | None
    library: str
    wrapped: At | None
    stack: list[At]
    seconds: float
    reasons: list[tuple[str, str]] = field(default_factory=list)
    given: list[tuple[str, str]] = field(default_factory=list)

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


class Led(NamedTuple):
    """What led to a line, the first time.

    Attributes:
        test: as pytest names it; empty outside of tests.
        stack: lines of the project's files, innermost first.
    """

    test: str
    stack: tuple[At, ...]


@dataclass(slots=True)
class Seen:
    """What was seen at the place of one finding.

    Attributes:
        hits: (traced, state of the values) -> how often the line began. States:
            ``tracer``, ``array``, ``other``, ``unknown``.
        raised: (own, exception and its bases, message) -> count; ``own``: raised by
            the line itself and not by a function of the user's that it called.
        refused: (exception and its bases, message) -> how often JAX raised it of an operation that
            the line had asked for, when it transformed that.
        changes: change -> in how many runs of the line.
        stale: (name, value while tracing, value at the end).
        unready: how often an array was still being computed when the line began.
        same, rebound: how often the names were bound to the same objects after the line,
            and to others.
        unrolled: calls in which the line ran many times while JAX was tracing.
        started: how often the backend had started when the line began.
        gradients: what gradients showed for which the line ran: ``nan``, ``value`` (the value is
            NaN too), ``finite``, ``unseen`` -> how often.
        states: of a state that the line is given, whether it was the one of the time before.
        copied: of objects of nnx in traced code, whether the line changed them.
        led: ``ran``, ``traced``, ``raised`` -> what led to that, the first time.
        said: exception -> what JAX, NumPy or Python said with it, the first time.
    """

    hits: Counter[tuple[bool, str]] = field(default_factory=Counter)
    raised: Counter[tuple[bool, tuple[str, ...], str]] = field(default_factory=Counter)
    refused: Counter[tuple[tuple[str, ...], str]] = field(default_factory=Counter)
    changes: Counter[Change] = field(default_factory=Counter)
    stale: set[tuple[str, str, str]] = field(default_factory=set)
    unready: int = 0
    same: int = 0
    rebound: int = 0
    unrolled: int = 0
    started: int = 0
    gradients: Counter[str] = field(default_factory=Counter)
    states: Counter[bool] = field(default_factory=Counter)
    copied: Counter[bool] = field(default_factory=Counter)
    led: dict[str, Led] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)

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
