"""JXL311: an index outside of the array, which JAX moves to the nearest element."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text


class IndexOutOfBounds(RuleOn[events.IndexOutOfBounds]):
    """## What it does

    Finds `x[10]` where the array has 10 elements or fewer along that axis: index and size are
    written in the program, and this is the call in which they meet.

    ## Why is this bad

    NumPy raises IndexError. JAX raises nothing: it reads the nearest element, the last one or the
    first, and goes on with that.

    ## Bad

    ```python
    x = jnp.zeros((3, 2))
    velocity = x[3]
    ```

    ## Instead

    ```python
    x = jnp.zeros((3, 2))
    velocity = x[2]
    ```

    The setting `jax_check_static_indices` makes JAX raise IndexError.

    ## Messages

    - axis ... of `...` has size ..., and index ... lies outside: JAX reads the nearest element;
      use an index below ...
    """

    code = "JXL311"
    name = "index-out-of-bounds"
    summary = "a literal index outside of the array, for which JAX reads another element"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "raises_under",
        "jax 0.10.2: `jnp.arange(10)[10]` is 9, and `[-11]` is 0; with jax_check_static_indices "
        "IndexError (index 10 out of bounds for axis 0 with size 10).",
        exceptions=("IndexError",),
        setting="jax_check_static_indices",
        strict=True,
        differs=(
            Difference(
                "0.8.2", "JAX reads the nearest element too, and has no setting that says so"
            ),
        ),
    )

    def message(self, event: events.IndexOutOfBounds) -> str:
        name = text(event.subject).partition("[")[0]
        return (
            f"axis {event.axis} of `{name}` has size {event.size}, and index {event.index} lies "
            f"outside: JAX reads the nearest element; use an index below {event.size}"
        )
