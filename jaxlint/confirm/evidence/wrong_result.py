"""The program computes something else than it was to."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence


class WrongResult(EvidenceKind):
    """A trigger returns what comes of it and what was to come of it, and the two differ."""

    values_stay = False

    def promise(self, evidence: Evidence) -> str:
        return "another result than the one that is meant"

    def is_as_meant(self, trial: Trial) -> bool:
        found, meant = trial.result
        return same(found, meant)

    def shown(self, trial: Trial) -> Shown:
        found, meant = trial.result
        if same(found, meant):
            return []
        lines = trial.first.ran(trial.marks, traced=True) or trial.first.ran(trial.marks)
        lines = lines or trial.loading.ran(trial.marks)
        return [(line, f"{str(found)[:60]}, not {str(meant)[:60]}") for line in lines or [0]]

    def judge(self, case: Case) -> Judgement:
        ran = case.seen.ran or case.seen.traced
        if not ran:
            return NEVER_RAN
        return "not reached", f"ran {times(ran)}; nobody knows what was meant"
