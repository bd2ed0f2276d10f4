"""JXL811: new statistics of linen that a training step throws away."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class LostStatistics(RuleOn[events.LostStatistics]):
    """## What it does

    Finds calls of `apply` of a module of linen with `mutable=["batch_stats"]`, in what is
    differentiated, whose second result nobody reads: `logits, _ = model.apply(...)`. The layer that
    changes the collection must be in view, and no other call in the file may keep what it changes.

    And loops that throw away what a compiled step gives back for one of its parameters, and pass
    the same variable again, while they keep the rest: `params, _, opt_state = step(params, state,
    opt_state, batch)`; or that bind it to `new_state`, which nobody reads. And functions that
    return a parameter as it was and leave the new one, which they have computed as `new_...` or
    `updated_...`, unread.

    ## Why is this bad

    linen gives the new running mean and variance back, and changes nothing in place. Thrown away,
    the statistics stay at 0 and 1 for the whole training. The training loss falls all the same,
    since it uses those of the batch; the evaluation, which uses the running ones, is worthless.

    ## Bad

    ```python
    import flax.linen as nn

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            return nn.BatchNorm(use_running_average=not train)(nn.Dense(4)(x))

    model = Model()

    @jax.grad
    def loss(params, batch_stats, x):
        variables = {"params": params, "batch_stats": batch_stats}
        y, _ = model.apply(variables, x, train=True, mutable=["batch_stats"])
        return jnp.mean(y**2)

    variables = model.init(jax.random.key(0), x, train=False)
    loss(variables["params"], variables["batch_stats"], x)
    ```

    ## Instead

    ```python
    import flax.linen as nn

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            return nn.BatchNorm(use_running_average=not train)(nn.Dense(4)(x))

    model = Model()

    def loss(params, batch_stats, x):
        variables = {"params": params, "batch_stats": batch_stats}
        y, updates = model.apply(variables, x, train=True, mutable=["batch_stats"])
        return jnp.mean(y**2), updates["batch_stats"]

    variables = model.init(jax.random.key(0), x, train=False)
    gradients, batch_stats = jax.grad(loss, has_aux=True)(
        variables["params"], variables["batch_stats"], x
    )
    ```

    ## Messages

    - `...` returns the `...` that it was given, and nothing reads the new `...`; return that

    - the new `...` that `...` (line ...) computes are thrown away here and kept nowhere; take the
      second result and use it at the next step
    - each step passes the same `...`, and the new `...` that `...` gives is thrown away; bind it
      to `...`
    """

    code = "JXL811"
    name = "lost-statistics"
    summary = "running statistics of linen that a training step throws away"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2, flax 0.12.8: after a training the running mean is still zero.",
    )

    def message(self, event: events.LostStatistics) -> str:
        if event.unread:
            return (
                f"`{event.layer}` returns the `{event.name}` that it was given, and nothing reads "
                f"the new `{event.unread}`; return that"
            )
        if event.passed:
            return (
                f"each step passes the same `{event.passed}`, and the new `{event.name}` that "
                f"`{event.layer}` gives is thrown away; bind it to `{event.passed}`"
            )
        layer = event.layer.rpartition(".")[2]
        where = at_line(event.asked_at).replace(" at ", "")
        return (
            f"the new `{event.name}` that `{layer}`{f' ({where})' if where else ''} computes are "
            "thrown away here and kept nowhere; take the second result and use it at the next step"
        )
