"""JXL103: an `assert` on a tracer"""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, why_traced


class AssertOnTracedValue(RuleOn[events.BoolConversion]):
    """## What it does

    Finds `assert` statements that test a tracer.

    ## Why is this bad

    The assertion is evaluated while tracing, when the value is not known: JAX
    raises whether the condition would hold or not.

    ## Bad

    ```python
    @jax.jit
    def log(x):
        assert jnp.all(x > 0)
        return jnp.log(x)
    ```

    ## Instead

    Check before the call, or inside with `jax.experimental.checkify.check`, or
    with `equinox.error_if`. Assertions on `x.shape` and `x.dtype` are fine.

    ## Messages

    - `assert` needs the value of `...` while tracing; check it before the call, or use
      `checkify.check`
    """

    code = "JXL103"
    name = "assert-on-traced-value"
    summary = "an `assert` on a tracer"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TracerBoolConversionError, also when the condition holds.",
        exceptions=("TracerBoolConversionError",),
        differs=(Difference("0.4.14", "JAX raises its base class, ConcretizationTypeError"),),
    )

    def judge(self, event: events.BoolConversion, file: FileFacts) -> bool:
        return event.construct == "assert"

    def message(self, event: events.BoolConversion) -> str:
        return (
            f"`assert` needs the value of `{text(event.subject)}` while tracing: "
            f"{why_traced(event)}; check it before the call, or use `checkify.check`"
        )
