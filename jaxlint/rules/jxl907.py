"""JXL907: JAX in a callback on the host."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Difference, Ended, Evidence, RuleOn
from jaxlint.rules.words import short, text


class JaxInCallback(RuleOn[events.JaxInCallback]):
    """## What it does

    Finds functions of JAX, compiled functions, and operators, methods and items of JAX arrays in a
    callback of `jax.pure_callback`, `io_callback` or `jax.debug.callback`, also in the functions
    that the callback calls, where the program that calls back may be dispatched again and again.

    That is a loop in view that waits for none of its steps, or somebody out of view who calls a
    function with a `pure_callback`. It is quiet where a callback uses NumPy alone or only converts
    what it is given (`np.asarray(a)`, `float(a)`, `jnp.asarray(a)`), where the loop waits for each
    step, and where `jax_cpu_enable_async_dispatch` is off.

    ## Why is this bad

    A callback is given arrays of JAX, and what it asks of them is another program. On the CPU only
    32 programs may be under way. A loop that does not wait for its steps has 32 soon: the one that
    calls back waits for its callback, the callback for its own program, and that for room. Then
    nothing moves any more, without a message. One step alone, or a loop that prints each loss, does
    well, so tests pass.

    ## Bad

    ```python
    @jax.jit
    def step(x):
        jax.debug.callback(lambda a: seen.append(jnp.max(a)), x)
        return x @ x

    for batch in batches:
        x = step(x + batch)
    ```

    ## Instead

    ```python
    @jax.jit
    def step(x):
        jax.debug.callback(lambda a: seen.append(np.asarray(a).max()), x)
        return x @ x

    for batch in batches:
        x = step(x + batch)
    ```

    ## Limits

    Seen on the CPU; JAX's issues tell of TPUs as well. It is silent in projects that say they run
    on JAX 0.12 or newer alone. Very small programs end before the next one is dispatched, and a
    loop that does nothing but `x = step(x)` comes through: with a batch, or an update of the
    parameters besides, it does not. `np.mean(a)` and its like ask the array of JAX, and so JAX;
    `np.asarray(a)` first keeps NumPy to itself. `jnp.asarray` of a NumPy array, or of a number, is
    a program of JAX as well, and found; it is not told where it is given a dtype, or something
    else out of view.

    ## Messages

    - `...` computes with JAX in `...`, which ... calls on the host: each may wait for the other for
      ever; use NumPy there
    """

    code = "JXL907"
    name = "jax-in-callback"
    summary = "JAX in a callback on the host, where each may wait for the other for ever"
    severity = "warning"
    evidence = Evidence(
        "stalls",
        "jax 0.10.2, CPU: a loop of 120 to 300 calls that waits for none stands still after 17 to "
        "50 of them, whatever the callback computes with JAX: `jnp.sin(a)`, `a * 2`, `a[0]`, "
        "`a.mean()`, `jnp.zeros(())`. With NumPy it takes a second.",
        differs=(
            Difference("0.4.33", "such a loop comes to its end, on the CPU"),
            Difference("0.10", "`jnp.asarray` of a NumPy array does not hang in a callback"),
        ),
        ended=Ended("0.12", "such a loop comes to its end, on the CPU"),
    )

    def message(self, event: events.JaxInCallback) -> str:
        called = short(event.called) or text(event.subject)
        return (
            f"`{called}` computes with JAX in `{event.callback}`, which {event.transform} calls on "
            "the host: each may wait for the other for ever; use NumPy there"
        )

    def same_cause(self, event: events.JaxInCallback) -> Hashable | None:
        return event.called_back_at.place
