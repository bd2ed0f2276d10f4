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
    it once for all elements that do not differ in what it is given, and `jax.lax.scan` moves it
    out of the loop; so all steps get the same number, or the same element.

    ## Bad

    ```python
    observations = iter([1.0, 2.0, 3.0])
    described = jax.ShapeDtypeStruct((), jnp.float32)

    @jax.jit
    def total(start):
        def step(carry, _):
            return carry + jax.pure_callback(lambda: np.float32(next(observations)), described), None

        return jax.lax.scan(step, start, length=3)
    ```

    ## Instead

    ```python
    from jax.experimental import io_callback

    observations = iter([1.0, 2.0, 3.0])
    described = jax.ShapeDtypeStruct((), jnp.float32)

    @jax.jit
    def total(start):
        def step(carry, _):
            read = io_callback(lambda: np.float32(next(observations)), described, ordered=True)
            return carry + read, None

        return jax.lax.scan(step, start, length=3)
    ```

    Numbers are better drawn by `jax.random`, and elements passed in.

    ## Messages

    - `...` draws a number in a `jax.pure_callback`, which JAX may call once for many: use
      `io_callback`, or `jax.random`
    - `...` takes the next element in a `jax.pure_callback`, which JAX may call once for many: use
      `io_callback`, or pass the elements in
    """

    code = "JXL319"
    name = "impure-callback"
    summary = "a pure_callback that gives something else at each call"
    severity = "warning"
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: a scan of three steps, and jax.vmap of three elements, call it once.",
    )

    def same_cause(self, event: events.ImpureCallback) -> Hashable:
        return event.context.tracing, event.does

    def message(self, event: events.ImpureCallback) -> str:
        instead = "`jax.random`" if event.does == "draws a number" else "pass the elements in"
        return (
            f"`{text(event.subject)}` {event.does} in a `jax.pure_callback`, which JAX may call "
            f"once for many; use `io_callback`, or {instead}"
        )
