"""JXL314: integers that wrap around."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn

_MOST_DIGITS = 20


class IntegerWraps(RuleOn[events.IntegerWraps]):
    """## What it does

    Finds arithmetic on arrays of integers whose result its dtype cannot hold, where literal values
    and sizes decide that: `jnp.arange(50_000) * 100_000`, `jnp.arange(100_000).sum()`,
    `jnp.int32(1_700_000_000) * 1000`, `jnp.full(3, 2**31)`, `jnp.dot` of such numbers, and labels
    with a -1 among them as `uint8`. Other unsigned integers, whose wrapping
    around is meant more often than not, and results that are masked, compared or chosen from
    (`x * 1103515245 & 0x7FFFFFFF`, `jnp.where(...)`) are left alone.

    And a number taken from bytes, as pixels are, that a quarter of them cannot give:
    `images - 128` of `uint8`.

    ## Why is this bad

    Integers are of 32 bits while x64 is off, where NumPy has 64. What they cannot hold wraps
    around, and nothing is raised: a sum of positive numbers is negative.

    ## Bad

    ```python
    seconds = jnp.arange(50_000)
    microseconds = seconds * 1_000_000
    ```

    ## Instead

    ```python
    seconds = jnp.arange(50_000)
    microseconds = seconds * 1_000_000.0
    ```

    A float32 has 24 bits for the digits. Where all are needed, compute in NumPy, or set
    `jax_enable_x64` when the program starts and ask for `jnp.int64`.

    ## Messages

    - ... cannot hold ..., which comes of this: it wraps around, and nothing is raised; compute it
      with floats, in NumPy, or in a wider dtype
    """

    code = "JXL314"
    name = "integer-wraps"
    summary = "integer arithmetic whose result its dtype cannot hold"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2, x64 off: `jnp.arange(100_000).sum()` is 704982704 and not 4999950000, "
        "`jnp.full(3, 2**31)` holds -2147483648.",
        differs=(Difference("0.8.2", "`jnp.arange(2**31, 2**31 + 4)` raises OverflowError"),),
    )

    def message(self, event: events.IntegerWraps) -> str:
        return (
            f"{event.dtype} cannot hold {_shown(event.number)}, which comes of this: it wraps "
            "around, and nothing is raised; compute it with floats, in NumPy, or in a wider dtype"
        )


def _shown(number: int) -> str:
    """A number, or about what it is where it is very long."""
    digits = str(abs(number))
    if len(digits) <= _MOST_DIGITS:
        return str(number)
    return f"{'-' * (number < 0)}{digits[0]}.{digits[1:3]}e{len(digits) - 1}"
