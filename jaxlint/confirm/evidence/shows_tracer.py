"""What is printed when the program runs shows a tracer in place of a value."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout

from jaxlint.confirm.evidence.case import Case, Judgement
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence

_TRACER = re.compile(r"Traced<\S*|\w*Tracer[<(]\S*")


class ShowsTracer(EvidenceKind):
    """The output of the marked line has the text of a tracer in it.

    In the user's program: the line ran while JAX was tracing.
    """

    def promise(self, evidence: Evidence) -> str:
        return "prints a tracer, not its value"

    def shown(self, trial: Trial) -> Shown:
        if not trial.marks:
            found = _printed(trial.otherwise)
            return [(0, found)] if found else []
        shown: Shown = []
        for line in trial.first.ran(trial.marks, traced=True):
            others = [mark for mark in trial.marks if mark != line]
            found = _printed(lambda others=others: trial.otherwise(without=others))  # type: ignore[misc]
            if found:
                shown.append((line, f"printed {found}"))
        return shown

    def judge(self, case: Case) -> Judgement:
        return case.baked_in()


def _printed(action: Callable[[], object]) -> str:
    """The first tracer in what is printed, or nothing."""
    import jax

    with redirect_stdout(io.StringIO()) as output:
        action()
        jax.effects_barrier()
    found = _TRACER.search(output.getvalue())
    return found[0] if found is not None else ""
