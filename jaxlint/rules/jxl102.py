"""JXL102: a `while` loop whose test is a tracer"""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Difference, Evidence, Rule, text, why_traced

_CONSTRUCTS = frozenset({"while"})


class WhileOnTracedValue(Rule):
    """## What it does

    Finds `while` loops whose test is a tracer.

    ## Why is this bad

    Tracing runs the Python loop once, now, and the value that would end it is not
    known: JAX raises at the first test.

    ## Bad

    ```python
    @jax.jit
    def halve(x):
        while x > 1.0:
            x = x / 2
        return x
    ```

    ## Instead

    ```python
    @jax.jit
    def halve(x):
        return jax.lax.while_loop(lambda x: x > 1.0, lambda x: x / 2, x)
    ```
    """

    code = "JXL102"
    name = "while-on-traced-value"
    summary = "a `while` loop whose test is a tracer"
    listens_to = (Kind.BOOL_CONVERSION,)
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TracerBoolConversionError at the first test, under every transform that "
        "traces fully and under vmap.",
        exceptions=("TracerBoolConversionError",),
        differs=(Difference("0.4.14", "JAX raises its base class, ConcretizationTypeError"),),
    )

    def judge(self, event: Event) -> bool:
        return event.construct in _CONSTRUCTS and not event.guarded

    def message(self, event: Event) -> str:
        return (
            f"`while` needs the value of `{text(event.subject)}` while tracing: "
            f"{why_traced(event)}; use `jax.lax.while_loop`, or make it static"
        )
