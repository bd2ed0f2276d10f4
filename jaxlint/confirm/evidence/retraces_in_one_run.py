"""A compiled function is traced at each run of the line, because an argument differs."""

from __future__ import annotations

from collections import Counter

from jaxlint.confirm.event_kinds import CHANGING_STATIC
from jaxlint.confirm.evidence.case import FEWEST_RUNS, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class RetracesInOneRun(EvidenceKind):
    """A trace each time; a second run of the program finds the compiled code of the first."""

    costs_time = True

    def promise(self, evidence: Evidence) -> str:
        return "a trace each time"

    def shown(self, trial: Trial) -> Shown:
        run, count = trial.first, trial.first.traces
        if trial.marks:
            return [
                (line, f"{count} traces, the line ran {ran} times")
                for line, ran in run.host_runs(trial.marks).items()
                if ran >= FEWEST_RUNS and count >= ran
            ]
        work = run.observation.work
        names = Counter(each.name for each in work if each.what == "trace" and each.is_own)
        often = max(names.values(), default=0)
        most = max((n for (_, traced), n in run.hits.items() if not traced), default=0)
        return [(0, f"{often} traces")] if often >= max(most, FEWEST_RUNS) else []

    def judge(self, case: Case) -> Judgement:
        runs, traces = case.host_runs, [work for work in case.traces if work.is_own]
        if not runs:
            return case.not_on_the_host()
        static = CHANGING_STATIC in case.kinds
        wanted = {"static value"} if static else {"shape", "tree structure"}
        changed = [work for work in traces if {kind for kind, _ in work.reasons} & wanted]
        if changed:
            what = next(text for kind, text in changed[-1].reasons if kind in wanted)
            return "confirmed", f"{len(changed) + 1} traces in {runs} runs of the line: {what}"
        if runs < FEWEST_RUNS:
            return "not reached", f"ran {times(runs)}: it costs from the second run on"
        if not traces:
            before = "always with what had been compiled before"
            return "not reached", f"ran {times(runs)}, {before}"
        number = times(len(traces))
        return "refuted", f"traced {number} in {runs} runs of the line, not for this reason"
