"""JAX warns on the line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.confirm.event_kinds import REMOVED_API
from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class Warns(EvidenceKind):
    """A warning of one of the promised categories: fixtures run with warnings as errors."""

    def promise(self, evidence: Evidence) -> str:
        return " or ".join(evidence.exceptions)

    @contextmanager
    def conditions(self, trial: Trial) -> Iterator[None]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield

    def is_promised_exception(self, trial: Trial) -> bool:
        return trial.raised_as_promised

    def shown(self, trial: Trial) -> Shown:
        exceptions = trial.first.exceptions
        return [(line, names[0]) for line, names, _ in exceptions if trial.promises(names)]

    def judge(self, case: Case) -> Judgement:
        for each in case.occurrences:
            if each.kind in case.kinds:
                return "confirmed", f"JAX warned {times(each.count)}: {each.construct}"
        if not case.seen.ran:
            return NEVER_RAN
        if REMOVED_API in case.kinds:
            return "not reached", f"jax {case.releases} does not warn of it"
        return "not reached", f"ran {times(case.seen.ran)} and JAX did not warn: x64 may be on"
