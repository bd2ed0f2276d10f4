"""What each compiled function cost: traces, compilations, seconds, and why not from the cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxlint.confirm.observation import At, Observation, Work


@dataclass(slots=True)
class FunctionCost:
    """One compiled function.

    Attributes:
        name: its qualified name.
        at: where it is defined if that is in a linted file, else the linted line that
            most of its traces came from.
        library: the file it is defined in when that is not a linted one.
        traces, compilations: how often.
        trace_seconds, compile_seconds: wall time in all; compiling includes lowering.
        reasons: kind of reason -> traces for which it holds.
        examples: kind of reason -> one difference in words.
        work: the traces and compilations themselves.
    """

    name: str
    at: At | None
    library: str
    traces: int = 0
    compilations: int = 0
    trace_seconds: float = 0.0
    compile_seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    work: list[Work] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Tracing and compiling together."""
        return self.trace_seconds + self.compile_seconds

    @property
    def traced(self) -> list[Work]:
        """The traces of :attr:`work`."""
        return [work for work in self.work if work.what == "trace"]

    @property
    def repeated(self) -> int:
        """Traces after the first one."""
        return self.traces - min(self.traces, self.reasons["first trace"])


def seconds_again(works: Iterable[Work]) -> float:
    """The seconds that tracing and compiling took after the first trace of each function."""
    first: dict[tuple[str, At | None, str], bool] = {}
    seconds = 0.0
    for work in works:
        key = (work.name, work.defined, work.library)
        if work.what == "trace":
            first[key] = any(kind == "first trace" for kind, _ in work.reasons)
        if not first.get(key, True):
            seconds += work.seconds
    return seconds


def function_costs(observation: Observation) -> list[FunctionCost]:
    """The functions, those of the user's files first, and the most expensive first."""
    found: dict[tuple[str, str, int], FunctionCost] = {}
    for work in observation.work:
        place = work.defined
        key = (work.name, place.file if place else work.library, place.line if place else 0)
        cost = found.setdefault(key, FunctionCost(work.name, place, work.library))
        _add(cost, work)
    for cost in found.values():
        if cost.at is None:
            callers = Counter(work.stack[0] for work in cost.work if work.stack)
            cost.at = callers.most_common(1)[0][0] if callers else None
    return sorted(found.values(), key=lambda cost: (bool(cost.library), -cost.seconds, cost.name))


def _add(cost: FunctionCost, work: Work) -> None:
    cost.work.append(work)
    if work.what != "trace":
        cost.compile_seconds += work.seconds
        cost.compilations += work.what == "compilation"
        return
    cost.traces += 1
    cost.trace_seconds += work.seconds
    for kind in {kind for kind, _ in work.reasons}:
        cost.reasons[kind] += 1
    for kind, text in work.reasons:
        if text:
            cost.examples.setdefault(kind, text)
