"""The line comes after the backend of JAX has started."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.apart import Apart
from jaxlint.rules.rule import Evidence, Rule


class AfterStart(EvidenceKind):
    """The line gives another result when it comes first; where it stands JAX may refuse it.

    In the user's program: the line ran when the backend had started.
    """

    apart = True

    def promise(self, evidence: Evidence) -> str:
        return f"another result when it comes first, or {' or '.join(evidence.exceptions)}"

    def absence(self, evidence: Evidence) -> str:
        return "runs clean"

    def look(self, rule: Rule) -> str:
        return "started"

    def shown(self, trial: Trial) -> Shown:
        return []

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        here = trial.as_it_is
        if here.raised:
            return [(here.line, here.raised[0])]
        found: Shown = []
        for line in trial.fixture.marked_lines:
            first = trial.run(first=[line])
            if first.came_through and first.text != here.text:
                found.append((line, f"{here.text}, and {first.text} when it comes first"))
        return found

    def judge(self, case: Case) -> Judgement:
        seen = case.seen
        if not seen.ran:
            return NEVER_RAN
        if seen.started:
            return "confirmed", f"ran {times(seen.started)} when the backend had started"
        return "refuted", f"ran {times(seen.ran)}, before the backend had started"
