"""JXL603: jax.numpy imported as np."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule


class NumpyAlias(Rule):
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
    """

    code = "JXL603"
    name = "numpy-alias"
    summary = "jax.numpy imported as np"
    severity = "warning"
    default = False
    listens_to = (Kind.NUMPY_ALIAS,)
    evidence = Evidence(
        "convention",
        "A convention: JAX does the same under either name.",
    )

    def judge(self, event: Event) -> bool:
        return not event.guarded

    def message(self, event: Event) -> str:
        return "`jax.numpy` is imported as `np`, which readers take for NumPy; write `as jnp`"
