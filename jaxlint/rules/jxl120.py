"""JXL120: a function that JAX cannot trace."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule


class Untraceable(Rule):
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
    listens_to = (Kind.UNTRACEABLE,)
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (expected a function, got a generator function) at jit; "
        "TypeError (returned a value of type str) at the call.",
        exceptions=("TypeError",),
    )

    def judge(self, event: Event) -> bool:
        return not event.guarded

    def message(self, event: Event) -> str:
        name = event.detail["name"]
        if event.construct == "string":
            return f"a function under {name} returns a string, which is no array: JAX raises; "
            "return it outside"
        return (
            f"{name} of a {event.construct}: JAX raises; return the arrays instead of yielding them"
        )
