"""JXL812: a link of a chain that comes too late."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.chains import CLIPS
from jaxlint.rules.rule import Evidence, RuleOn


class MisplacedLink(RuleOn[events.MisplacedLink]):
    """## What it does

    Finds links of an `optax.chain` that come after the one that has made updates of the gradients:

    - `optax.add_decayed_weights` behind `optax.adam`, `optax.sgd`, `optax.scale_by_learning_rate`
      and their like;
    - `optax.clip`, `optax.clip_by_global_norm` and `optax.clip_by_block_rms` behind `optax.adam`
      and its like, which make the same updates of gradients of any size.

    ## Why is this bad

    Each link gets what the one before it has made. Behind an optimizer that is an update, with the
    sign turned and the learning rate in it: to add the weights makes them grow, where they were to
    decay. And one gradient that is far too large has gone into the moments of Adam before anything
    clips; the updates that come of it, some learning rates in size, no bound ever touches.

    ## Bad

    ```python
    import optax

    optimizer = optax.chain(optax.adam(1e-3), optax.add_decayed_weights(1e-4))
    clipped = optax.chain(optax.adam(1e-3), optax.clip_by_global_norm(1.0))
    ```

    ## Instead

    ```python
    import optax

    optimizer = optax.adamw(1e-3, weight_decay=1e-4)
    clipped = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))
    ```

    ## Messages

    - `...` behind `...` makes the weights grow: the sign is turned by then; put it before
    - `...` behind `...` clips updates, and no gradient; put it first in the chain
    """

    code = "JXL812"
    name = "misplaced-link"
    summary = "a link of an optimizer's chain behind the one that makes updates"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2, optax 0.2.8: with gradients of zero the weights grow; a gradient of 1e6 is in "
        "the moments as it is.",
    )

    def message(self, event: events.MisplacedLink) -> str:
        which = f"`{event.link}` behind `{event.after}`"
        if event.link in CLIPS:
            return f"{which} clips updates, and no gradient; put it first in the chain"
        return f"{which} makes the weights grow: the sign is turned by then; put it before"
