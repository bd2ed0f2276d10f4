"""JXL317: effects in the branches of a condition of a whole batch."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, short


class BranchEffect(RuleOn[events.BranchEffect]):
    """## What it does

    Finds `jax.debug.print`, `jax.debug.callback` and `io_callback` in a branch of `jax.lax.cond` or
    `jax.lax.switch` whose predicate differs along an axis that `jax.vmap` maps.

    ## Why is this bad

    There is no branch for a batch: JAX computes all of them for every element and selects. What a
    branch does on the host happens for every element, also for those that do not take it: a warning
    that something is negative is printed for what is positive. Nothing raises.

    ## Bad

    ```python
    def check(x):
        jax.lax.cond(x < 0, lambda: jax.debug.print("negative: {}", x), lambda: None)
        return jnp.sqrt(x)

    jax.vmap(check)(x)
    ```

    ## Instead

    ```python
    def check(x):
        return jnp.sqrt(x), x < 0

    roots, negative = jax.vmap(check)(x)
    jax.debug.print("negative: {}", negative)
    ```

    or a callback that is given the predicate, and asks it on the host.

    ## Messages

    - `...` runs for every element of the batch: under ... `...` (line ...) takes all its branches;
      ask the predicate in the callback
    """

    code = "JXL317"
    name = "branch-effect"
    summary = "an effect in a branch that jax.vmap takes for every element"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: of four elements one is negative, and the callback runs four times.",
    )

    def message(self, event: events.BranchEffect) -> str:
        where = at_line(event.called_at).replace(" at ", "")
        return (
            f"`{short(event.function)}` runs for every element of the batch: under {event.mapped} "
            f"`{short(event.transform)}`{f' ({where})' if where else ''} takes all its branches; "
            "ask the predicate in the callback"
        )
