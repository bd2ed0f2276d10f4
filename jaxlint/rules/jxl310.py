"""JXL310: a kernel that never writes its result."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn


class UnwrittenRef(RuleOn[events.UnwrittenRef]):
    """## What it does

    Finds kernels of Pallas that assign to the name of the reference for their result
    (`o_ref = x_ref[...] * 2`) and never write into it, and those that add to it
    (`o_ref[...] += x_ref[...]`) and never write a first value.

    ## Why is this bad

    The assignment binds a local name. The memory of the result is left as it was: JAX returns NaN
    when it interprets the kernel on a CPU, and on a GPU or TPU whatever was there. What is added
    to that is as worthless.

    ## Bad

    ```python
    from jax.experimental import pallas as pl

    def double(x_ref, o_ref):
        o_ref = x_ref[...] * 2

    out = jax.ShapeDtypeStruct((8,), jnp.float32)
    pl.pallas_call(double, out_shape=out)(jnp.ones(8))
    ```

    ## Instead

    ```python
    from jax.experimental import pallas as pl

    def double(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    out = jax.ShapeDtypeStruct((8,), jnp.float32)
    pl.pallas_call(double, out_shape=out)(jnp.ones(8))
    ```

    ## Limits

    A kernel that hands the reference on to another function is left alone.

    ## Messages

    - `...` of `...` is only a name: this binds it anew and the result of ... is never written;
      write `...[...] = `
    - `...` adds to `...` and never writes a first value: nobody knows what is there; begin with
      zeros, under `pl.when(pl.program_id(0) == 0)`
    """

    code = "JXL310"
    name = "unwritten-ref"
    summary = "a kernel that binds the reference for its result anew and never writes it"
    severity = "warning"
    evidence = Evidence(
        "no_write",
        "jax 0.10.2, pallas_call with interpret=True on a CPU: the result is NaN everywhere, as it "
        "is without the line.",
        differs=(Difference("0.4.31", "`BlockSpec` takes its arguments in the other order"),),
    )

    def message(self, event: events.UnwrittenRef) -> str:
        name = event.parameter
        if event.added:
            return (
                f"`{event.function}` adds to `{name}` and never writes a first value: nobody knows "
                "what is there; begin with zeros, under `pl.when(pl.program_id(0) == 0)`"
            )
        return (
            f"`{name}` of `{event.function}` is only a name: this binds it anew and the result "
            f"of {event.transform.rpartition('.')[2]} is never written; write `{name}[...] = `"
        )
