"""JXL113: something that is no array passed to a compiled function."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, line_of, text


class NotAnArray(Rule):
    """## What it does

    Finds strings, functions, classes, sets and objects of unregistered classes that are passed
    to a parameter of a jitted function that is not static.

    ## Why is this bad

    JAX turns every argument that is not static into a tracer, and it can do that with arrays,
    numbers and pytrees of them only.

    ## Bad

    ```python
    @jax.jit
    def apply(x, activation):
        return activation(x)

    apply(x, jnp.tanh)
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="activation")
    def apply(x, activation):
        return activation(x)
    ```

    or close over it; a class of your own can be registered with
    `jax.tree_util.register_dataclass`.
    """

    code = "JXL113"
    name = "not-an-array"
    summary = "something that is no array passed to a compiled function"
    listens_to = (Kind.INVALID_ARGUMENT,)
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (error interpreting argument as an abstract array) for "
        "str, function, partial, class, set, dtype and unregistered objects, also "
        "inside a tuple or dict; jax.tree_util.Partial, None and tuples of numbers are "
        "fine.",
        exceptions=("TypeError",),
    )

    def judge(self, event: Event) -> bool:
        return event.construct != "self" and not event.guarded

    def message(self, event: Event) -> str:
        return (
            f"`{text(event.subject)}` is a {event.construct}, and `{event.detail['function']}`, "
            f"compiled{line_of(event, 'wrapped_at')}, takes arrays: JAX raises; make the parameter "
            "static (`static_argnames`) or close over it"
        )
