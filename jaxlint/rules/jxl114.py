"""JXL114: jit on a method whose self is no pytree."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn


class JitOnMethod(RuleOn[events.InvalidReceiver]):
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

    ## Messages

    - ... takes `...` of `...` as an argument, and `...` is not a pytree: every call raises;
      add `static_argnums=0` or register the class
    """

    code = "JXL114"
    name = "jit-on-method"
    summary = "jit on a method whose self is no pytree"
    evidence = Evidence(
        "raises_when_called",
        "jax 0.10.2: TypeError (error interpreting argument to <function Model.predict>"
        " as an abstract array) at each call; with static_argnums=0, or a registered "
        "class, it works.",
        exceptions=("TypeError",),
        differs=(Difference("0.4.34", "the TypeError does not name the function"),),
    )

    def message(self, event: events.InvalidReceiver) -> str:
        return (
            f"{event.transform} takes `self` of `{event.owner}.{event.function}` as an argument, "
            f"and `{event.owner}` is not a pytree: every call raises; add `static_argnums=0` or "
            "register the class"
        )
