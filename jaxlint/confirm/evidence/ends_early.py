"""A clock is read while the work that it times still runs."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence, Rule

_LONGER = 5.0
_ROUNDS = 5


class EndsEarly(EvidenceKind):
    """The work takes much longer with ``block_until_ready``.

    Triggers return the seconds that they measure, the function ``waited`` of the fixture
    those that it really takes. In the user's program: an array was not ready yet.
    """

    values_stay = False

    def promise(self, evidence: Evidence) -> str:
        return f"{_LONGER} times longer with block_until_ready"

    def look(self, rule: Rule) -> str:
        return "ready"

    def shown(self, trial: Trial) -> Shown:
        waited = _least(trial.namespace["waited"])
        ratio = waited / max(_least(trial.namespace[trial.name]), 1e-9)
        if ratio < _LONGER:
            return []
        what = f"{ratio:.0f} times longer with block_until_ready"
        return [(line, what) for line in trial.first.ran(trial.marks) or [0]]

    def judge(self, case: Case) -> Judgement:
        seen = case.seen
        if not seen.ran:
            return NEVER_RAN
        if seen.unready:
            often = f"{seen.unready} of {seen.ran} times"
            what = f"an array was still being computed when the clock was read, {often}"
            return "confirmed", what
        return "not reached", f"ran {times(seen.ran)}; the work was done by then each time"


def _least(measure: Callable[[], float]) -> float:
    """What something takes, in seconds: whatever else the machine does only adds to it."""
    return min(measure() for _ in range(_ROUNDS))
