"""JXL115: an unhashable value for a static argument."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Evidence, Rule, text


class UnhashableStatic(Rule):
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
    """

    code = "JXL115"
    name = "unhashable-static"
    summary = "an unhashable value for a static argument"
    listens_to = (Kind.UNHASHABLE_STATIC,)
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (non-hashable static arguments are not supported) for "
        "list, dict, set, np.ndarray and jax.Array.",
        exceptions=("ValueError",),
    )

    def judge(self, event: Event) -> bool:
        return not event.guarded

    def message(self, event: Event) -> str:
        instead = {
            "list": "pass a tuple",
            "dict": "pass a tuple of pairs or a frozen dataclass",
            "set": "pass a frozenset",
        }.get(event.construct, "pass it as a traced argument")
        return (
            f"`{text(event.subject)}` is a {event.construct} and cannot be hashed, and this "
            f"parameter "
            f"of `{event.detail['function']}` is static; {instead}"
        )
