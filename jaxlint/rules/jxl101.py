"""JXL101: a branch that depends on the value of a tracer"""

from __future__ import annotations

from collections.abc import Hashable

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.branches import expression_as_where, statement_as_where
from jaxlint.fixes.code import Code
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, why_traced

_CONSTRUCTS = frozenset({"if", "elif", "conditional expression", "match", "comprehension if"})


class BranchOnTracedValue(RuleOn[events.BoolConversion]):
    """## What it does

    Finds `if`, `elif`, conditional expressions, `match` and comprehension `if`
    whose test is a tracer. An `if` and its `elif`s are one finding.

    ## Why is this bad

    While JAX traces a function, the values of its traced arguments are not known
    yet: Python cannot choose a branch, and JAX raises. Under `jax.grad` alone
    values stay concrete and such an `if` is fine; jaxlint knows the difference.

    ## Bad

    ```python
    @jax.jit
    def clip(x):
        if x > 1.0:
            return 1.0
        return x
    ```

    ## Instead

    ```python
    @jax.jit
    def clip(x):
        return jnp.where(x > 1.0, 1.0, x)
    ```

    Use `jax.lax.cond` when only one branch may run, or make the argument static
    when it takes few values. Tests of `x.shape`, `x.ndim`, `x.dtype` and
    `x is None` are fine as they are.
    """

    code = "JXL101"
    name = "branch-on-traced-value"
    summary = "a branch that depends on the value of a tracer"
    fixes = (
        "`a if test else b`, and an `if` whose branches each return one value, or assign one to "
        "the same name, become `jnp.where(test, a, b)`. Always unsafe: both values are computed "
        "then. None where a value is evidently no array, or the function calls itself."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: `if`, `elif`, `x if s else y`, `match` and comprehension `if` raise "
        "TracerBoolConversionError under jit, vmap, scan, cond, while_loop, fori_loop and "
        "checkpoint; under eager grad they work.",
        exceptions=("TracerBoolConversionError",),
        differs=(
            Difference("0.4.14", "JAX raises its base class, ConcretizationTypeError"),
            Difference("0.4.36", "jax.checkpoint raises that base class"),
            Difference("0.8.1", "`@jax.jit(...)` with options alone does not exist"),
        ),
    )

    def judge(self, event: events.BoolConversion, file: FileFacts) -> bool:
        return event.construct in _CONSTRUCTS

    def same_cause(self, event: events.BoolConversion) -> Hashable | None:
        return event.chain and event.chain.place  # One rewrite mends an `if` and its `elif`s.

    def message(self, event: events.BoolConversion) -> str:
        keyword = {"comprehension if": "if", "conditional expression": "... if ... else"}.get(
            event.construct, event.construct
        )
        return (
            f"`{keyword}` needs the value of `{text(event.subject)}` while tracing: "
            f"{why_traced(event)}; use `jnp.where` or `jax.lax.cond`, or make it static"
        )

    def fix(self, event: events.BoolConversion, code: Code) -> Fix | None:
        test = code.node(event.site)
        if test is None:
            return None
        if event.construct == "conditional expression":
            choice = code.enclosing(test, cst.IfExp)
            return expression_as_where(choice, code) if choice is not None else None
        branch = code.enclosing(test, cst.If)
        if event.construct not in ("if", "elif") or branch is None:
            return None
        fix, head = statement_as_where(branch, code), code.node(event.chain)
        return fix if fix or not isinstance(head, cst.If) else statement_as_where(head, code)
