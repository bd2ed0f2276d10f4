"""JXL110: a Python container indexed or keyed by a tracer."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, why_traced


class ContainerIndexedByTracer(RuleOn[events.IndexConversion | events.HashConversion]):
    """## What it does

    Finds lists and tuples indexed by a tracer, and tracers as dict keys or set elements.

    ## Why is this bad

    Python needs the number (or the hash) while tracing, and there is none.

    ## Bad

    ```python
    RATES = [0.1, 0.01, 0.001]

    @jax.jit
    def rate(i):
        return RATES[i]
    ```

    ## Instead

    ```python
    RATES = jnp.array([0.1, 0.01, 0.001])

    @jax.jit
    def rate(i):
        return RATES[i]
    ```

    A list of functions: `jax.lax.switch(i, functions, x)`.

    ## Messages

    - a Python ... cannot be indexed with `...` while tracing; make it an array
      (`jnp.array`, `jnp.stack`), or use `jax.lax.switch`
    - `...` cannot be hashed (...); use a static value, or arrays and `jnp.where`
    """

    code = "JXL110"
    name = "container-indexed-by-tracer"
    summary = "a Python container indexed or keyed by a tracer"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TracerIntegerConversionError for list[n], list[:n], (a, b)[n]; TypeError "
        "(unhashable) for {s}, {s: 1}, dict[n], s in {...}, hash(s).",
        exceptions=("TracerIntegerConversionError", "TypeError"),
        differs=(
            Difference(
                "0.4.36",
                "JAX hashes a tracer by identity: the key is never found again",
                silent=True,
                of=(events.HashConversion,),
            ),
        ),
    )

    def judge(self, event: events.IndexConversion | events.HashConversion, file: FileFacts) -> bool:
        return isinstance(event, events.HashConversion) or event.construct in ("list", "tuple")

    def message(self, event: events.IndexConversion | events.HashConversion) -> str:
        subject = text(event.subject)
        if isinstance(event, events.HashConversion):
            why = why_traced(event) if event.reason is not None else "it is a JAX array"
            what = f"`{subject}` cannot be hashed ({event.construct}): {why}"
            return f"{what}; use a static value, or arrays and `jnp.where`"
        what = f"a Python {event.construct} cannot be indexed with `{subject}` while tracing"
        return (
            f"{what}: {why_traced(event)}; make it an array (`jnp.array`, `jnp.stack`), "
            "or use `jax.lax.switch`"
        )
