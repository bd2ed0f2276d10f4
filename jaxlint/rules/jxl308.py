"""JXL308: the result of a pure update thrown away."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, tracing


class DiscardedUpdate(RuleOn[events.DiscardedUpdate]):
    """## What it does

    Finds `x.at[i].set(v)`, `x.sort()`, `jax.random.split(key)`, `optax.apply_updates(...)` and
    `jax.jit(f)` as statements of their own, and changes of a list or dict that a traced function
    is given, if it neither returns it nor looks at it afterwards.

    ## Why is this bad

    The functions return something new and leave their argument as it was: thrown away,
    they do nothing. JAX takes the arguments of a traced function apart and hands it copies of
    their containers: the caller's stay as they were. Nothing raises.

    ## Bad

    ```python
    x.at[0].set(1.0)
    ```

    ## Instead

    ```python
    x = x.at[0].set(1.0)
    ```

    ## Messages

    - `...` returns a new array and leaves `...` as it was; write `... = ...`
    - `...` returns ... and changes nothing; assign its result
    - `...` is a copy of the argument, made when ... traces `...` (line ...): the change is
      lost; return what is new
    """

    code = "JXL308"
    name = "discarded-update"
    summary = "the result of a pure update thrown away"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "no_effect",
        "jax 0.10.2: the program gives the same results with the marked line deleted.",
    )

    def message(self, event: events.DiscardedUpdate) -> str:
        if event.copied:
            return (
                f"`{text(event.subject)}` is a copy of the argument, made when {tracing(event)}: "
                "the change is lost; return what is new"
            )
        if event.construct.startswith("."):
            array = text(event.subject)
            return (
                f"`{array}{event.construct}(...)` returns a new array and leaves `{array}` as it "
                f"was; write `{array} = {array}{event.construct}(...)`"
            )
        what = "keys" if event.construct.startswith("jax.random.") else "values"
        what = "a new function" if event.construct in TRANSFORMS else f"new {what}"
        return f"`{event.construct}` returns {what} and changes nothing; assign its result"
