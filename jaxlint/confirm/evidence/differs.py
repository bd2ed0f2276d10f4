"""Processes hold different values where JAX takes them for one."""

from __future__ import annotations

import ast

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.confirm.fixtures.apart import Apart
from jaxlint.confirm.fixtures.find import Fixture
from jaxlint.rules.rule import Evidence


class Differs(EvidenceKind):
    """In two processes of a cluster a trigger gives different results, or JAX refuses the line."""

    apart = True
    processes = 2
    watched = True
    values_stay = False

    def promise(self, evidence: Evidence) -> str:
        refused = f", or {' or '.join(evidence.exceptions)}" if evidence.exceptions else ""
        return f"another result in each of two processes{refused}"

    def absence(self, evidence: Evidence) -> str:
        return "the same result in two processes"

    def shown(self, trial: Trial) -> Shown:
        return []

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        here = trial.as_it_is
        if here.raised:
            return [(here.line, here.raised[0])]
        one, *others = (each.text for each in trial.of_each)
        if all(other == one for other in others):
            return []
        what = f"{one} in process 0, {others[0]} in process 1"
        return [(line, what) for line in _marks_in(trial.fixture, trial.name)]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.ran:
            return NEVER_RAN
        alone = all(process.of == 1 for process in case.observation.processes)
        how = "in one process alone" if alone else "and JAX compares nothing"
        return "not reached", f"ran {times(case.seen.ran)}, {how}"


def _marks_in(fixture: Fixture, trigger: str) -> list[int]:
    """The marked lines of a trigger, of which it returns what comes; or of all the fixture."""
    for node in ast.parse(fixture.text).body:
        if isinstance(node, ast.FunctionDef) and node.name == trigger:
            last = node.end_lineno or node.lineno
            return [line for line in fixture.marked_lines if node.lineno <= line <= last] or [0]
    return [0]
