"""JXL805: an optimizer that begins again at each step."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class StaleOptimizer(RuleOn[events.StaleOptimizer]):
    """## What it does

    Finds loops that throw away the new state that `optimizer.update` of an optimizer of optax
    gives, or that a step returns which calls it, and pass the same old one at each step, also as
    what the body of a `lax.scan` closes over, or returns as it was. So with the state that `update`
    of numpyro's `SVI` or of a solver of jaxopt gives. `optax.sgd` has a state that matters where a
    `momentum` is given; a chain, where one of its links has. Quiet where a pass does not go on from
    what the last one gave: it tries something, or measures time. And steps that make a new state by
    `init` for the only update that they compute.

    ## Why is this bad

    The state holds moments and the number of steps. An Adam that begins anew at each step is
    sign descent: no momentum, no adapted steps. The loss may even fall, only worse, and nothing is
    raised.

    ## Bad

    ```python
    import optax

    optimizer = optax.adam(1e-3)
    state = optimizer.init(params)
    for batch in batches:
        updates, _ = optimizer.update(gradient(params, batch), state)
        params = optax.apply_updates(params, updates)
    ```

    ## Instead

    ```python
    import optax

    optimizer = optax.adam(1e-3)
    state = optimizer.init(params)
    for batch in batches:
        updates, state = optimizer.update(gradient(params, batch), state)
        params = optax.apply_updates(params, updates)
    ```

    ## Messages

    - each step passes the same `...`, and the new state of the `...` is thrown away; bind it to
      `...`
    - `...` is made anew at each step at line ..., and the `...` never gets beyond its first; call
      `init` once, before the loop
    """

    code = "JXL805"
    name = "stale-optimizer"
    summary = "a loop that passes the same state of an optimizer at each step"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "same_state",
        "jax 0.10.2, optax 0.2.8: adam counts its first step at each of ten steps.",
    )

    def message(self, event: events.StaleOptimizer) -> str:
        if event.made_at is not None:
            return (
                f"`{event.state}` is made anew at each step{at_line(event.made_at)}, and the "
                f"`{event.maker}` never gets beyond its first; call `init` once, before the loop"
            )
        return (
            f"each step passes the same `{event.state}`, and the new state of the "
            f"`{event.maker}` is thrown away; bind it to `{event.state}`"
        )
