"""JXL122: the gradient of something that has none."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, text

_ARTICLE = {"int": "an integer", "bool": "a boolean", "str": "a string"}


class BadGradient(Rule):
    """## What it does

    Finds `jax.grad` called with an integer or boolean to differentiate, and `jax.grad` of a
    function that returns an array with axes, or a tuple without `has_aux=True`.

    ## Why is this bad

    A gradient is defined for real inputs and a scalar output; JAX raises for anything else.

    ## Bad

    ```python
    jax.grad(lambda x: x**2)(3)
    ```

    ## Instead

    ```python
    jax.grad(lambda x: x**2)(3.0)
    ```

    For a vector output, `jax.jacobian`, or sum it first; for extra outputs, `has_aux=True`.
    """

    code = "JXL122"
    name = "bad-gradient"
    summary = "the gradient of something that has none"
    listens_to = (Kind.BAD_GRADIENT,)
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (grad requires real- or complex-valued inputs; gradient "
        "only defined for scalar-output functions).",
        exceptions=("TypeError",),
    )

    def judge(self, event: Event) -> bool:
        return not event.guarded

    def message(self, event: Event) -> str:
        detail = event.detail
        if event.construct == "input":
            return (
                f"{detail['name']} of `{detail['function']}` with respect to "
                f"`{text(event.subject)}`, which is {_ARTICLE[detail['type']]}: JAX raises; pass "
                f"a float"
            )
        return (
            f"{detail['name']} wants a scalar, and `{detail['function']}` returns "
            f"{detail['type']}; "
            "sum it, use `jax.jacobian`, or `has_aux=True` for extra outputs"
        )
