"""JXL131: a kernel that computes with an array that it was not given."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text


class KernelConstant(RuleOn[events.KernelConstant]):
    """## What it does

    Finds kernels of Pallas that compute with an array from outside: a global, a variable of the
    function around them, an argument of a `functools.partial`; and with arrays that they make of
    a list of numbers or with NumPy.

    ## Why is this bad

    A kernel sees the memory that it was given references to. Any other array would be a constant
    of the kernel, and `pallas_call` refuses those: it raises when it is traced. Numbers, scalars
    of NumPy and what a kernel computes itself (`jnp.arange`, `jnp.full`) are no such constants.

    ## Bad

    ```python
    from jax.experimental import pallas as pl

    SCALES = jnp.linspace(0.0, 1.0, 8)

    def scale(x_ref, o_ref):
        o_ref[...] = x_ref[...] * SCALES

    out = jax.ShapeDtypeStruct((8,), jnp.float32)
    pl.pallas_call(scale, out_shape=out)(jnp.ones(8))
    ```

    ## Instead

    ```python
    from jax.experimental import pallas as pl

    SCALES = jnp.linspace(0.0, 1.0, 8)

    def scale(x_ref, scales_ref, o_ref):
        o_ref[...] = x_ref[...] * scales_ref[...]

    out = jax.ShapeDtypeStruct((8,), jnp.float32)
    pl.pallas_call(scale, out_shape=out)(jnp.ones(8), SCALES)
    ```

    ## Limits

    What a kernel hands to a function that is jitted by itself becomes an argument of that, and
    JAX takes it. Of a call the first such array is told.

    ## Messages

    - `...` (...) is a constant of `...`, which ... refuses; pass it as an argument, or
      compute it
    - `...` (...) is nothing that `...` was given: ... refuses constants; pass it as an argument and
      read its reference
    """

    code = "JXL131"
    name = "kernel-constant"
    summary = "a kernel that computes with an array that it was not given"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (The kernel function ... captures constants [f32[8]]. You should "
        "pass them as inputs).",
        exceptions=("ValueError",),
        differs=(Difference("0.4.35", "a kernel that is interpreted takes constants"),),
    )

    def message(self, event: events.KernelConstant) -> str:
        used, call = event.used, event.transform.rpartition(".")[2]
        if event.made:
            return (
                f"`{text(used)}` ({used.where}) is a constant of `{event.function}`, "
                f"which {call} refuses; pass it as an argument, or compute it"
            )
        return (
            f"`{text(used)}` ({used.where}) is nothing that `{event.function}` was given: {call} "
            "refuses constants; pass it as an argument and read its reference"
        )
