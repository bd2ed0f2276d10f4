"""Something is written or changed outside of the trace while JAX is tracing."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from jaxlint.confirm.evidence.case import Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.watcher import Run
from jaxlint.rules.rule import Evidence, Rule

_OUTPUT = "output"


class Effect(EvidenceKind):
    """One of the promised effects: at tracing only, so that a second call does not repeat it.

    The observer sees changes. Output it cannot see without standing in its way, which it
    does in fixtures alone: in the user's program a line that writes is one that has run.
    """

    def promise(self, evidence: Evidence) -> str:
        return f"{' or '.join(evidence.effects)} while tracing"

    def look(self, rule: Rule) -> str:
        return "" if rule.evidence.effects == (_OUTPUT,) else "changes"

    @contextmanager
    def conditions(self, trial: Trial) -> Iterator[None]:
        out, err = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = _Recorder(trial, out), _Recorder(trial, err)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = out, err

    def shown(self, trial: Trial) -> Shown:
        first, second = _effects(trial.first), _effects(trial.again())
        found: Shown = []
        for line, kind, traced, leaks in first:
            if traced and kind in trial.evidence.effects:
                tracer = ", a tracer" if leaks else ""
                counts = f"{_count(first, line, kind)} in the first run"
                counts += f", {_count(second, line, kind)} in the second"
                found.append((line, f"{kind}{tracer}: {counts}"))
        return found

    def judge(self, case: Case) -> Judgement:
        seen = case.seen
        if not seen.traced or case.rule.evidence.effects == (_OUTPUT,):
            return case.baked_in()
        changes = {
            change: count
            for change, count in seen.changes.items()
            if change.kind in case.rule.evidence.effects
        }
        outside = {change: count for change, count in changes.items() if change.outer}
        if outside:
            what = " and a tracer got out" if any(change.leaks for change in outside) else ""
            count = times(sum(outside.values()))
            return "confirmed", f"changed {count} while JAX was tracing{what}"
        if changes:
            return "not reached", "what it changed was made inside, as far as can be seen"
        if seen.raised:
            return "not reached", "an exception came first"
        return "refuted", f"traced {times(seen.traced)}, and nothing outside was changed"


_Effects = Counter[tuple[int, str, bool, bool]]
"""(line, kind of effect, while tracing, a tracer got out) -> how often."""


def _effects(run: Run) -> _Effects:
    found: _Effects = Counter(run.notes)
    for line, change, count in run.changes:
        if change.outer and change.own:
            found[line, change.kind, True, change.leaks] += count
    return found


def _count(effects: _Effects, line: int, kind: str) -> int:
    return sum(count for key, count in effects.items() if key[:2] == (line, kind))


class _Recorder:
    """A text stream that notes which line of the fixture writes, and passes it on."""

    def __init__(self, trial: Trial, stream: TextIO) -> None:
        self._trial = trial
        self._stream = stream

    def write(self, text: str) -> int:
        line = self._trial.line_of(sys._getframe(1)) if text.strip() else 0
        if line:
            leaks = "Traced<" in text or "Tracer(" in text
            self._trial.run.notes[line, _OUTPUT, self._trial.is_tracing, leaks] += 1
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
