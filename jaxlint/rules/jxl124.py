"""JXL124: an integer that its dtype cannot hold."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class NumberOutOfRange(RuleOn[events.NumberOutOfRange]):
    """## What it does

    Finds Python integers beyond 32 bits beside an array (`x & 0xFFFFFFFF`, `x / 2**32`) or among
    the operands of a function (`jnp.minimum(x, 2**40)`, `jnp.where(mask, x, 2**31)`), and integers
    that are made an array of a dtype which cannot hold them (`jnp.uint8(300)`,
    `jnp.array(2**31)`), while x64 is off.

    ## Why is this bad

    JAX raises OverflowError. A Python integer beside an array becomes an int32, even where the
    array is of uint32 or of floats.

    ## Bad

    ```python
    bits = jnp.arange(4, dtype=jnp.uint32)
    mixed = bits * 0x9E3779B9
    ```

    ## Instead

    ```python
    bits = jnp.arange(4, dtype=jnp.uint32)
    mixed = bits * jnp.uint32(0x9E3779B9)
    ```

    `2.0**32` is a float and no integer; a uint32 wraps around by itself.

    ## Messages

    - int32, which an integer becomes, cannot hold ...: OverflowError; give it a dtype
      (`jnp.uint32(...)`) or write a float
    - ... cannot hold ...: OverflowError; choose a dtype that can
    """

    code = "JXL124"
    name = "number-out-of-range"
    summary = "an integer that its dtype cannot hold"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, x64 off: OverflowError (An overflow was encountered while parsing an argument "
        "to a jitted computation; Python integer 300 out of bounds for uint8). The same for "
        "arrays of uint32 and float32. `x ** 2**31` raises nothing.",
        exceptions=("OverflowError",),
    )

    def message(self, event: events.NumberOutOfRange) -> str:
        if event.dtype == "int32":
            return (
                f"int32, which an integer becomes, cannot hold {event.number}: OverflowError; "
                "give it a dtype (`jnp.uint32(...)`) or write a float"
            )
        return f"{event.dtype} cannot hold {event.number}: OverflowError; choose a dtype that can"
