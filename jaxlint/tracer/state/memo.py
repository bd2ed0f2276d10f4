"""What is remembered of calls, and which functions have run how."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from jaxlint.tracer.state.frames import Level, Loop
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.containers import Contents, Entries
from jaxlint.tracer.values.objects import Class
from jaxlint.tracer.values.value import Const, Host, Unknown, Value, immutable


@immutable
class Remembered:
    """What a call gave.

    Attributes:
        result: its result.
        made_by_call: the result is a container that each call makes anew.
        inputs: stay alive because keys use their ids.
        newest_key: keys with a greater serial number were made by the call.
        record: what the analyses do again.
        writes: what it changed.
        operations: how many JAX operations ran while tracing it.
        loop: the run of a loop on the host that it was called in.
        raises: it raises a TypeError for certain.
    """

    result: Value
    made_by_call: bool
    inputs: tuple[object, ...]
    newest_key: int
    record: Any
    writes: Writes
    operations: int = 0
    loop: Loop | None = None
    raises: bool = False

    def holds_in(self, loop: Loop | None) -> bool:
        """Whether it is the same for a call in this run of the loop around it.

        What was made in another run of the loop was made before this one.
        """
        return loop is self.loop or (
            _is_timeless(self.result)
            and all(_is_timeless(value) for _, _, value, _ in self.writes.values())
        )


def _is_timeless(value: object) -> bool:
    """Whether nothing in a value says when it was made."""
    if isinstance(value, Contents):
        return all(map(_is_timeless, value.items or (value.element,)))
    return isinstance(value, (Unknown, Const, Host, Array, Tree))


@immutable
class Trace:
    """A cached trace of a compiled function."""

    result: Value
    level: Level
    inputs: tuple[object, ...]
    record: Any


@immutable
class Kept:
    """What ``functools.cache`` keeps of a call.

    Attributes:
        result: what the call gave.
        inputs: stay alive because keys use their ids.
        level: the trace that its arrays belong to; None: they are no tracers of one.
        certain: it was the first call for certain: no branch goes around it, and all that it was
            given is known.
    """

    result: Value
    inputs: tuple[object, ...]
    level: Level | None
    certain: bool


@dataclass(slots=True)
class Memo:
    """Calls and traces of one run.

    Attributes:
        traces: by what tells one call of a compiled function from another here.
        compiled: the first trace, by what tells JAX one from another: which keys it is given is of
            no account.
        cached: what ``functools.cache`` keeps, by the identity of the function and by arguments.
        contexts, steps: of a function, by the identity of its code and of that of the functions
            that it closes over: how often it ran, and what that cost.
    """

    calls: dict[object, Remembered] = field(default_factory=dict)
    traces: dict[object, Trace] = field(default_factory=dict)
    compiled: dict[object, Level] = field(default_factory=dict)
    cached: defaultdict[int, dict[object, Kept]] = field(default_factory=lambda: defaultdict(dict))
    contexts: Counter[tuple[int, ...]] = field(default_factory=Counter)
    steps: Counter[tuple[int, ...]] = field(default_factory=Counter)

    def compile_again(self, origin: object = None) -> None:
        """JAX has let go of what it has compiled: of one wrapper, or of all."""
        for kept, levels in (
            (self.traces, {key: trace.level for key, trace in self.traces.items()}),
            (self.compiled, dict(self.compiled)),
        ):
            for key, level in levels.items():
                if origin is None or level.site.origin is origin:
                    del kept[key]

    def start_again(self) -> list[Value]:
        """Forget the calls; gives what they and the traces have given and written."""
        found = [trace.result for trace in self.traces.values()]
        for call in self.calls.values():
            found.append(call.result)
            for _, _, value, _ in call.writes.values():
                if isinstance(value, Contents):
                    found += value.items or (value.element,)
                elif isinstance(value, Entries):
                    found += value.all()
                elif isinstance(value, Value):
                    found.append(value)
        self.calls.clear()
        return found


@dataclass(slots=True)
class Runs:
    """Which code ran, by the identity of its ``def``.

    Attributes:
        all: at all.
        traced: under a transform.
        replaced: not where it was called: rules of differentiation ran in its place.
        certain: on the host, called by code that runs for certain.
        sites: where the host calls it.
        applied: what each call of the transform made at a place gives it to trace: equal where
            two give the same constants.
        receivers: of whose classes the objects are that methods are called with which were
            transformed at a place; None for one of a class that nobody knows.
    """

    all: set[int] = field(default_factory=set)
    traced: set[int] = field(default_factory=set)
    replaced: set[int] = field(default_factory=set)
    certain: set[int] = field(default_factory=set)
    sites: dict[int, set[int]] = field(default_factory=dict)
    applied: defaultdict[int, list[object]] = field(default_factory=lambda: defaultdict(list))
    receivers: defaultdict[int, list[Class | None]] = field(
        default_factory=lambda: defaultdict(list)
    )
