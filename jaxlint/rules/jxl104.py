"""JXL104: an operator or builtin that asks a tracer for its truth value"""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, why_traced

_CONSTRUCTS = frozenset(
    {
        "and",
        "or",
        "not",
        "chained comparison",
        "in",
        "bool()",
        "min()",
        "max()",
        "sorted()",
        "any()",
        "all()",
        "filter()",
    }
)

_INSTEAD = {
    "and": "`jnp.logical_and` or `&`",
    "or": "`jnp.logical_or` or `|`",
    "not": "`jnp.logical_not` or `~`",
    "chained comparison": "two comparisons joined with `&`",
    "in": "`jnp.isin`",
    "bool()": "the array itself with `jnp.where`",
    "min()": "`jnp.minimum` or `jnp.min`",
    "max()": "`jnp.maximum` or `jnp.max`",
    "sorted()": "`jnp.sort`",
    "any()": "`jnp.any`",
    "all()": "`jnp.all`",
    "filter()": "`jnp.where` with a mask",
}


class TruthOfTracedValue(RuleOn[events.BoolConversion]):
    """## What it does

    Finds `and`, `or`, `not`, chained comparisons, `in` a list, `bool()`, and the
    builtins `min`, `max`, `sorted`, `any`, `all`, `filter` on tracers. In the test
    of an `if`, `while` or `assert` the statement's own rule speaks instead.

    ## Why is this bad

    Each of them asks the tracer for its truth value, which is not known while
    tracing. `0 < x < 1` hides an `and`; `max(x, 0)` hides an `if`.

    ## Bad

    ```python
    @jax.jit
    def relu(x):
        return max(x, 0.0)
    ```

    ## Instead

    ```python
    @jax.jit
    def relu(x):
        return jnp.maximum(x, 0.0)
    ```

    `jnp.logical_and`, `&`, `|`, `~`, `jnp.any`, `jnp.all`, `jnp.sort` likewise.

    ## Messages

    - `...` needs a true or false from `...` while tracing; use ...
    - a chained comparison needs a true or false from `...` while tracing; use two
      comparisons joined with `&`
    - `...` compares values that are not known while tracing; use ...
    """

    code = "JXL104"
    name = "truth-of-traced-value"
    summary = "an operator or builtin that asks a tracer for its truth value"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TracerBoolConversionError for `and`, `or`, `not`, `0 < s < 1`, "
        "`min(s, 1.)`, `max(v)`, `sorted(v)`, `any(m)`, `all(m)`, `s in [1., 2.]`; "
        "`sum`, `abs`, `round`, `pow` work and stay traced.",
        exceptions=("TracerBoolConversionError",),
        differs=(Difference("0.4.14", "JAX raises its base class, ConcretizationTypeError"),),
    )

    def judge(self, event: events.BoolConversion, file: FileFacts) -> bool:
        return event.construct in _CONSTRUCTS

    def message(self, event: events.BoolConversion) -> str:
        instead = _INSTEAD.get(event.construct, "the jnp function")
        construct, subject = event.construct, text(event.subject)
        asks = "a chained comparison" if construct == "chained comparison" else f"`{construct}`"
        if construct.endswith("()") and subject.startswith(construct[:-1]):
            subject = subject[len(construct) - 1 : -1]
        what = f"{asks} needs a true or false from `{subject}` while tracing"
        if event.construct in _COMPARE:
            what = f"`{text(event.subject)}` compares values that are not known while tracing"
        return f"{what}: {why_traced(event)}; use {instead}"


_COMPARE = ("min()", "max()", "sorted()")
