"""A copy of an object changes, and the object does not."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.knowledge.libraries import OWN_TRANSFORMS
from jaxlint.rules.rule import Evidence, Rule


class LostState(EvidenceKind):
    """Another result than under the transforms of the library, which follow the object.

    In the user's program: while JAX was tracing, the line changed what hangs on the object, which
    is a copy there.
    """

    def promise(self, evidence: Evidence) -> str:
        return "another result than under the library's own transform"

    def shown(self, trial: Trial) -> Shown:
        own = trial.otherwise(instead=OWN_TRANSFORMS)
        if same(trial.result, own):
            return []
        what = f"{str(trial.result)[:60]}, {str(own)[:60]} under nnx"
        runs = (trial.loading, trial.first)
        ran = {line for run in runs for line in run.ran(trial.marks, traced=True)}
        return [(line, what) for line in sorted(ran) or [0]]

    def judge(self, case: Case) -> Judgement:
        seen = case.seen
        if seen.copied[True]:
            return "confirmed", f"changed a copy while JAX was tracing, {times(seen.copied[True])}"
        if seen.traced:
            ran = f"ran {times(seen.traced)} while JAX was tracing"
            return "not reached", f"{ran}, and no change was seen"
        return case.not_traced()

    def look(self, rule: Rule) -> str:
        return "copy"
