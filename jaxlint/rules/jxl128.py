"""JXL128: an attribute of a frozen object set."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.frozen import FROZEN
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, with_article

_WORDS = {"namedtuple": "named tuple"}


class FrozenAttribute(RuleOn[events.FrozenAttribute]):
    """## What it does

    Finds `self.x = ...` and `state.x = ...` where the object is frozen: a named tuple, a dataclass
    with `frozen=True`, of flax or of chex, a module of equinox outside of `__init__`, or of linen
    in its call. Also an attribute that `__init__` of a module of equinox sets and that its class
    does not declare, and a field that `setup` of a module of linen sets.

    ## Why is this bad

    Python raises. JAX passes such objects by value: what changes is a new object, that a function
    returns.

    ## Bad

    ```python
    from typing import NamedTuple

    class State(NamedTuple):
        position: jax.Array
        time: int

    def step(state, force):
        state.time = state.time + 1
        return state, state.position

    jax.lax.scan(step, State(jnp.zeros(2), 0), forces)
    ```

    ## Instead

    ```python
    from typing import NamedTuple

    class State(NamedTuple):
        position: jax.Array
        time: int

    def step(state, force):
        state = state._replace(time=state.time + 1)
        return state, state.position

    jax.lax.scan(step, State(jnp.zeros(2), 0), forces)
    ```

    `flax.struct.dataclass` and `chex.dataclass` have `.replace`, for modules of equinox there is
    `eqx.tree_at`.

    ## Messages

    - `...` is set, and `...` is a ..., which is frozen: this raises; ...
    """

    code = "JXL128"
    name = "frozen-attribute"
    summary = "an attribute of a frozen object set"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, flax 0.12.8, equinox 0.13.8: FrozenInstanceError, for a named tuple "
        "AttributeError, for a module of linen SetAttributeFrozenModuleError, in `setup` "
        "SetAttributeInModuleSetupError.",
        exceptions=(
            "AttributeError",
            "FrozenInstanceError",
            "SetAttributeFrozenModuleError",
            "SetAttributeInModuleSetupError",
        ),
        differs=(
            Difference("0.4.36", "`register_dataclass` wants to be told which fields are leaves"),
        ),
    )

    def message(self, event: events.FrozenAttribute) -> str:
        kind = _WORDS.get(event.base, f"`{event.base}`")
        instead = FROZEN[event.base].instead.format(name=event.attribute)
        return (
            f"`{text(event.subject)}` is set, and `{event.owner}` is {with_article(kind)}, which "
            f"is frozen: this raises; {instead}"
        )
