"""JXL804: an optimizer that needs the parameters."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class MissingParameters(RuleOn[events.MissingParameters]):
    """## What it does

    Finds `optimizer.update(gradients, state)` without the parameters, of an optimizer of optax
    that needs them: `adamw`, `adamaxw`, `nadamw`, `adan`, `lamb`, `lars`, `lion`, `adafactor`,
    `adadelta`, `novograd`, `fromage`, and links such as `add_decayed_weights` and
    `scale_by_trust_ratio`, alone or in an `optax.chain` whose links are all known.

    ## Why is this bad

    Weight decay and trust ratios are made of the parameters. optax raises.

    ## Bad

    ```python
    import optax

    optimizer = optax.adamw(1e-3)
    state = optimizer.init(params)
    updates, state = optimizer.update(gradients, state)
    ```

    ## Instead

    ```python
    import optax

    optimizer = optax.adamw(1e-3)
    state = optimizer.init(params)
    updates, state = optimizer.update(gradients, state, params)
    ```

    ## Messages

    - `...` of an `...` raises without the parameters; pass them as the third argument
    """

    code = "JXL804"
    name = "missing-parameters"
    summary = "updates of an optimizer that needs the parameters, without them"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, optax 0.2.8: each raises ValueError, but for `novograd`: TypeError.",
        exceptions=("ValueError", "TypeError"),
    )

    def message(self, event: events.MissingParameters) -> str:
        return (
            f"`{text(event.subject)}` of an `{event.maker}` raises without the parameters; pass "
            "them as the third argument"
        )
