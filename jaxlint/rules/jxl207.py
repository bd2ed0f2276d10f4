"""JXL207: a large array that is a constant of the compiled program."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class CapturedConstant(RuleOn[events.CapturedConstant]):
    """## What it does

    Finds arrays of 16 MiB or more that a compiled function computes with and is not given: it
    reads a global variable, or one of the function around it. Only where the code says how large
    the array is; a name of which only `.shape` or `.dtype` is read is none, nor is an array of
    `jnp.zeros` and its like, of which JAX writes one number down.

    ## Why is this bad

    JAX writes such an array into the program that it compiles. It is copied to the host, printed
    into the text of the program and read back: 105 MB take four seconds at each compilation, where
    an argument of that size takes a tenth. The compiler may compute with it, too, which takes
    longer, and the memory is taken once more by each program that has it in it. What is assigned
    to the variable later is not seen.

    ## Bad

    ```python
    TABLE = jax.random.normal(jax.random.key(0), (4096, 4096))

    @jax.jit
    def lookup(ids):
        return TABLE[ids].sum(-1)
    ```

    ## Instead

    ```python
    TABLE = jax.random.normal(jax.random.key(0), (4096, 4096))

    @jax.jit
    def lookup(table, ids):
        return table[ids].sum(-1)

    lookup(TABLE, jnp.arange(8))
    ```

    `jax.config.update("jax_captured_constants_warn_bytes", 10**7)` makes JAX warn of them, and
    `jax_captured_constants_report_frames` says where they come from.

    ## Messages

    - `...` is not passed in: its ... MB or more are written into each program compiled of it; make
      it an argument
    """

    code = "JXL207"
    name = "captured-constant"
    summary = "a large array that is a constant of the compiled program"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2 on a CPU: the array is in the text of the program. One of 105 MB takes 0.3 s "
        "to lower and 3.8 s to compile, against 0.01 and 0.08 s as an argument; one of 419 MB "
        "takes 20 s.",
    )

    def same_cause(self, event: events.CapturedConstant) -> Hashable:
        return event.context.tracing, event.name

    def message(self, event: events.CapturedConstant) -> str:
        what = f"`{text(event.subject)}` is not passed in: its {event.megabytes} MB or more"
        return f"{what} are written into each program compiled of it; make it an argument"
