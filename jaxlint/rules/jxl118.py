"""JXL118: a tracer used after its trace has ended."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, why_traced


class LeakedTracer(RuleOn[events.LeakedUse]):
    """## What it does

    Finds uses of a tracer that a traced function stored outside of itself.

    ## Why is this bad

    A tracer means something only while its function is traced. Afterwards any operation on it
    raises UnexpectedTracerError, often far from where it got out.

    ## Bad

    ```python
    history = []

    @jax.jit
    def step(x):
        history.append(x)
        return x * 2

    step(1.0)
    print(history[0] + 1)
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x):
        return x * 2, x

    y, seen = step(1.0)
    ```

    JXL302, JXL303 and JXL305 report where it gets out. A tracer that `functools.cache` keeps gets
    out as soon as the function is asked for it in another trace.

    ## Messages

    - `...` uses a tracer after tracing has ended; return the value from the function
      instead
    - `...` uses a tracer after tracing has ended; `...` caches it: make it of NumPy arrays, or
      before
    """

    code = "JXL118"
    name = "leaked-tracer"
    summary = "a tracer used after its trace has ended"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: UnexpectedTracerError for any operation on it; printing it shows "
        "the tracer, float() and bool() raise ConcretizationTypeError.",
        exceptions=("UnexpectedTracerError",),
        differs=(
            Difference("0.4.36", "what gets out of `jax.grad` alone can still be computed with"),
        ),
    )

    def message(self, event: events.LeakedUse) -> str:
        instead = "return the value from the function instead"
        if event.kept_by:
            instead = f"`{event.kept_by}` caches it: make it of NumPy arrays, or before"
        return (
            f"`{text(event.subject)}` uses a tracer after tracing has ended: "
            f"{why_traced(event)}; {instead}"
        )
