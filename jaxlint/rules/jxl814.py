"""JXL814: a leaf without a gradient that weight decay changes."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short


class DecayedConstant(RuleOn[events.DecayedConstant]):
    """## What it does

    Finds optimizers with weight decay (`optax.adamw`, `lion`, `add_decayed_weights`, ...) and no
    `mask` that are given an object with an array to which no loss in view sends a gradient: each
    one reads it through `jax.lax.stop_gradient`. Quiet as soon as some loss is not in view.

    ## Why is this bad

    `stop_gradient` makes the gradient of a buffer zero, and an optimizer without weight decay
    leaves it alone then. Weight decay subtracts a part of the parameter itself, whatever its
    gradient: means, scales and tables that were to stay as they are go to zero, a little in each
    step. The loss goes down nevertheless, for the weights follow.

    ## Bad

    ```python
    import equinox as eqx, optax

    class Scaled(eqx.Module):
        mean: jax.Array
        weight: jax.Array

        def __call__(self, x):
            return self.weight * (x - jax.lax.stop_gradient(self.mean))

    @eqx.filter_grad
    def gradients(model, x):
        return jnp.mean(model(x) ** 2)

    model = Scaled(jnp.full(4, 2.0), jnp.ones(4))
    optimizer = optax.adamw(1e-2)
    state = optimizer.init(model)
    updates, state = optimizer.update(gradients(model, jnp.ones(4)), state, model)
    ```

    ## Instead

    ```python
    import equinox as eqx, optax

    class Scaled(eqx.Module):
        mean: jax.Array
        weight: jax.Array

        def __call__(self, x):
            return self.weight * (x - jax.lax.stop_gradient(self.mean))

    @eqx.filter_grad
    def gradients(model, x):
        return jnp.mean(model(x) ** 2)

    model = Scaled(jnp.full(4, 2.0), jnp.ones(4))
    decayed = Scaled(mean=False, weight=True)
    optimizer = optax.adamw(1e-2, mask=decayed)
    state = optimizer.init(model)
    updates, state = optimizer.update(gradients(model, jnp.ones(4)), state, model)
    ```

    ## Messages

    - weight decay of `...` shrinks `...` in each step, to which `stop_gradient` lets no gradient;
      leave it out by a `mask`
    """

    code = "JXL814"
    name = "decayed-constant"
    summary = "weight decay of what stop_gradient was to keep as it is"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2, optax 0.2.8: with a gradient of zero, adamw(1e-2, weight_decay=0.1) takes a "
        "thousandth of the leaf away in each step.",
    )

    def same_cause(self, event: events.DecayedConstant) -> Hashable:
        return event.owner, event.name

    def message(self, event: events.DecayedConstant) -> str:
        return (
            f"weight decay of `{short(event.maker)}` shrinks `{event.owner}.{event.name}` in each "
            "step, to which `stop_gradient` lets no gradient; leave it out by a `mask`"
        )
