"""JXL303: a global or nonlocal name rebound while tracing."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, tracing


class OuterNameRebound(Rule):
    """## What it does

    Finds `global` and `nonlocal` names that traced code binds anew.

    ## Why is this bad

    The binding happens while tracing and not at later calls. A traced value that
    gets out this way is a leaked tracer: using it raises UnexpectedTracerError.

    ## Bad

    ```python
    total = 0.0

    @jax.jit
    def add(x):
        global total
        total = total + x
        return x
    ```

    ## Instead

    ```python
    @jax.jit
    def add(total, x):
        return total + x
    ```
    """

    code = "JXL303"
    name = "outer-name-rebound"
    summary = "a global or nonlocal name rebound while tracing"
    severity = "warning"
    listens_to = (Kind.OUTER_REBINDING,)
    in_tests = False
    evidence = Evidence(
        "effect",
        "jax 0.10.2: the name is bound while tracing and not at later calls.",
        effects=("rebinding",),
    )

    def message(self, event: Event) -> str:
        kept = "gets a tracer" if event.detail["leaks"] else "is set once"
        return (
            f"{event.construct} `{event.detail['name']}` {kept} while {tracing(event)}, and is "
            "left alone at later calls; pass it in and return it"
        )
