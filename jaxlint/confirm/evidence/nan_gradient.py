"""A gradient comes back as NaN."""

from __future__ import annotations

import ast
from typing import Any

from jaxlint.confirm.evidence.case import Case, Judgement
from jaxlint.confirm.evidence.cotangents import lines_of_birth
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial
from jaxlint.rules.rule import Evidence


class NanGradient(EvidenceKind):
    """A cotangent without NaN goes back through a line and comes out with it, up to the result.

    A fixture's trigger returns what it differentiates. Where the NaN is born is seen by running
    what JAX makes of the trigger, operation by operation.
    """

    def promise(self, evidence: Evidence) -> str:
        return "NaN gradient"

    def absence(self, evidence: Evidence) -> str:
        return "no NaN in any gradient"

    def shown(self, trial: Trial) -> Shown:
        import jax

        if not _holds_nan(trial.result):
            return []
        traced = jax.make_jaxpr(lambda: trial.namespace[trial.name]())()
        own = {
            node.name for node in ast.walk(ast.parse(trial.fixture.text))
            if isinstance(node, ast.FunctionDef)
        } | {"<lambda>"}  # fmt: skip
        path = str(trial.fixture.path)
        lines = lines_of_birth(traced, lambda each: _line_in(each, path), own.__contains__)
        return [(line, "NaN gradient") for line in lines]

    def judge(self, case: Case) -> Judgement:
        return case.not_traced()


def _line_in(equation: Any, path: str) -> int:
    """The innermost line of a file on the stack behind an operation; 0 for none."""
    stack = equation.source_info.traceback
    frames = stack.frames if stack is not None else ()
    return next((frame.line_num for frame in frames if frame.file_name == path), 0)


def _holds_nan(result: Any) -> bool:
    import jax
    import numpy as np

    leaves = map(np.asarray, jax.tree_util.tree_leaves(result))
    return any(leaf.dtype.kind in "fc" and bool(np.isnan(leaf).any()) for leaf in leaves)
