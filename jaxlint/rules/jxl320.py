"""JXL320: seconds since 1970 in float32."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class CoarseClock(RuleOn[events.CoarseClock]):
    """## What it does

    Finds `time.time()` that becomes an array of JAX, by `jnp.array`, `jnp.float32` or as an
    argument of a compiled function, while x64 is off.

    ## Why is this bad

    Seconds since 1970 are above 1.7e9, where the numbers of float32 are 128 apart. What happens
    within two minutes happens at the same time, and a step of a second changes nothing.

    ## Bad

    ```python
    import time

    begin = jnp.array(time.time())
    elapsed = jnp.array(time.time()) - begin
    ```

    ## Instead

    ```python
    import time

    begin = time.time()
    elapsed = jnp.array(time.time() - begin)
    ```

    ## Messages

    - `...` becomes float32, which is 128 seconds apart there; subtract a beginning first, in Python
    """

    code = "JXL320"
    name = "coarse-clock"
    summary = "seconds since 1970 in float32, which cannot tell them apart"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: jnp.array(1.7e9) + 1 is jnp.array(1.7e9).",
    )

    def message(self, event: events.CoarseClock) -> str:
        return (
            f"`{text(event.subject)}` becomes float32, which is 128 seconds apart there; "
            "subtract a beginning first, in Python"
        )
