"""A library raises an exception in what is called on the line; the mistake is the call."""

from __future__ import annotations

from collections import Counter

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class RaisesInside(EvidenceKind):
    """An exception that comes from inside of a call, also out of functions of the program."""

    def promise(self, evidence: Evidence) -> str:
        return f"{' or '.join(evidence.exceptions)} inside of the call"

    def is_promised_exception(self, trial: Trial) -> bool:
        return trial.raised_as_promised

    def shown(self, trial: Trial) -> Shown:
        passed = [(line, names[0]) for line, names in trial.first.passages if trial.promises(names)]
        marked = [(line, name) for line, name in passed if line in trial.marks]
        own = [
            (line, names[0]) for line, names, _ in trial.first.exceptions if trial.promises(names)
        ]
        return marked or own

    def judge(self, case: Case) -> Judgement:
        wanted = set(case.rule.evidence.exceptions)
        matching: Counter[str] = Counter()
        for (_, names, _), count in case.seen.raised.items():
            if set(names) & wanted:
                matching[names[0]] += count
        if matching:
            name = matching.most_common(1)[0][0]
            return "confirmed", f"{name} came from inside, {times(matching.total())}"
        if not case.seen.ran:
            return NEVER_RAN
        return "refuted", f"ran {times(case.seen.ran)}, and nothing of the kind was raised"
