"""A process waits for itself."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.apart import Apart
from jaxlint.confirm.fixtures.outcome import Outcome
from jaxlint.rules.rule import Evidence


class Stalls(EvidenceKind):
    """The program stands still: a callback on the line, and what waits for it.

    In the user's program nobody sees what a process waits for: that it never ended is said.
    """

    apart = True
    watched = True

    def promise(self, evidence: Evidence) -> str:
        return "stands still on the line for ever"

    def absence(self, evidence: Evidence) -> str:
        return "comes to its end"

    def is_promised_outcome(self, found: Outcome, evidence: Evidence) -> bool:
        return bool(found.waits)

    def shown(self, trial: Trial) -> Shown:
        return []

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        waits = trial.as_it_is.waits
        return [(waits, "the program stands still")] if waits else []

    def judge(self, case: Case) -> Judgement:
        if not case.seen.ran:
            return NEVER_RAN
        ended = all(each.ended for each in case.observation.processes if each.jax)
        how = "and came back each time" if ended else "and the process never came to its end"
        return "not reached", f"ran {times(case.seen.ran)}, {how}"
