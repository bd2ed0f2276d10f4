"""The host waits for the device at each iteration of a loop."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import FEWEST_RUNS, NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence, Rule


class Waits(EvidenceKind):
    """The host reads the value of an array, all but once at each run of the line."""

    costs_time = True

    def promise(self, evidence: Evidence) -> str:
        return "the host reads an array at each iteration"

    def look(self, rule: Rule) -> str:
        return "waits"

    def shown(self, trial: Trial) -> Shown:
        run = trial.first
        return [
            (line, f"{run.waits[line]} reads in {count} runs of the line")
            for (line, traced), count in run.hits.items()
            if not traced and count >= FEWEST_RUNS and run.waits[line] >= count - 1
            if not trial.marks or line in trial.marks
        ]

    def judge(self, case: Case) -> Judgement:
        waits = sum(n for at, n in case.observation.waits.items() if case.covers(at))
        if not case.seen.ran:
            return NEVER_RAN
        if waits >= 2:
            return "confirmed", f"the host waited for a value {times(waits)}"
        return "refuted", f"{waits} waits in {case.seen.ran} runs"
