"""JXL105: a Python loop that needs a tracer's value or axes."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import or_static, text, why_traced

_INSTEAD = "`jax.lax.fori_loop` or `jax.lax.scan`"


class RangeOfTracedValue(RuleOn[events.IndexConversion | events.ScalarIteration]):
    """## What it does

    Finds `range()` of a tracer, and `for` loops over a traced scalar.

    ## Why is this bad

    `range` needs Python integers, and a traced number has no value yet. A scalar
    has no axis to go along.

    ## Bad

    ```python
    @jax.jit
    def power(x, n):
        result = 1.0
        for _ in range(n):
            result = result * x
        return result
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="n")   # few values of n, or:

    @jax.jit
    def power(x, n):
        return jax.lax.fori_loop(0, n, lambda i, r: r * x, 1.0)
    ```

    `range(x.shape[0])` and `range(len(x))` are fine.

    ## Messages

    - `range()` needs an integer that tracing does not know; use `jax.lax.fori_loop` or
      `jax.lax.scan`, or make `...` static (`static_argnames="..."`)
    - `for` cannot iterate over the scalar `...`; use `jax.lax.fori_loop` or `jax.lax.scan`
    """

    code = "JXL105"
    name = "range-of-traced-value"
    summary = "a Python loop that needs a tracer's value or axes"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: `range(n)` raises TracerIntegerConversionError; `for _ in s` over a scalar "
        "raises TypeError (iteration over a 0-d array). `for row in v` works and unrolls.",
        exceptions=("TracerIntegerConversionError", "TypeError"),
    )

    def judge(
        self, event: events.IndexConversion | events.ScalarIteration, file: FileFacts
    ) -> bool:
        return isinstance(event, events.ScalarIteration) or event.construct == "range()"

    def message(self, event: events.IndexConversion | events.ScalarIteration) -> str:
        if isinstance(event, events.ScalarIteration):
            what = f"`for` cannot iterate over the scalar `{text(event.subject)}`"
            if event.reason is None:
                return f"{what}: it has no axes; give the loop an array with one, or a `range`"
            return f"{what}: {why_traced(event)}; use {_INSTEAD}"
        return (
            f"`{event.construct}` needs an integer that tracing does not know: "
            f"{why_traced(event)}; use {_INSTEAD}{or_static(event)}"
        )
