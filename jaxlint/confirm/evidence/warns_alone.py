"""JAX warns on the line, in a process that has done nothing else."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.apart import Apart
from jaxlint.rules.rule import Evidence


class WarnsAlone(EvidenceKind):
    """A warning of one of the promised categories, which hangs on what the process did before."""

    apart = True

    def promise(self, evidence: Evidence) -> str:
        return " or ".join(evidence.exceptions)

    def shown(self, trial: Trial) -> Shown:
        return []

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        warned = trial.as_it_is.warned
        return [(line, name) for line, name in warned if name in evidence.exceptions]

    def judge(self, case: Case) -> Judgement:
        count = sum(each.count for each in case.occurrences if each.kind in case.kinds)
        if count:
            return "confirmed", f"JAX warned {times(count)}"
        if not case.seen.ran:
            return NEVER_RAN
        return "refuted", f"ran {times(case.seen.ran)}, and JAX did not warn"
