"""A Python loop runs many times in one trace, and each iteration is compiled."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.observer.watchlist import UNROLLED
from jaxlint.rules.rule import Evidence, Rule


class Unrolls(EvidenceKind):
    """One line is traced again and again in one trace."""

    costs_time = True

    def promise(self, evidence: Evidence) -> str:
        return "one line traced again and again in one trace"

    def look(self, rule: Rule) -> str:
        return "loop"

    def shown(self, trial: Trial) -> Shown:
        traces = max(trial.first.traces, 1)
        return [
            (line, f"traced {count} times in {traces} traces")
            for (line, traced), count in trial.first.hits.items()
            if traced and count >= UNROLLED * traces and (not trial.marks or line in trial.marks)
        ]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.traced:
            return case.not_traced()
        if case.seen.unrolled:
            calls = times(case.seen.unrolled)
            return "confirmed", f"{UNROLLED} times or more in one trace, {calls}"
        return "not reached", f"less than {UNROLLED} times in one trace"
