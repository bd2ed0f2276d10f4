"""JXL301: output written while tracing."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, tracing


class OutputWhileTracing(Rule):
    """## What it does

    Finds `print`, logging and other output in traced code. Quiet when it says
    only what is known while tracing (`print(x.shape)`), or when its text says
    that it is about tracing or compiling.

    ## Why is this bad

    The Python code of a traced function runs once per signature. The output
    appears then, shows tracers in place of values, and never again.

    ## Bad

    ```python
    @jax.jit
    def step(x):
        print("x =", x)
        return x * 2
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x):
        jax.debug.print("x = {}", x)
        return x * 2
    ```
    """

    code = "JXL301"
    name = "output-while-tracing"
    summary = "output written while tracing"
    severity = "warning"
    listens_to = (Kind.HOST_OUTPUT,)
    in_tests = False
    evidence = Evidence(
        "effect",
        "jax 0.10.2: the output is written while tracing and not at later calls.",
        effects=("output",),
    )

    def judge(self, event: Event) -> bool:
        shows = event.detail["shows"]
        if shows == "tracer":
            return True
        words = str(event.detail["text"]).lower()
        meant = any(word in words for word in ("trac", "compil", "jit"))
        return shows == "text" and not meant

    def message(self, event: Event) -> str:
        shown = " and shows a tracer, not a value" if event.detail["shows"] == "tracer" else ""
        return (
            f"`{event.construct}` runs once, when {tracing(event)}, not at each call{shown}; "
            "use `jax.debug.print`"
        )
