"""The line writes nothing into the result of a kernel."""

from __future__ import annotations

from jaxlint.confirm.evidence.case import Case, Judgement
from jaxlint.confirm.evidence.no_effect import NoEffect
from jaxlint.rules.rule import Evidence, Rule


class NoWrite(NoEffect):
    """The same result with the marked lines deleted; the names on them are bound anew.

    In the user's program: the line ran while JAX was tracing the kernel.
    """

    shown = NoEffect.shown

    def promise(self, evidence: Evidence) -> str:
        return "same result without the line that was to write it"

    def look(self, rule: Rule) -> str:
        return ""

    def judge(self, case: Case) -> Judgement:
        return case.baked_in()
