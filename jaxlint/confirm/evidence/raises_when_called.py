"""JAX refuses a function when it is called; the mistake is where the function is defined."""

from __future__ import annotations

import re

from jaxlint.confirm.event_kinds import INVALID_ARGUMENT
from jaxlint.confirm.evidence.case import Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.places import shown
from jaxlint.rules.rule import Evidence

_FUNCTION_IN_MESSAGE = re.compile(r"<function ([\w.<>]+) at")


class RaisesWhenCalled(EvidenceKind):
    """An exception at a call, laid at the door of the function that it names."""

    def promise(self, evidence: Evidence) -> str:
        return f"{' or '.join(evidence.exceptions)} at each call"

    def is_promised_exception(self, trial: Trial) -> bool:
        return trial.raised_as_promised

    def shown(self, trial: Trial) -> Shown:
        found: Shown = []
        for line, names, message in trial.first.exceptions:
            if not trial.promises(names):
                continue
            match = _FUNCTION_IN_MESSAGE.search(message)
            called = match[1].rpartition(".")[2] if match else ""
            guilty = [mark for mark in trial.marks if trial.function_at(mark) == called]
            found += [(mark, f"{names[0]} at line {line}") for mark in guilty or [line]]
        return found

    def judge(self, case: Case) -> Judgement:
        for each in case.observation.occurrences:
            if each.kind == INVALID_ARGUMENT and each.other is not None and case.covers(each.other):
                there = "" if each.at.file == case.finding.filename else f"{shown(each.at.file)}, "
                where = f"at the call in {there}line {each.at.line}"
                return "confirmed", f"{each.construct} {where}, {times(each.count)}"
        return "not reached", "the function was not called with what JAX refuses"
