"""The line comes after JAX, at its import, has read what the line sets."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.apart import Apart
from jaxlint.rules.rule import Evidence


class AfterImport(EvidenceKind):
    """The line changes nothing where it stands, and gives another result when it comes first.

    In the user's program: the line ran when JAX had been imported.
    """

    apart = True

    def promise(self, evidence: Evidence) -> str:
        return "no effect here, another result when it comes first"

    def absence(self, evidence: Evidence) -> str:
        return "runs clean"

    def shown(self, trial: Trial) -> Shown:
        return []

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        here = trial.as_it_is.text
        found: Shown = []
        for line in trial.fixture.marked_lines:
            first = trial.run(first=[line])
            if first.came_through and trial.run(without=[line]).text == here != first.text:
                what = f"{here} with and without it, {first.text} when it comes first"
                found.append((line, what))
        return found

    def judge(self, case: Case) -> Judgement:
        # The observer sees nothing before `import jax`.
        if not case.seen.ran:
            return NEVER_RAN
        return "confirmed", f"ran {times(case.seen.ran)}, when JAX had been imported"
