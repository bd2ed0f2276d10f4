"""A convention among people: JAX has no say in it."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import Case, Judgement
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class Convention(EvidenceKind):
    """Nothing but that the fixture runs."""

    def promise(self, evidence: Evidence) -> str:
        return "runs: a convention only"

    def absence(self, evidence: Evidence) -> str:
        return self.promise(evidence)

    def shown(self, trial: Trial) -> Shown:
        return [(line, "runs") for line in trial.marks]

    def judge(self, case: Case) -> Judgement:
        return "not reached", "a convention: JAX has no say in it"
