"""JXL102: a `while` loop whose test is a tracer"""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import or_static, text, why_traced


class WhileOnTracedValue(RuleOn[events.BoolConversion]):
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

    ## Messages

    - `while` needs the value of `...` while tracing; use `jax.lax.while_loop`
    - `while` needs the value of `...` while tracing; use `jax.lax.while_loop`, or make
      `...` static (`static_argnames="..."`)
    """

    code = "JXL102"
    name = "while-on-traced-value"
    summary = "a `while` loop whose test is a tracer"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TracerBoolConversionError at the first test, under every transform that "
        "traces fully and under vmap.",
        exceptions=("TracerBoolConversionError",),
        differs=(Difference("0.4.14", "JAX raises its base class, ConcretizationTypeError"),),
    )

    def judge(self, event: events.BoolConversion, file: FileFacts) -> bool:
        return event.construct == "while"

    def message(self, event: events.BoolConversion) -> str:
        return (
            f"`while` needs the value of `{text(event.subject)}` while tracing: "
            f"{why_traced(event)}; use `jax.lax.while_loop`{or_static(event)}"
        )
