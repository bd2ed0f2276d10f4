"""A gradient comes back as NaN."""

from __future__ import annotations

import ast
from typing import Any

from jaxlint.confirm.evidence.case import NEVER_RAN, Case, Judgement, times
from jaxlint.confirm.evidence.cotangents import lines_of_birth
from jaxlint.confirm.evidence.kind import EvidenceKind, Shown
from jaxlint.confirm.evidence.trial import Trial, same
from jaxlint.rules.rule import Evidence, Rule


class NanGradient(EvidenceKind):
    """A cotangent without NaN goes back through a line and comes out with it, up to the result.

    A fixture's trigger returns what it differentiates. Where the NaN is born is seen by running
    what JAX makes of the trigger, operation by operation.

    In the user's program: ``jax.grad`` outside of compiled code gives NaN for a value that is
    none, and the line has run for it. What is compiled hides its numbers; to look into it would
    take other code than the program's, so that is not done.
    """

    def promise(self, evidence: Evidence) -> str:
        return "NaN gradient"

    def absence(self, evidence: Evidence) -> str:
        return "no NaN in any gradient"

    def is_as_meant(self, trial: Trial) -> bool:
        """Numbers stay, and others take the place of NaN."""
        return trial.compares_with_the_bad_one(_same_but_for_nan)

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

    def look(self, rule: Rule) -> str:
        return "gradient"

    def judge(self, case: Case) -> Judgement:
        seen = case.seen
        if not seen.ran:
            return NEVER_RAN
        born, finite = seen.gradients["nan"], seen.gradients["finite"]
        if born:
            return "confirmed", f"{times(born)} a gradient of NaN came back, of a value without"
        if seen.gradients["value"]:
            return "not reached", "the gradient was NaN, and so was the value"
        if finite:
            return "not reached", f"no NaN came back, {times(finite)}: the bad number never came"
        ran = f"ran {times(seen.ran)}"
        if seen.gradients["unseen"] or seen.traced:
            hint = "where gradients have no numbers yet: JAX_DISABLE_JIT=1 shows them"
            return "not reached", f"{ran} while JAX compiled, {hint}"
        return "not reached", f"{ran}, and no gradient was taken by jax.grad"


def _line_in(equation: Any, path: str) -> int:
    """The innermost line of a file on the stack behind an operation; 0 for none."""
    stack = equation.source_info.traceback
    frames = stack.frames if stack is not None else ()
    return next((frame.line_num for frame in frames if frame.file_name == path), 0)


def _same_but_for_nan(fixed: Any, bad: Any) -> bool:
    """Whether two pytrees hold the same, where the second one holds numbers."""
    import jax
    import numpy as np

    def known(result: Any) -> Any:
        return jax.tree_util.tree_map(
            lambda one, other: np.where(np.isnan(other), 0, one), result, bad
        )

    return same(known(fixed), known(bad))


def _holds_nan(result: Any) -> bool:
    import jax
    import numpy as np

    leaves = map(np.asarray, jax.tree_util.tree_leaves(result))
    return any(leaf.dtype.kind in "fc" and bool(np.isnan(leaf).any()) for leaf in leaves)
