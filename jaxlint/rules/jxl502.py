"""JXL502: the host waits for the device at every iteration."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class HostSync(RuleOn[events.HostSync]):
    """## What it does

    Finds `float(loss)`, `loss.item()`, `np.asarray(y)`, `print(y)` and the like at every iteration
    of a loop that also calls a jitted function. Off by default: often the value is wanted.

    ## Why is this bad

    Each of them waits until the device is done, so that the host cannot prepare the next step
    meanwhile, and copies the value.

    ## Bad

    ```python
    step = jax.jit(lambda x: x * 2)
    x, losses = jnp.ones(3), []
    for _ in range(1000):
        x = step(x)
        losses.append(float(x.sum()))
    ```

    ## Instead

    ```python
    step = jax.jit(lambda x: x * 2)
    x, losses = jnp.ones(3), []
    for _ in range(1000):
        x = step(x)
        losses.append(x.sum())
    losses = jax.device_get(losses)
    ```

    ## Messages

    - `...` waits for the device in every iteration of the loop at line ...; keep the arrays
      and read them after it, or now and then
    """

    code = "JXL502"
    name = "host-sync"
    summary = "the host waits for the device at every iteration"
    severity = "warning"
    default = False
    in_tests = False
    evidence = Evidence(
        "waits",
        "jax 0.10.2: one read of an array value by the host at each iteration.",
    )

    def message(self, event: events.HostSync) -> str:
        return (
            f"`{event.construct}` waits for the device in every iteration of the loop"
            f"{at_line(event.loop_at)}; keep the arrays and read them after it, or now and then"
        )
