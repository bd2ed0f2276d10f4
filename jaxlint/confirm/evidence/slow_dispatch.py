"""The same function is wrapped again and again: no new trace, but each call is slower."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from jaxlint.confirm.evidence.case import FEWEST_RUNS, NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence

_SLOW = 1.5
_ROUNDS = 7


class SlowDispatch(EvidenceKind):
    """Slower than with a kept wrapper, which a fixture calls in its function ``hoisted``."""

    costs_time = True

    def promise(self, evidence: Evidence) -> str:
        return f"no retrace, {_SLOW} times slower"

    def shown(self, trial: Trial) -> Shown:
        second = trial.again()
        if not trial.marks or "hoisted" not in trial.namespace or second.traces:
            return []
        ratio = _ratio(trial.namespace[trial.name], trial.namespace["hoisted"])
        if ratio < _SLOW:
            return []
        what = f"{ratio:.1f} times slower than a kept wrapper"
        return [
            (line, f"no new trace in {ran} calls, {what}")
            for line, ran in second.host_runs(trial.marks).items()
            if ran >= 2
        ]

    def judge(self, case: Case) -> Judgement:
        again = first = 0
        for (at, same, _), count in case.observation.wraps.items():
            if case.covers(at):
                again, first = (again + count, first) if same else (again, first + count)
        if again:
            return "confirmed", f"the same function was wrapped {times(again + first)}"
        if not case.seen.ran:
            return NEVER_RAN
        if first >= FEWEST_RUNS:
            return "refuted", f"{first} different functions were wrapped"
        return "not reached", f"ran {times(case.seen.ran)}: it costs from the second run on"


def _ratio(slow: Callable[[], Any], fast: Callable[[], Any]) -> float:
    """Median of the ratios of paired runs, each pair in one go."""
    import jax

    ratios = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        jax.block_until_ready(slow())
        middle = time.perf_counter()
        jax.block_until_ready(fast())
        ratios.append((middle - start) / max(time.perf_counter() - middle, 1e-9))
    return sorted(ratios)[_ROUNDS // 2]
