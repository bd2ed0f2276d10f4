"""JXL130: a value written into a reference that holds another shape or dtype."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text


class RefMismatch(RuleOn[events.RefMismatch]):
    """## What it does

    Finds `ref[...] = value` where the reference holds an array of another shape or dtype, in
    kernels of Pallas and with `jax.new_ref`. Only sizes and dtypes that are certain are compared.

    ## Why is this bad

    A reference is memory: unlike `x.at[...].set(value)`, which broadcasts and converts, it takes
    an array of exactly the shape and dtype that is there, and JAX raises. Even `ref[...] = 0.0`
    does, unless what is written is one number.

    ## Bad

    ```python
    from jax.experimental import pallas as pl

    def mean(x_ref, o_ref):
        o_ref[...] = x_ref[...].mean()

    out = jax.ShapeDtypeStruct((8,), jnp.float32)
    pl.pallas_call(mean, out_shape=out)(jnp.ones((4, 8)))
    ```

    ## Instead

    ```python
    from jax.experimental import pallas as pl

    def mean(x_ref, o_ref):
        o_ref[...] = x_ref[...].mean(axis=0)

    out = jax.ShapeDtypeStruct((8,), jnp.float32)
    pl.pallas_call(mean, out_shape=out)(jnp.ones((4, 8)))
    ```

    Where one value is meant for all of it: `o_ref[...] = jnp.full(o_ref.shape, value)`; where the
    dtype differs: `value.astype(o_ref.dtype)`.

    ## Messages

    - `...` holds `...` and is given `...`: a reference broadcasts nothing, JAX raises; write an
      array of that shape
    - `...` holds `...` and is given `...`: a reference converts nothing, JAX raises; write
      `value.astype(...)`
    """

    code = "JXL130"
    name = "ref-mismatch"
    summary = "a value written into a reference that holds another shape or dtype"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (Invalid shape for `swap`; Invalid dtype for `swap`).",
        exceptions=("ValueError",),
        differs=(
            Difference("0.7", "there is no `jax.new_ref`"),
            Difference("0.4.31", "`BlockSpec` takes its arguments in the other order"),
        ),
    )

    def message(self, event: events.RefMismatch) -> str:
        target = text(event.subject)
        what = f"`{target}` holds `{event.held}` and is given `{event.given}`: a reference"
        if event.of == "shape":
            return f"{what} broadcasts nothing, JAX raises; write an array of that shape"
        name = target.partition("[")[0]
        return f"{what} converts nothing, JAX raises; write `value.astype({name}.dtype)`"
