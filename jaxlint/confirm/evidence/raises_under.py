"""JAX raises on the line where a setting makes it; else it goes on with something else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class RaisesUnder(EvidenceKind):
    """An exception of one of the promised types under a setting of JAX.

    In the user's program: the line raised it, where the program sets that itself.
    """

    def promise(self, evidence: Evidence) -> str:
        return f"{' or '.join(evidence.exceptions)} under {evidence.setting}"

    @contextmanager
    def conditions(self, trial: Trial) -> Iterator[None]:
        import jax

        setting, strict = trial.evidence.setting, trial.evidence.strict
        if strict is None:
            yield
            return
        before = getattr(jax.config, setting)
        jax.config.update(setting, strict)
        try:
            yield
        finally:
            jax.config.update(setting, before)

    def is_promised_exception(self, trial: Trial) -> bool:
        return trial.raised_as_promised

    def shown(self, trial: Trial) -> Shown:
        return [
            (line, names[0]) for line, names, _ in trial.first.exceptions if trial.promises(names)
        ]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.ran:
            return NEVER_RAN
        evidence = case.rule.evidence
        wanted = set(evidence.exceptions)
        raised = sum(n for (_, names, _), n in case.seen.raised.items() if set(names) & wanted)
        if raised:
            return "confirmed", f"raised {times(raised)}"
        return "not reached", f"ran {times(case.seen.ran)}; {evidence.setting} makes JAX say it"
