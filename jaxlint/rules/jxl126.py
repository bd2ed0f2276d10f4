"""JXL126: arrays whose shapes or dtypes an operation cannot take."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text


class ShapeMismatch(RuleOn[events.ShapeMismatch]):
    """## What it does

    Finds operations that fail for the shapes of their arrays, whatever the sizes are that are not
    known: `x + y`, `x @ y`, `x.reshape(...)`, `x[i, j, k]`, `x.at[i].set(y)`, `jnp.concatenate`,
    `jnp.einsum`, an `axis` that the array does not have. Only sizes that stand in the program are
    believed.

    ## Why is this bad

    JAX raises as soon as the line is traced, which may be long after the program has begun, on
    the machine that was waited for. Inside `vmap` an array has one axis less than outside, so that
    an `axis` that is right there is wrong here.

    ## Bad

    ```python
    weights = jnp.zeros((784, 128))
    images = jnp.ones((32, 28, 28))
    images @ weights
    ```

    ## Instead

    ```python
    weights = jnp.zeros((784, 128))
    images = jnp.ones((32, 28, 28))
    images.reshape(32, 784) @ weights
    ```

    ## Messages

    - `...` cannot take `...` and `...` together: JAX raises; make their shapes fit
    - `...` cannot take `...`: JAX raises; look at its axes
    - `...` takes no `...`: JAX raises; convert it with `astype`
    - `...` takes no `...` for `...`: JAX raises; convert it with `astype`
    - `...` wants operands of one dtype, and gets `...` and `...`: JAX raises; convert one with
      `astype`
    - `...` unpacks a shape of ... axes into ... names: this raises; the array has another rank
    - `...` unpacks `...` into ... names: this raises; its first axis has another size
    """

    code = "JXL126"
    name = "shape-mismatch"
    summary = "arrays whose shapes or dtypes an operation cannot take"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (incompatible shapes for broadcasting; contracting dimensions must "
        "have the same shape; cannot reshape), ValueError (axis out of bounds; all input arrays "
        "must have the same shape; too many values to unpack), IndexError (too many indices).",
        exceptions=("TypeError", "ValueError", "IndexError"),
        differs=(
            Difference("0.9", "`lax.map` of a number raises AssertionError"),
            Difference("0.5", "`lax.dynamic_update_slice` of two dtypes raises another exception"),
        ),
    )

    def message(self, event: events.ShapeMismatch) -> str:
        if event.parts is not None:
            return (
                f"`{text(event.subject)}` unpacks a shape of {event.parts} axes into "
                f"{event.wanted} names: this raises; the array has another rank"
            )
        if event.wanted is not None:
            return (
                f"`{text(event.subject)}` unpacks `{event.arrays[0]}` into {event.wanted} names: "
                "this raises; its first axis has another size"
            )
        if event.dtypes and len(event.arrays) == 1:
            place = f" for `{event.parameter}`" if event.parameter else ""
            return (
                f"`{text(event.subject)}` takes no `{event.arrays[0]}`{place}: JAX raises; "
                "convert it with `astype`"
            )
        arrays = " and ".join(f"`{each}`" for each in event.arrays)
        if event.dtypes:
            return (
                f"`{text(event.subject)}` wants operands of one dtype, and gets {arrays}: JAX "
                "raises; convert one with `astype`"
            )
        what = f"`{text(event.subject)}` cannot take {arrays}"
        if len(event.arrays) > 1:
            return f"{what} together: JAX raises; make their shapes fit"
        return f"{what}: JAX raises; look at its axes"
