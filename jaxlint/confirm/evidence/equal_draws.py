"""What should be drawn independently is the same."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence


class EqualDraws(EvidenceKind):
    """A trigger returns two things that were drawn, and they are equal."""

    values_stay = False

    def promise(self, evidence: Evidence) -> str:
        return "both draw the same numbers"

    def shown(self, trial: Trial) -> Shown:
        one, other = trial.result
        if not same(one, other):
            return []
        lines = trial.loading.ran(trial.marks) or trial.first.ran(trial.marks)
        return [(line, "drew the same numbers") for line in lines or [0]]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.ran:
            return NEVER_RAN
        return "not reached", f"ran {times(case.seen.ran)}; nobody compares what was drawn"
