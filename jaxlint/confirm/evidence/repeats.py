"""Random numbers that are the same each time."""

from __future__ import annotations

from jaxlint.confirm.event_kinds import BAKED_IN
from jaxlint.confirm.evidence.case import FEWEST_RUNS, NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.key_reuse import all_first, none_seen, used_again, uses_at
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence


class Repeats(EvidenceKind):
    """The same key again: made while tracing, or consumed at each iteration.

    The trigger of a fixture returns the results of several calls.
    """

    values_stay = False

    def promise(self, evidence: Evidence) -> str:
        return "the same result at each call"

    def shown(self, trial: Trial) -> Shown:
        first, *others = trial.result
        if not all(same(first, other) for other in others):
            return []
        lines = trial.first.ran(trial.marks) or [0]
        return [(line, f"{str(first)[:40]} each time") for line in lines]

    def judge(self, case: Case) -> Judgement:
        if case.kinds & BAKED_IN:
            return case.baked_in()
        uses = uses_at(case)
        again = used_again(uses)
        if again is not None:
            return again
        if not case.seen.ran:
            return NEVER_RAN
        if not uses:
            return none_seen(case)
        if case.seen.traced:
            return "not reached", "traced, and its loop runs inside the compiled code"
        if sum(use.count for use in uses) < FEWEST_RUNS:
            return "not reached", f"ran {times(case.seen.ran)}"
        return all_first(uses)
