"""JXL110: a Python container indexed or keyed by a tracer."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Difference, Evidence, Rule, text, why_traced


class ContainerIndexedByTracer(Rule):
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
    """

    code = "JXL110"
    name = "container-indexed-by-tracer"
    summary = "a Python container indexed or keyed by a tracer"
    listens_to = (Kind.INDEX_CONVERSION, Kind.HASH_CONVERSION)
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
                kinds=(Kind.HASH_CONVERSION,),
            ),
        ),
    )

    def judge(self, event: Event) -> bool:
        ours = event.kind is Kind.HASH_CONVERSION or event.construct in ("list", "tuple")
        return ours and not event.guarded

    def message(self, event: Event) -> str:
        subject = text(event.subject)
        if event.kind is Kind.HASH_CONVERSION:
            what = f"`{subject}` cannot be hashed ({event.construct}): {why_traced(event)}"
            return f"{what}; use a static value, or arrays and `jnp.where`"
        what = f"a Python {event.construct} cannot be indexed with `{subject}` while tracing"
        return (
            f"{what}: {why_traced(event)}; make it an array (`jnp.array`, `jnp.stack`), "
            "or use `jax.lax.switch`"
        )
