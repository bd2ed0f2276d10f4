"""JXL204: a static argument with a new value at every iteration."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, line_of, text


class ChangingStatic(Rule):
    """## What it does

    Finds jitted functions called in a loop with a loop counter as a static argument.

    ## Why is this bad

    Each new value of a static argument is a new program: it is traced and compiled at every
    iteration.

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
    """

    code = "JXL204"
    name = "changing-static"
    summary = "a static argument with a new value at every iteration"
    severity = "warning"
    listens_to = (Kind.CHANGING_STATIC,)
    in_tests = False
    evidence = Evidence(
        "retraces_in_one_run",
        "jax 0.10.2: 5 traces in 5 calls with 5 values of a static argument; 1 in 5 "
        "with a traced Python int.",
    )

    def judge(self, event: Event) -> bool:
        return not event.guarded

    def message(self, event: Event) -> str:
        return (
            f"static argument `{text(event.subject)}` of `{event.detail['function']}` takes a new "
            f"value at every iteration of the loop{line_of(event, 'loop_at')}: traced and compiled "
            "each time; pass it as a traced argument"
        )
