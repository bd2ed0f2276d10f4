"""JXL603: jax.numpy imported as np."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn


class NumpyAlias(RuleOn[events.NumpyAlias]):
    """## What it does

    Finds `import jax.numpy as np`. Off by default: a convention.

    ## Why is this bad

    Every reader takes `np` for NumPy, whose functions behave otherwise in traced code, change
    arrays in place, and compute in 64 bits.

    ## Bad

    ```python
    import jax.numpy as np
    ```

    ## Instead

    ```python
    import jax.numpy as jnp
    ```

    ## Messages

    - `jax.numpy` is imported as `np`, which readers take for NumPy; write `as jnp`
    """

    code = "JXL603"
    name = "numpy-alias"
    summary = "jax.numpy imported as np"
    severity = "warning"
    default = False
    evidence = Evidence(
        "convention",
        "A convention: JAX does the same under either name.",
    )

    def message(self, event: events.NumpyAlias) -> str:
        return "`jax.numpy` is imported as `np`, which readers take for NumPy; write `as jnp`"
