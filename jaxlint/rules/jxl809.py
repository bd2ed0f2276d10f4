"""JXL809: an optimizer that climbs."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class ClimbingOptimizer(RuleOn[events.ClimbingOptimizer]):
    """## What it does

    Finds chains of optax whose links all keep the sign of the gradient, as
    `optax.chain(optax.scale_by_adam(), optax.scale(1e-3))` does, where they are given the gradient
    of a function that its author calls a loss or a cost, and `optax.apply_updates` adds what comes
    of it to the parameters; and gradients of such a function that are given to
    `optax.apply_updates` as they are; and optimizers under `optax.masked` whose mask, written in
    the program, leaves out leaves that no other link takes.

    ## Why is this bad

    `optax.apply_updates` adds. Without a minus sign the parameters go uphill: the loss grows at
    each step, and nothing is raised. `optax.adam` and its like have the sign in them, their parts
    such as `optax.scale_by_adam` have not.

    ## Bad

    ```python
    import optax

    def loss(params, batch):
        return jnp.mean((batch @ params) ** 2)

    optimizer = optax.chain(optax.scale_by_adam(), optax.scale(1e-3))
    state = optimizer.init(params)
    grads = jax.grad(loss)(params, batch)
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    ```

    ## Instead

    ```python
    import optax

    def loss(params, batch):
        return jnp.mean((batch @ params) ** 2)

    optimizer = optax.chain(optax.scale_by_adam(), optax.scale_by_learning_rate(1e-3))
    state = optimizer.init(params)
    grads = jax.grad(loss)(params, batch)
    updates, state = optimizer.update(grads, state)
    params = optax.apply_updates(params, updates)
    ```

    `optax.scale(-1e-3)` does the same, and so does another link `optax.scale(-1.0)`.

    ## Messages

    - `...` are the gradients of `...`, which grows if they are added; pass the updates that
      `optimizer.update(...)` makes of them
    - no link of `...` has a minus sign, so `...` grows at each step; end the chain with
      `optax.scale_by_learning_rate(...)`
    - `...` passes on the raw gradients of the leaves that its mask leaves out, and `...` grows; use
      `optax.set_to_zero()` for those
    """

    code = "JXL809"
    name = "climbing-optimizer"
    summary = "an optimizer that makes a loss larger"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2, optax 0.2.8: after some steps the loss is larger than before the first.",
    )

    def message(self, event: events.ClimbingOptimizer) -> str:
        if event.as_they_are:
            return (
                f"`{text(event.subject)}` are the gradients of `{event.function}`, which grows if "
                "they are added; pass the updates that `optimizer.update(...)` makes of them"
            )
        if event.masked:
            return (
                f"`{text(event.subject)}` passes on the raw gradients of the leaves that its mask "
                f"leaves out, and `{event.function}` grows; use `optax.set_to_zero()` for those"
            )
        return (
            f"no link of `{text(event.subject)}` has a minus sign, so `{event.function}` grows at "
            "each step; end the chain with `optax.scale_by_learning_rate(...)`"
        )
