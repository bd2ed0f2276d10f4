"""JXL203: the same function wrapped by jit again each time."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.lifting import lifted
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class RepeatedJit(RuleOn[events.FreshTransform]):
    """## What it does

    Finds `jax.jit(f)(x)` of one and the same function in a loop, or in a function
    called in a loop. Quiet in a loop over a few things that are written out.

    ## Why is this bad

    It is not traced again: JAX finds the compiled code by the function. But
    wrapping and looking up takes the slow path of the dispatch at every call.

    ## Bad

    ```python
    def f(x):
        return x * 2

    for x in batches:
        y = jax.jit(f)(x)
    ```

    ## Instead

    ```python
    @jax.jit
    def f(x):
        return x * 2

    for x in batches:
        y = f(x)
    ```

    ## Messages

    - ... wraps the same function again each time at line ..., which makes every call slow,
      though nothing is traced again; wrap it once, outside
    """

    code = "JXL203"
    name = "repeated-jit"
    summary = "the same function wrapped by jit again each time"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    fixes = (
        "The function is wrapped once, as `f_jit = jax.jit(f)`, before the loop or the function. "
        "Unsafe: another place may rely on a wrapper of its own."
    )
    evidence = Evidence(
        "slow_dispatch",
        "jax 0.10.2 (CPU): no new trace; the call takes several times as long as through a "
        "kept wrapper. `jaxlint confirm` prints the ratio of your machine.",
    )

    def judge(self, event: events.FreshTransform, file: FileFacts) -> bool:
        return event.wrapped == "same function"

    def message(self, event: events.FreshTransform) -> str:
        return (
            f"{event.transform} wraps the same function again each time"
            f"{at_line(event.repeated_at)}, which makes every call slow, though nothing is traced "
            "again; wrap it once, outside"
        )

    def fix(self, event: events.FreshTransform, code: Code) -> Fix | None:
        return lifted(event, code)
