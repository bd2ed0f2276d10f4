"""JXL803: an object of nnx changed under a transform of plain JAX."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, tracing


class LostUpdate(RuleOn[events.LostUpdate]):
    """## What it does

    Finds `optimizer.update(model, grads)` of an `nnx.Optimizer`, and updates of an
    `nnx.MultiMetric`, in a function compiled by `jax.jit` that is given the object and gives
    neither it nor the model back; also where the function has merged them itself (`nnx.merge`).

    ## Why is this bad

    `jax.jit` takes its arguments apart and hands the function a copy of them. The update changes
    the copy: the caller's model never learns, the loss stays where it was, and nothing raises.

    ## Bad

    ```python
    from flax import nnx

    @jax.jit
    def train_step(model, optimizer: nnx.Optimizer, x, y):
        loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
        optimizer.update(model, grads)
        return loss
    ```

    ## Instead

    ```python
    from flax import nnx

    @nnx.jit
    def train_step(model, optimizer: nnx.Optimizer, x, y):
        loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
        optimizer.update(model, grads)
        return loss
    ```

    or `return loss, model, optimizer`, bound again by the caller.

    ## Messages

    - `...` (`...`) is a copy when ... traces `...` (line ...): the caller's does not change; use
      `nnx.jit`, or return what changed
    - `...` was merged here, when ... traces `...` (line ...), and the change is lost with it;
      return its `nnx.state(...)`
    """

    code = "JXL803"
    name = "lost-update"
    summary = "an object of nnx changed under a transform of plain JAX"
    severity = "warning"
    evidence = Evidence(
        "no_effect",
        "jax 0.10.2, flax 0.12.8: three steps give the same loss three times, with the update and "
        "without it; under nnx.jit the loss falls.",
    )

    def message(self, event: events.LostUpdate) -> str:
        what = text(event.subject)
        if event.merged:
            return (
                f"`{what}` was merged here, when {tracing(event)}, and the change is lost with it; "
                "return its `nnx.state(...)`"
            )
        short = event.type.removeprefix("flax.")
        return (
            f"`{what}` (`{short}`) is a copy when {tracing(event)}: the caller's does not change; "
            "use `nnx.jit`, or return what changed"
        )
