"""JXL321: a number of which float32 keeps nothing."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short


class AbsorbedNumber(RuleOn[events.AbsorbedNumber]):
    """## What it does

    Finds bounds that are whole numbers in the dtype that they get: `jnp.clip(p, 1e-10, 1 - 1e-10)`,
    and the same of `jnp.minimum`, `jnp.maximum` and `jax.lax.clamp`; and what is added to a number
    so large that the sum is that number: `jnp.array(1.7e9) + 0.01`. Only where the numbers are
    written in the program, and x64 is off or the dtype of the array is in view.

    ## Why is this bad

    Python computes with 64 bits, where `1 - 1e-10` is less than 1. float32 has 24 binary digits:
    there it is 1.0, so the clip lets 1.0 through, and `jnp.log(1 - p)` is `-inf` just where the
    bound was to prevent that. From `2**24` on float32 holds whole numbers alone, and a clock or a
    counter that begins beyond it stands still.

    ## Bad

    ```python
    p = jnp.clip(jnp.ones(3), 1e-10, 1 - 1e-10)
    entropy = -jnp.log(1 - p)
    ```

    ## Instead

    ```python
    p = jnp.clip(jnp.ones(3), 1e-7, 1 - 1e-7)
    entropy = -jnp.log(1 - p)
    ```

    `jnp.finfo(jnp.float32).eps` is the distance from 1 to the next number; of 255 it is 255 times
    that.

    ## Messages

    - `...` gets the bound ..., which is ... in ...: it lets that through; leave at least its
      `jnp.finfo(...).eps`
    - adding ... changes nothing: in ... the sum is ... again; count from 0, or in integers
    """

    code = "JXL321"
    name = "absorbed-number"
    summary = "a bound or an addend of which float32 keeps nothing"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: jnp.clip(jnp.ones(()), 0, 1 - 1e-10) is 1.0; jnp.array(1.7e9) + 0.01 is "
        "jnp.array(1.7e9).",
    )

    def message(self, event: events.AbsorbedNumber) -> str:
        if event.function:
            return (
                f"`{short(event.function)}` gets the bound {event.number!r}, which is "
                f"{event.kept!r} in {event.dtype}: it lets that through; leave at least its "
                f"`jnp.finfo(...).eps`"
            )
        return (
            f"adding {event.number!r} changes nothing: in {event.dtype} the sum is "
            f"{event.kept!r} again; count from 0, or in integers"
        )
