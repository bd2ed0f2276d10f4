"""JXL315: probabilities where logits are asked for."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short


class ProbabilitiesForLogits(RuleOn[events.ProbabilitiesForLogits]):
    """## What it does

    Finds what `jax.nn.softmax` has made as the logits of `jax.random.categorical`,
    `optax.softmax_cross_entropy` and their like, and what `jax.nn.sigmoid` has made as those of
    `optax.sigmoid_binary_cross_entropy`, also behind a model that ends with one of them.

    ## Why is this bad

    These functions apply the softmax or sigmoid themselves. Applied twice, it leaves hardly any
    difference: of three classes the surest prediction has a probability of 0.58. A loss never
    comes near zero and its gradients vanish, and a policy draws almost at random. Nothing raises.

    ## Bad

    ```python
    probs = jax.nn.softmax(logits)
    action = jax.random.categorical(key, probs)
    ```

    ## Instead

    ```python
    action = jax.random.categorical(key, logits)
    ```

    Where there are only probabilities, pass their logarithms.

    ## Messages

    - `...` applies a ... itself, and gets what one has made; pass the logits, or logarithms
    """

    code = "JXL315"
    name = "probabilities-for-logits"
    summary = "probabilities where a function asks for logits"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: of the logits 5, 0 and -5 the first is drawn 57 times in 100, not 99.",
    )

    def message(self, event: events.ProbabilitiesForLogits) -> str:
        return (
            f"`{short(event.function)}` applies a {event.made} itself, and gets what one has made; "
            "pass the logits, or logarithms"
        )
