"""JXL106: a Python number wanted from a tracer."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import or_static, text, why_traced


class NumberFromTracer(RuleOn[events.ScalarConversion | events.IndexConversion]):
    """## What it does

    Finds `int(x)`, `float(x)`, `complex(x)`, `x.item()`, `x.tolist()`, functions of
    `math`, and format specs such as `f"{x:.2f}"` or `"%.2f" % x` on tracers.

    ## Why is this bad

    Each of them needs a Python number now, and while JAX traces there is none. Under
    eager `jax.grad` alone `int(x)` and `x.item()` still work; `float(x)` does not.

    ## Bad

    ```python
    @jax.jit
    def scale(x, n):
        return x * math.sqrt(n)
    ```

    ## Instead

    ```python
    @jax.jit
    def scale(x, n):
        return x * jnp.sqrt(n)
    ```

    To convert a type, `x.astype(jnp.float32)`; to print, `jax.debug.print("{x:.2f}", x=x)`;
    a number that shapes the program is a static argument.

    ## Messages

    - `...` needs the value of `...` while tracing; use `.astype(...)`, or make `...` static
      (`static_argnames="..."`)
    - `...` needs the value of `...` while tracing; keep the array, or take the value
      outside
    - `...` needs the value of `...` while tracing; use `jax.debug.print("{x:.2f}", x=x)` or
      format it outside
    - `...` needs the value of `...` while tracing; use `...`
    """

    code = "JXL106"
    name = "number-from-tracer"
    summary = "a Python number wanted from a tracer"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ConcretizationTypeError for int(s), float(s), complex(s), s.item(), "
        "v.tolist(), math.sin(s) and '%f' % s; TracerIntegerConversionError for math.gcd(n, 2); "
        "TypeError for f'{s:.3f}', format(s, '.3f') and "
        "'{:.2f}'.format(s). math.prod works. f'{s}' shows the tracer.",
        exceptions=("ConcretizationTypeError", "TracerIntegerConversionError", "TypeError"),
    )

    def judge(
        self, event: events.ScalarConversion | events.IndexConversion, file: FileFacts
    ) -> bool:
        return isinstance(event, events.ScalarConversion) or event.construct.startswith("math.")

    def message(self, event: events.ScalarConversion | events.IndexConversion) -> str:
        construct = event.construct
        subject = text(event.subject).removesuffix(construct)
        if construct.startswith("math."):
            instead = f"use `jnp.{construct[5:]}`"
        elif "format" in construct:
            instead = 'use `jax.debug.print("{x:.2f}", x=x)` or format it outside'
        elif construct in ("int()", "float()", "complex()"):
            instead = f"use `.astype(...)`{or_static(event)}"
        else:
            instead = "keep the array, or take the value outside"
        return (
            f"`{construct}` needs the value of `{subject}` while tracing: "
            f"{why_traced(event)}; {instead}"
        )
