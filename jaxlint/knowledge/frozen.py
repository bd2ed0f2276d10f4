"""What freezes objects, and what may be asked of modules where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.knowledge.layers import base_of
from jaxlint.knowledge.libraries import LAYERS, SETS_UP


@dataclass(frozen=True, slots=True)
class Freezes:
    """What freezes objects: their attributes are not set.

    Attributes:
        instead: how to get an object with another value, or to set one.
        since: when: fields ``always``; all but fields that its constructor sets, once it is
            ``made``; all, once it is ``bound`` and called, and fields while it is set up.
    """

    instead: str
    since: Literal["always", "made", "bound"] = "always"


FROZEN: dict[str, Freezes] = {
    "namedtuple": Freezes("`._replace({name}=...)` gives a new one"),
    "dataclasses.dataclass": Freezes("`dataclasses.replace` gives a new one"),
    "chex.dataclass": Freezes("`.replace({name}=...)` gives a new one"),
    "flax.struct.dataclass": Freezes("`.replace({name}=...)` gives a new one"),
    "flax.struct.PyTreeNode": Freezes("`.replace({name}=...)` gives a new one"),
    "equinox.Module": Freezes(
        "declare it and set it in `__init__`, or `eqx.tree_at` gives a new one", "made"
    ),
    "flax.linen.Module": Freezes(
        "`setup` sets what is no field; else return it, or keep it by `self.sow` or "
        "`self.variable`",
        "bound",
    ),
}
"""Decorators, base classes of modules and named tuples that do so."""

HASH_FIELDS = FROZEN.keys() - {"flax.linen.Module"}
"""What hashes its objects by their fields, of which no array can be hashed."""

FREEZES_ALWAYS = frozenset({"flax.struct.dataclass"})
"""Decorators that do so unless they are told otherwise; others where they are told to."""

COMPACT = "flax.linen.compact"
"""Decorates a method that may make layers of linen."""

_WITHOUT = frozenset({"flax.linen.Embed", "flax.linen.SpectralNorm", "flax.linen.WeightNorm"})

BOUND_ALONE = (
    frozenset(name for name in (*LAYERS, "flax.linen.Sequential") if base_of(name) in SETS_UP)
    - _WITHOUT
)
"""Layers that raise when they are called and nothing has bound them."""
