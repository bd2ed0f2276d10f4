"""JXL114: jit on a method whose self is no pytree."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Difference, Evidence, Rule


class JitOnMethod(Rule):
    """## What it does

    Finds methods under `jit` whose `self` is neither static nor an object of a registered class.

    ## Why is this bad

    `self` is an argument like any other: JAX would have to make tracers of it, and raises at the
    first call.

    ## Bad

    ```python
    class Model:
        @jax.jit
        def predict(self, x):
            return self.w * x
    ```

    ## Instead

    ```python
    class Model:
        @partial(jax.jit, static_argnums=0)
        def predict(self, x):
            return self.w * x
    ```

    when the attributes never change (JXL304 finds those that do); else register the class with
    `jax.tree_util.register_dataclass`, or jit a function that takes the attributes.
    """

    code = "JXL114"
    name = "jit-on-method"
    summary = "jit on a method whose self is no pytree"
    listens_to = (Kind.INVALID_ARGUMENT,)
    evidence = Evidence(
        "raises_when_called",
        "jax 0.10.2: TypeError (error interpreting argument to <function Model.predict>"
        " as an abstract array) at each call; with static_argnums=0, or a registered "
        "class, it works.",
        exceptions=("TypeError",),
        differs=(Difference("0.4.34", "the TypeError does not name the function"),),
    )

    def judge(self, event: Event) -> bool:
        return event.construct == "self" and not event.guarded

    def message(self, event: Event) -> str:
        detail = event.detail
        return (
            f"{detail['name']} makes `self` of `{detail['owner']}.{detail['function']}` an "
            f"argument, "
            f"and `{detail['owner']}` is no pytree: every call raises; make it static "
            "(`static_argnums=0`) or register the class"
        )
