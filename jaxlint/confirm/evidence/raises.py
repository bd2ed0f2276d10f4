"""JAX, NumPy or Python raises an exception on the line."""

from __future__ import annotations

from collections import Counter

from jaxlint.confirm.event_kinds import LEAKED_USE, NEED_ARRAY, NEED_TRACER, REMOVED_API
from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.watcher import Run
from jaxlint.rules.rule import Evidence

_LONGEST_MESSAGE = 90


class Raises(EvidenceKind):
    """An exception of one of the promised types, also one that is caught again."""

    def promise(self, evidence: Evidence) -> str:
        return " or ".join(evidence.exceptions)

    def is_promised_exception(self, trial: Trial) -> bool:
        return trial.raised_as_promised

    def shown(self, trial: Trial) -> Shown:
        return [
            (_asked_for(trial, run, line, names), names[0])
            for run in (trial.loading, trial.first)
            for line, names, _ in run.exceptions
            if trial.promises(names)
        ]

    def judge(self, case: Case) -> Judgement:
        wanted = set(case.rule.evidence.exceptions)
        matching: Counter[str] = Counter()
        others: Counter[str] = Counter()
        for (own, names, message), count in case.seen.raised.items():
            fits = own and set(names) & wanted
            (matching if fits else others)[_in_words(names[0], message)] += count
        for (names, message), count in case.seen.refused.items():
            if set(names) & wanted:
                matching[_in_words(names[0], message)] += count
        if matching:
            text, count = matching.most_common(1)[0]
            return "confirmed", f"raised {times(matching.total())}: {text}"
        for each in case.occurrences:
            if each.construct in wanted or each.kind in case.kinds:
                return "confirmed", f"{each.construct} {times(each.count)}"
        if others:
            text, count = others.most_common(1)[0]
            return "not reached", f"something else was raised there, {times(count)}: {text}"
        return _no_exception(case)


def _asked_for(trial: Trial, run: Run, line: int, names: tuple[str, ...]) -> int:
    """Where an exception is shown: where it is raised, or the operation that JAX raises it of."""
    if line in trial.marks:
        return line
    refused = (asked for asked, what in run.refused if what == names and asked in trial.marks)
    return next(refused, line)


def _in_words(name: str, message: str) -> str:
    if len(message) > _LONGEST_MESSAGE:
        message = message[: _LONGEST_MESSAGE - 3] + "..."
    return f"{name}: {message}" if message else name


def _no_exception(case: Case) -> Judgement:
    """The line ran, if at all, without raising: with values that JAX minds?"""
    seen = case.seen
    if not seen.ran:
        return NEVER_RAN
    if REMOVED_API in case.kinds:
        return "not reached", f"jax {case.releases} still has it"
    if case.kinds & NEED_TRACER:
        return _with_a_tracer(case)
    if case.kinds & NEED_ARRAY:
        fitting = sum(n for (_, state), n in seen.hits.items() if state in ("tracer", "array"))
        if not fitting:
            return "not reached", f"ran {times(seen.ran)}, with values that were no JAX arrays"
        return "refuted", f"ran {times(fitting)} with a JAX array, and nothing was raised"
    return "refuted", f"ran {times(seen.ran)}, and nothing was raised"


def _with_a_tracer(case: Case) -> Judgement:
    seen = case.seen
    fitting = seen.hits[True, "tracer"]
    if LEAKED_USE in case.kinds:
        fitting += seen.hits[False, "tracer"]
    elif not seen.traced:
        return case.not_traced()
    if not fitting:
        return "not reached", f"ran {times(seen.ran)}, with values that were no tracers"
    return "refuted", f"ran {times(fitting)} with a tracer, and nothing was raised"
