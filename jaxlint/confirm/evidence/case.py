"""A finding in the user's program with all that was seen of it, and what kinds say alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.confirm.event_kinds import kinds_of
from jaxlint.confirm.observation import At, Observation, Occurrence, Seen, Work
from jaxlint.confirm.observer.watchlist import MOST_HITS
from jaxlint.findings import Finding
from jaxlint.rules.rule import Rule

Outcome = Literal["confirmed", "refuted", "not reached"]
"""*Confirmed*: JAX did what the rule says. *Refuted*: the line ran as the finding supposes,
and nothing happened. *Not reached*: the run did not bring about what the finding is about."""

Judgement = tuple[Outcome, str]
"""The outcome, and what was seen in words."""

NEVER_RAN: Judgement = ("not reached", "the line never ran")
FEWEST_RUNS = 3
"""Runs of a line from which on a cost at each run must show."""


@dataclass(slots=True)
class Case:
    """One finding with all that bears on it."""

    finding: Finding
    rule: Rule
    seen: Seen
    observation: Observation

    def covers(self, at: At) -> bool:
        """Whether a place lies in the finding's lines."""
        finding = self.finding
        return at.file == finding.filename and finding.line <= at.line <= finding.end_line

    @property
    def occurrences(self) -> list[Occurrence]:
        """What JAX minded on the finding's lines."""
        return [each for each in self.observation.occurrences if self.covers(each.at)]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of event that the finding may be about."""
        return kinds_of(self.rule)

    @property
    def work(self) -> list[Work]:
        """Traces and compilations of what is wrapped on the finding's lines, or begun there."""
        return [
            work
            for work in self.observation.work
            if (work.wrapped is not None and self.covers(work.wrapped))
            or any(map(self.covers, work.stack))
        ]

    @property
    def traces(self) -> list[Work]:
        """The traces of :attr:`work`."""
        return [work for work in self.work if work.what == "trace"]

    @property
    def compilations(self) -> list[Work]:
        """The compilations of :attr:`work`."""
        return [work for work in self.work if work.what == "compilation"]

    @property
    def host_runs(self) -> int:
        """How often the line began outside of any trace."""
        return sum(count for (traced, _), count in self.seen.hits.items() if not traced)

    @property
    def releases(self) -> str:
        """The releases of JAX that ran."""
        processes = self.observation.processes
        return ", ".join(sorted({process.jax for process in processes if process.jax}))

    def not_traced(self) -> Judgement:
        """The line has not run while JAX was tracing."""
        if not self.seen.ran:
            return NEVER_RAN
        return "not reached", f"ran {times(self.seen.ran)}, never while JAX was tracing"

    def not_on_the_host(self) -> Judgement:
        """The line has not run outside of a trace."""
        if not self.seen.ran:
            return NEVER_RAN
        return "not reached", f"ran {times(self.seen.ran)}, only inside of another trace"

    def baked_in(self) -> Judgement:
        """Whatever the line gives while JAX traces is part of the compiled code."""
        if not self.seen.traced:
            return self.not_traced()
        ran = f"ran {times(self.seen.traced)} while JAX was tracing"
        return "confirmed", f"{ran}, {self.otherwise}"

    @property
    def otherwise(self) -> str:
        """How often the line ran outside of traces, in words."""
        rest = self.seen.ran - self.seen.traced
        return f"{times(rest)} otherwise" if rest else "never otherwise"


def times(count: int) -> str:
    """ "once", "5 times"; counting stops at some number."""
    if count >= MOST_HITS:
        return f"{count} times or more"
    return "once" if count == 1 else f"{count} times"
