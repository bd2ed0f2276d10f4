"""JXL206: a long Python loop in traced code."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import tracing


class UnrolledLoop(RuleOn[events.UnrolledLoop]):
    """## What it does

    Finds Python loops of a hundred iterations or more (nested ones multiplied) that compute with
    tracers.

    ## Why is this bad

    JAX does not see the loop: it traces the body at every iteration, and the compiled program holds
    all of them. Tracing and compiling grow with the count.

    ## Bad

    ```python
    @jax.jit
    def power(x):
        for _ in range(1000):
            x = x * x
        return x
    ```

    ## Instead

    ```python
    @jax.jit
    def power(x):
        return jax.lax.fori_loop(0, 1000, lambda i, x: x * x, x)
    ```

    `jax.lax.scan` where outputs are collected.

    ## Messages

    - ... traces `...` (line ...) through ... iterations of this Python loop: the compiled
      program holds each of them; use `jax.lax.fori_loop` or `jax.lax.scan`
    """

    code = "JXL206"
    name = "unrolled-loop"
    summary = "a long Python loop in traced code"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "unrolls",
        "jax 0.10.2: 10, 100, 1000 multiplications in the jaxpr for 10, 100, 1000 "
        "iterations; the first call took 0.10, 0.24, 1.35 s against 0.12, 0.12, 0.20 s "
        "with fori_loop.",
    )

    def message(self, event: events.UnrolledLoop) -> str:
        return (
            f"{tracing(event)} through {event.count} iterations of this Python loop: the "
            "compiled program holds each of them; use `jax.lax.fori_loop` or `jax.lax.scan`"
        )
