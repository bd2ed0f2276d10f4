"""A compiled function is traced at each run of the line, because the function object is new."""

from __future__ import annotations

from collections import Counter

from jaxlint.confirm.evidence.case import FEWEST_RUNS, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class Retraces(EvidenceKind):
    """A trace each time, also when all has run once before."""

    costs_time = True

    def promise(self, evidence: Evidence) -> str:
        return "a trace each time"

    def shown(self, trial: Trial) -> Shown:
        second = trial.again()
        count = max(second.traces, second.compilations)
        if not trial.marks:
            # What a fix makes once in a function is made once at each run of it.
            most = 1 if trial.fixture.is_fixed else 0
            return [(0, f"{count} new traces in a second run")] if count > most else []
        return [
            (line, f"{count} traces, the line ran {ran} times")
            for line, ran in second.host_runs(trial.marks).items()
            if ran >= 2 and count >= ran
        ]

    def judge(self, case: Case) -> Judgement:
        runs, traces = case.host_runs, case.traces
        if not runs:
            return case.not_on_the_host()
        names = Counter(work.name for work in traces if work.is_own and work.of_a_new_function)
        # What JAX itself traced there: an eager ``scan`` is such an operation.
        of_libraries = Counter(work.name for work in traces if not work.is_own)
        names.update({name: n for name, n in of_libraries.items() if n >= max(runs, 2)})
        if names:
            name, _ = names.most_common(1)[0]
            count = sum(work.name == name for work in traces)
            seconds = sum(work.seconds for work in case.work if work.name == name)
            what = f"{count} traces of {name} in {runs} runs of the line, {seconds:.2g} s"
            return "confirmed", what
        if runs < FEWEST_RUNS:
            return "not reached", f"ran {times(runs)}: it costs from the second run on"
        compiled = Counter(work.name for work in case.compilations if work.is_own)
        if not traces and compiled and max(compiled.values()) >= runs:
            # Inside an eager vmap or grad JAX reports the compilation, and not the trace.
            name, count = compiled.most_common(1)[0]
            return "confirmed", f"{count} compilations of {name} in {runs} runs of the line"
        if not traces:
            return "not reached", f"ran {times(runs)}, and what it wraps was never traced"
        return "refuted", f"{len(traces)} traces in {runs} runs of the line"
