"""JXL808: an array in a static field of a module of equinox."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class StaticArray(RuleOn[events.StaticArray]):
    """## What it does

    Finds objects of an `eqx.Module` that are made with an array of JAX or NumPy, or a container
    of arrays, in a field that is declared `eqx.field(static=True)`.

    ## Why is this bad

    A static field is a part of the compiled program, not of its inputs. It is neither trained nor
    moved to a device, and JAX compares it to find compiled code again, which arrays refuse:
    `eqx.filter_jit` of a function of the object may raise at its second call, or compile each
    time. equinox warns.

    ## Bad

    ```python
    import equinox as eqx

    class Scale(eqx.Module):
        factor: jax.Array = eqx.field(static=True)

    scale = Scale(jnp.ones(3))
    ```

    ## Instead

    ```python
    import equinox as eqx

    class Scale(eqx.Module):
        factor: jax.Array

        def __call__(self, x):
            return x * jax.lax.stop_gradient(self.factor)

    scale = Scale(jnp.ones(3))
    ```

    Leave it out of what is trained by a filter (`eqx.partition`) or by `stop_gradient`. A
    tuple of numbers may be static.

    ## Messages

    - the static field `...` of `...` gets an array, which JAX can neither trace nor compare there;
      make it an ordinary field
    """

    code = "JXL808"
    name = "static-array"
    summary = "an array in a static field of a module of equinox"
    severity = "warning"
    evidence = Evidence(
        "warns",
        "jax 0.10.2, equinox 0.13.8: UserWarning when the object is made, for an array at any "
        "depth.",
        exceptions=("UserWarning",),
    )

    def same_cause(self, event: events.StaticArray) -> Hashable:
        return event.owner, event.name

    def message(self, event: events.StaticArray) -> str:
        return (
            f"the static field `{event.name}` of `{event.owner}` gets an array, which JAX can "
            "neither trace nor compare there; make it an ordinary field"
        )
