"""JXL204: a static argument with a new value at every iteration."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.lifting import lifted_argument
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class ChangingStatic(RuleOn[events.ChangingStatic]):
    """## What it does

    Finds jitted functions called in a loop with a static argument that is another one each time:
    a loop counter, a number computed from it, a new lambda or object. `eqx.filter_jit` traces
    arrays alone: there, each Python number is static, also one in a field of a module or in a
    dictionary.

    ## Why is this bad

    Each new value of a static argument is a new program: it is traced and compiled at every
    iteration. A loop of at most four iterations that are known is left alone, unless another loop
    goes around it.

    ## Bad

    ```python
    @partial(jax.jit, static_argnames="step")
    def update(x, step):
        return x / (step + 1)

    x = jnp.ones(3)
    for step in range(1000):
        x = update(x, step)
    ```

    ## Instead

    ```python
    @jax.jit
    def update(x, step):
        return x / (step + 1)

    x = jnp.ones(3)
    for step in range(1000):
        x = update(x, step)
    ```

    A traced number does not retrace.

    ## Messages

    - static argument `...` of `...` has a new value in every iteration of the loop at line
      ...: JAX compiles each time; do not make it static
    - static argument `...` of `...` is a new object in every iteration of the loop at line
      ...: JAX compiles each time; make it once before the loop
    - `...` is no array, and has a new value in every iteration of the loop at line ...: `...` is
      compiled each time; pass an array
    """

    code = "JXL204"
    name = "changing-static"
    summary = "a static argument with a new value at every iteration"
    severity = "warning"
    in_tests = False
    fixes = (
        "A lambda or an object that is made anew each time is made once, before the loop. Unsafe: "
        "it may be meant to be another one. None for numbers, which may have to be static."
    )
    evidence = Evidence(
        "retraces_in_one_run",
        "jax 0.10.2: 5 traces in 5 calls with 5 values of a static argument; 1 in 5 "
        "with a traced Python int. equinox 0.13.8: 5 in 5 with a Python float or int given to "
        "filter_jit, 1 in 5 with an array or a scalar of NumPy.",
    )

    def same_cause(self, event: events.ChangingStatic) -> Hashable:
        return event.loop_at.place, text(event.subject)

    def message(self, event: events.ChangingStatic) -> str:
        if event.fresh:
            return (
                f"static argument `{text(event.subject)}{event.inside}` of `{event.function}` is a "
                f"new object in every iteration of the loop{at_line(event.loop_at)}: JAX compiles "
                "each time; make it once before the loop"
            )
        row = TRANSFORMS.get(event.transform)
        if row is not None and row.traced == "arrays":
            return (
                f"`{text(event.subject)}{event.inside}` is no array, and has a new value in every "
                f"iteration of the loop{at_line(event.loop_at)}: `{event.function}` is compiled "
                "each time; pass an array"
            )
        return (
            f"static argument `{text(event.subject)}` of `{event.function}` has a new value in "
            f"every iteration of the loop{at_line(event.loop_at)}: JAX compiles each time; "
            "do not make it static"
        )

    def fix(self, event: events.ChangingStatic, code: Code) -> Fix | None:
        return lifted_argument(event, code)
