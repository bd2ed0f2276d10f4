"""A step that is made from the same state each time."""

from __future__ import annotations

import ast
import sys
import types
from functools import reduce
from typing import Any

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence, Rule

_STATE = "state"


class SameState(EvidenceKind):
    """Whenever the marked line begins, with nothing compiled, the state it passes on is the same.

    In the user's program: when the line ran again outside of a trace, the arrays of the state were
    those of the time before. In a trace the state is a tracer, and that its successor is not read
    is all that can be told.
    """

    def promise(self, evidence: Evidence) -> str:
        return "the same state at each step"

    def absence(self, evidence: Evidence) -> str:
        return "runs clean"

    def shown(self, trial: Trial) -> Shown:
        import jax

        lines = trial.fixture.text.split("\n")
        names = {mark: _state_in(lines[mark - 1]) for mark in trial.marks}
        passed: dict[int, list[Any]] = {}

        def watch(frame: types.FrameType, event: str, _: object) -> Any:
            if event == "line" and frame.f_lineno in names:
                state = _held(frame.f_locals, names[frame.f_lineno])
                passed.setdefault(frame.f_lineno, []).append(state)
            return watch if frame.f_code.co_filename == str(trial.fixture.path) else None

        before = sys.gettrace()
        try:
            sys.settrace(watch)
            with jax.disable_jit():
                trial.otherwise()
        finally:
            sys.settrace(before)
        return [
            (line, f"the same state {times(len(states))}")
            for line, states in passed.items()
            if len(states) > 1 and all(same(states[0], other) for other in states)
        ]

    def judge(self, case: Case) -> Judgement:
        if not case.seen.ran:
            return NEVER_RAN
        again, other = case.seen.states[True], case.seen.states[False]
        if again:
            return "confirmed", f"was given the state of the time before, {times(again)}"
        if other:
            return "refuted", f"was given another state each time, {times(other + 1)}"
        if case.seen.traced:
            ran = f"ran {times(case.seen.traced)} while JAX was tracing"
            return "confirmed", f"{ran}, and what it makes of the state is read nowhere"
        return "not reached", f"ran {times(case.seen.ran)}"

    def look(self, rule: Rule) -> str:
        return "state"


def _held(variables: dict[str, Any], name: str) -> Any:
    """What a dotted name stands for."""
    first, *attributes = name.split(".")
    return reduce(getattr, attributes, variables[first])


def _state_in(line: str) -> str:
    """The name that is passed on as the state: ``optimizer.update(gradients, state)``."""
    statement = ast.parse(line.strip()).body[0]
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Call)
    given = map(ast.unparse, statement.value.args)
    return next(name for name in given if _STATE in name.rpartition(".")[2])
