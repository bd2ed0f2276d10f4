"""A process waits for others that never come."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.apart import Apart
from jaxlint.confirm.fixtures.outcome import Outcome
from jaxlint.rules.rule import Evidence


class Hangs(EvidenceKind):
    """Of two processes of a cluster one stands still on the line; the other has ended."""

    apart = True
    processes = 2
    watched = True

    def promise(self, evidence: Evidence) -> str:
        return "of two processes, one waits on the line for ever"

    def absence(self, evidence: Evidence) -> str:
        return "two processes come to their end"

    def is_promised_outcome(self, found: Outcome, evidence: Evidence) -> bool:
        return bool(found.waits)

    def shown(self, trial: Trial) -> Shown:
        return []

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        each = trial.of_each
        return [
            (found.waits, f"process {number} of {len(each)} waits for ever")
            for number, found in enumerate(each)
            if found.waits
        ]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.ran:
            return NEVER_RAN
        for process in case.observation.processes:
            stuck = process.stuck
            if stuck is not None and stuck.in_jax and any(map(case.covers, stuck.stack)):
                return "confirmed", "waited there for the others until it was ended"
        alone = all(process.of == 1 for process in case.observation.processes)
        how = "in one process alone" if alone else "and came back"
        return "not reached", f"ran {times(case.seen.ran)}, {how}"
