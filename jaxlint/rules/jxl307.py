"""JXL307: an iterator from outside advanced in traced code."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, tracing


class OuterIterator(RuleOn[events.OuterIteration]):
    """## What it does

    Finds `next(iterator)` and `for` loops over iterators or generators that were made outside of
    the traced function.

    ## Why is this bad

    The iterator advances once, while JAX traces. Every later call uses the same element.

    ## Bad

    ```python
    batches = iter([1.0, 2.0, 3.0])

    @jax.jit
    def step(x):
        return x + next(batches)
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x, batch):
        return x + batch

    for batch in [1.0, 2.0, 3.0]:
        x = step(0.0, batch)
    ```

    ## Messages

    - `...` takes elements only while ... traces `...` (line ...): every call uses the same
      ones; take them outside and pass them in
    """

    code = "JXL307"
    name = "outer-iterator"
    summary = "an iterator from outside advanced in traced code"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "stale",
        "jax 0.10.2: the first element at each call of the compiled function.",
    )

    def message(self, event: events.OuterIteration) -> str:
        return (
            f"`{text(event.subject)}` takes elements only while {tracing(event)}: every call uses "
            "the same ones; take them outside and pass them in"
        )
