"""The line does nothing: the program gives the same without it."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence, Rule


class NoEffect(EvidenceKind):
    """The same result with the marked lines deleted.

    In the user's program: the names on the line are bound to the same objects after it.
    """

    def promise(self, evidence: Evidence) -> str:
        return "same result without the line"

    def absence(self, evidence: Evidence) -> str:
        return "runs clean"

    def look(self, rule: Rule) -> str:
        return "same"

    def is_as_meant(self, trial: Trial) -> bool:
        """With an effect the result is another one; what is left of the marks may have none."""
        return bool(trial.marks) or not trial.gives_what_the_bad_one_gives

    def shown(self, trial: Trial) -> Shown:
        if not trial.marks or not same(trial.result, trial.otherwise(without=trial.marks)):
            return []
        return [(line, "same result without it") for line in trial.first.ran(trial.marks)]

    def judge(self, case: Case) -> Judgement:
        seen = case.seen
        if not seen.ran:
            return NEVER_RAN
        if seen.rebound:
            bound = f"its names were bound to something else {times(seen.rebound)}"
            return "not reached", f"{bound}; whether anybody reads that, no run shows"
        if not seen.same:
            return "not reached", "the line did not come to its end"
        return "confirmed", f"ran {times(seen.same)}, and left its names as they were"
