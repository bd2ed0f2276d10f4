"""JXL125: an argument that a JAX function lacks or refuses."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text


class RefusedArgument(RuleOn[events.RefusedArgument]):
    """## What it does

    Finds calls of JAX functions that leave out what every release wants, that give a number for
    the dtype (`jnp.zeros(3, 4)`), or a number or an array of floats for the PRNG key
    (`jax.random.normal(0, (3,))`).

    ## Why is this bad

    JAX raises TypeError. Shapes are one tuple, and a random function wants its key first.

    ## Bad

    ```python
    image = jnp.zeros(28, 28)
    noise = jax.random.normal(0, image.shape)
    ```

    ## Instead

    ```python
    image = jnp.zeros((28, 28))
    noise = jax.random.normal(jax.random.key(0), image.shape)
    ```

    ## Messages

    - `...` wants `...`, which is left out: JAX raises; pass it
    - `...` is given to `...` for the dtype: JAX raises; write a shape as one tuple
    - `...` is given to `...` for the key: JAX raises; pass a key (`jax.random.key(0)`) first
    """

    code = "JXL125"
    name = "refused-argument"
    summary = "an argument that a JAX function lacks or refuses"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (missing 1 required positional argument; Cannot interpret '4' as a "
        "data type; JAX encountered invalid PRNG key data).",
        exceptions=("TypeError",),
    )

    def message(self, event: events.RefusedArgument) -> str:
        function = short(event.function)
        if not event.wanted:
            return f"`{function}` wants `{event.parameter}`, which is left out: JAX raises; pass it"
        given = f"`{text(event.subject)}` is given to `{function}` for the {event.wanted}"
        if event.wanted == "dtype":
            return f"{given}: JAX raises; write a shape as one tuple"
        return f"{given}: JAX raises; pass a key (`jax.random.key(0)`) first"
