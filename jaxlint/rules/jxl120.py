"""JXL120: a function that JAX cannot trace."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class Untraceable(RuleOn[events.Untraceable]):
    """## What it does

    Finds `jit` of a generator function, and jitted functions that return a string.

    ## Why is this bad

    A compiled function computes arrays from arrays. JAX refuses a generator when the
    transform is applied, and a string when the function returns it.

    ## Bad

    ```python
    @jax.jit
    def numbers(x):
        for i in range(3):
            yield x + i
    ```

    ## Instead

    ```python
    @jax.jit
    def numbers(x):
        return jnp.stack([x + i for i in range(3)])
    ```
    """

    code = "JXL120"
    name = "untraceable-function"
    summary = "a function that JAX cannot trace"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (expected a function, got a generator function) at jit; "
        "TypeError (returned a value of type str) at the call.",
        exceptions=("TypeError",),
    )

    def message(self, event: events.Untraceable) -> str:
        if event.what == "string":
            return (
                f"a function under {event.transform} returns a string, which is no array: "
                "JAX raises; return it outside"
            )
        return (
            f"{event.transform} of a {event.what}: JAX raises; "
            "return the arrays instead of yielding them"
        )
