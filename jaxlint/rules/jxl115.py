"""JXL115: an unhashable value for a static argument."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, with_article


class UnhashableStatic(RuleOn[events.UnhashableStatic]):
    """## What it does

    Finds lists, dicts, sets and arrays passed to a static parameter of a jitted function.

    ## Why is this bad

    JAX looks compiled code up by the value of static arguments, so they must be hashable.

    ## Bad

    ```python
    @partial(jax.jit, static_argnames="sizes")
    def init(key, sizes): ...

    init(key, [8, 8])
    ```

    ## Instead

    ```python
    init(key, (8, 8))
    ```

    An array belongs among the traced arguments.

    ## Messages

    - `...` is a ..., which cannot be hashed, and this parameter of `...` is static: JAX
      raises; pass ...
    """

    code = "JXL115"
    name = "unhashable-static"
    summary = "an unhashable value for a static argument"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (non-hashable static arguments are not supported) for "
        "list, dict, set, np.ndarray and jax.Array.",
        exceptions=("ValueError",),
    )

    def message(self, event: events.UnhashableStatic) -> str:
        instead = {
            "list": "pass a tuple",
            "dict": "pass a tuple of pairs or a frozen dataclass",
            "set": "pass a frozenset",
        }.get(event.what, "pass it as a traced argument")
        return (
            f"`{text(event.subject)}` is {with_article(event.what)}, which cannot be hashed, and "
            f"this parameter of `{event.function}` is static: JAX raises; {instead}"
        )
