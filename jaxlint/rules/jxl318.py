"""JXL318: a comparison with NaN."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class NanComparison(RuleOn[events.NanComparison]):
    """## What it does

    Finds arrays that are compared with NaN: `x == jnp.nan`, `x != jnp.nan`, `jnp.nan in x` and
    their like.

    ## Why is this bad

    NaN is equal to nothing, not even to NaN: `==` is False for every number, and `!=` is True. A
    mask that is to find the numbers that went wrong finds none, and what it is to replace goes on.

    ## Bad

    ```python
    def clean(gradient):
        return jnp.where(gradient == jnp.nan, 0.0, gradient)

    clean(jnp.ones(3))
    ```

    ## Instead

    ```python
    def clean(gradient):
        return jnp.where(jnp.isnan(gradient), 0.0, gradient)

    clean(jnp.ones(3))
    ```

    `jnp.nan_to_num` and `jnp.nanmean` serve, too. To replace NaN in the result of an operation does
    not mend its gradient (JXL701).

    ## Messages

    - `...` is False for every number, and for NaN; use `jnp.isnan`
    - `...` is True for every number, and for NaN; use `jnp.isnan`
    """

    code = "JXL318"
    name = "nan-comparison"
    summary = "a comparison with NaN, which is equal to nothing"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: jnp.array([1.0, jnp.nan]) == jnp.nan is [False False].",
    )

    def message(self, event: events.NanComparison) -> str:
        return (
            f"`{text(event.subject)}` is {event.answer} for every number, and for NaN; "
            "use `jnp.isnan`"
        )
