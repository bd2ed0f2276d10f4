"""JXL319: a callback that is taken for pure and is not."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class ImpureCallback(RuleOn[events.ImpureCallback]):
    """## What it does

    Finds functions that `jax.pure_callback` calls and that give something else at each call: they
    draw from the generator that `random` or `np.random` share, or take the next element of an
    iterator, generator or list that was made outside of them.

    ## Why is this bad

    JAX takes such a callback for a pure function, as its name says: it may be called once where
    the program says three times, again where it is computed anew, or not at all. `jax.vmap` calls
    it once for all elements that do not differ in what it is given, and `jax.lax.scan` once before
    the loop where that stays the same; so all of them get the same number, or the same element.

    ## Bad

    ```python
    observations = iter([1.0, 2.0, 3.0])
    described = jax.ShapeDtypeStruct((), jnp.float32)

    def shifted(x):
        return x + jax.pure_callback(lambda: np.float32(next(observations)), described)

    jax.vmap(shifted)(jnp.zeros(3))
    ```

    ## Instead

    ```python
    observations = iter([1.0, 2.0, 3.0])

    def shifted(x, observation):
        return x + observation

    jax.vmap(shifted)(jnp.zeros(3), jnp.array(list(observations)))
    ```

    Numbers are better drawn by `jax.random`. `jax.experimental.io_callback` calls a function once
    for each time that the program says so.

    ## Messages

    - `...` draws a number in a `jax.pure_callback`, which JAX may call once for many; use
      `io_callback`, or `jax.random`
    - `...` takes the next element in a `jax.pure_callback`, which JAX may call once for many; use
      `io_callback`, or pass the elements in
    """

    code = "JXL319"
    name = "impure-callback"
    summary = "a pure_callback that gives something else at each call"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: jax.vmap of three elements, and a scan of three steps that pass it the same, "
        "call it once.",
    )

    def same_cause(self, event: events.ImpureCallback) -> Hashable:
        return event.context.tracing, event.does

    def message(self, event: events.ImpureCallback) -> str:
        instead = "`jax.random`" if event.does == "draws a number" else "pass the elements in"
        return (
            f"`{text(event.subject)}` {event.does} in a `jax.pure_callback`, which JAX may call "
            f"once for many; use `io_callback`, or {instead}"
        )
