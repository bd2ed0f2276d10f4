"""JXL205: an argument with a new shape at every iteration."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class ChangingShape(RuleOn[events.ChangingShape]):
    """## What it does

    Finds jitted functions called in a loop with an array (or list) whose size changes at every
    iteration: made from a counter or a random length, sliced up to a counter, grown by
    `concatenate` or `append`. Quiet for chunks of which the last one alone is smaller, for sizes
    that double or halve, of which there are few, and in a second loop over the same sizes.

    ## Why is this bad

    Compiled code is made for one shape. A new shape is traced and compiled anew.

    ## Bad

    ```python
    @jax.jit
    def total(x):
        return x.sum()

    for n in range(1, 100):
        total(jnp.ones(n))
    ```

    ## Instead

    ```python
    @jax.jit
    def total(x, n):
        return jnp.where(jnp.arange(x.shape[0]) < n, x, 0.0).sum()

    x = jnp.ones(100)
    for n in range(1, 100):
        total(x, n)
    ```

    Pad to one size, or to a few, and mask.

    ## Messages

    - `...` has a new shape in every iteration of the loop at line ...: JAX compiles `...`
      each time; pad it to one size, and use a mask
    """

    code = "JXL205"
    name = "changing-shape"
    summary = "an argument with a new shape at every iteration"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "retraces_in_one_run",
        "jax 0.10.2: 5 traces in 5 calls with 5 shapes, and with a list that grows by "
        "one; batches of 32, 32, 32, 7: 2 traces.",
    )

    def same_cause(self, event: events.ChangingShape) -> Hashable:
        return event.loop_at.place, event.function  # Each trace is made for all of its arguments.

    def message(self, event: events.ChangingShape) -> str:
        return (
            f"`{text(event.subject)}` has a new shape in every iteration of the loop"
            f"{at_line(event.loop_at)}: JAX compiles `{event.function}` each time; "
            "pad it to one size, and use a mask"
        )
