"""JXL913: a module that uses a device when it is imported."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class WorkAtImport(RuleOn[events.WorkAtImport]):
    """## What it does

    Finds arrays of JAX among the constants of a module, in the defaults of its functions and in
    the fields of its classes: `SCALE = jnp.ones(4)`, `def f(x, shift=jnp.zeros(4))`. Off by
    default: it matters in libraries. Scripts are left alone, which do more at the top than to
    define things, and so is what stands under `if __name__ == "__main__"`.

    ## Why is this bad

    The import starts the backend of JAX: it takes seconds and the memory of a GPU from whoever
    imports the module, be it for its command line. From then on the settings that JAX reads at the
    start come too late for everybody else (`XLA_FLAGS`, `jax_num_cpu_devices`,
    `jax.distributed.initialize`; JXL905), and the array has the dtype, the device and the
    placement that were the default at that time.

    ## Bad

    ```python
    SCALE = jnp.ones(4)

    def rescale(x, shift=jnp.zeros(4)):
        return x * SCALE + shift
    ```

    ## Instead

    ```python
    import numpy as np

    SCALE = np.ones(4, np.float32)

    def rescale(x, shift=0.0):
        return x * SCALE + shift
    ```

    ## Messages

    - `...` uses a device when the module is imported, and starts the backend of JAX; use NumPy, or
      make it later
    """

    code = "JXL913"
    name = "work-at-import"
    summary = "a module that uses a device when it is imported"
    severity = "warning"
    default = False
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: the backend has started when the import of the module ends.",
    )

    def message(self, event: events.WorkAtImport) -> str:
        return (
            f"`{text(event.subject)}` uses a device when the module is imported, and starts the "
            "backend of JAX; use NumPy, or make it later"
        )
