"""Compiled code keeps what it read while it was traced."""

from __future__ import annotations

from jaxlint.confirm.event_kinds import BAKED_IN, STALE_READ, kinds_of
from jaxlint.confirm.evidence.case import Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence, Rule


class Stale(EvidenceKind):
    """Another result than eager.

    In the user's program: a value that was read while tracing is another one later, or
    differs by nature, as a clock does.
    """

    def promise(self, evidence: Evidence) -> str:
        return "another result than eager"

    def look(self, rule: Rule) -> str:
        return "stale" if STALE_READ in kinds_of(rule) else ""

    def shown(self, trial: Trial) -> Shown:
        import jax

        with jax.disable_jit():
            eager = trial.otherwise()
        if same(trial.result, eager):
            return []
        what = f"{str(trial.result)[:60]} compiled, {str(eager)[:60]} eager"
        return [(line, what) for line in trial.first.ran(trial.marks, traced=True) or [0]]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.traced or case.kinds & BAKED_IN:
            return case.baked_in()
        if case.seen.stale:
            name, was, now = min(case.seen.stale)
            if was == now:
                what = f"{name} is another object now than the one that was compiled in"
                return "confirmed", what
            return "confirmed", f"{name} was {was} while tracing and is {now} at the end"
        traced = f"traced {times(case.seen.traced)}"
        return "not reached", f"{traced}; its value is still the same at the end"
