"""JXL201: a new callable compiled on every iteration."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.lifting import lifted
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class FreshCallableInLoop(RuleOn[events.FreshTransform]):
    """## What it does

    Finds `jax.jit` of a lambda, partial, bound method, transformed function or
    inner function that is made anew on every iteration of a loop and called
    there; and an eager `scan`, `while_loop` or `cond` with such a body, or an eager `jax.lax.map`,
    which puts a function of its own around any it gets. Quiet where a loop over a few things that
    are written out compares variants, each with an object, size, function or shape of its own.

    ## Why is this bad

    JAX caches compiled code by the identity of the function. A new function
    object is a new entry: it is traced and compiled on every iteration.

    ## Bad

    ```python
    for x in batches:
        y = jax.jit(lambda v: v * scale)(x)
    ```

    ## Instead

    ```python
    multiply = jax.jit(lambda v, scale: v * scale)
    for x in batches:
        y = multiply(x, scale)
    ```

    The same function wrapped again finds the cache: that is JXL203.

    ## Messages

    - ... gets a new ... in every iteration of the loop at line ...: JAX traces and compiles
      each; make it once before the loop
    - ... compiles in every iteration of the loop at line ..., whatever function it gets; call it
      under `jax.jit`
    """

    code = "JXL201"
    name = "fresh-callable-in-loop"
    summary = "a new callable compiled on every iteration"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    fixes = (
        "The wrapper is made before the loop. Unsafe: what it closes over is read once. None "
        "where it wraps or closes over something that the loop changes, for what is made by a "
        "call, and for bodies of `scan` and its like."
    )
    evidence = Evidence(
        "retraces",
        "jax 0.10.2: 5 traces in 5 iterations for a lambda, partial, bound method, grad(f), "
        "vmap(f) or inner function; 270 to 1900 times the cost of a cached call.",
    )

    def judge(self, event: events.FreshTransform, file: FileFacts) -> bool:
        return event.repeated == "loop" and event.wrapped != "same function"

    def message(self, event: events.FreshTransform) -> str:
        if event.wrapped == events.ANY_FUNCTION:
            return (
                f"{event.transform} compiles in every iteration of the loop"
                f"{at_line(event.repeated_at)}, whatever function it gets; call it under `jax.jit`"
            )
        return (
            f"{event.transform} gets a new {event.wrapped} in every iteration of the loop"
            f"{at_line(event.repeated_at)}: JAX traces and compiles each; make it once before the "
            "loop"
        )

    def fix(self, event: events.FreshTransform, code: Code) -> Fix | None:
        return lifted(event, code)
