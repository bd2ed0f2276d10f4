"""What does in later releases what a name that went did, as a program can write it.

The names are those of ``replacements.py``; the parameters of both sides come from the history. Here
stand the expressions that take the place of one name, and the parameters that have another name
under a new one. ``tests/test_upgrade.py`` holds every row against the history and against JAX.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.knowledge.history import (
    Signature,
    came_in,
    change_of,
    ever_existed,
    parameters_of,
    releases,
    renamed_to,
)
from jaxlint.knowledge.replacements import MOVED, RENAMED
from jaxlint.project import Releases

ALSO_CALLED = {
    f"jax.tree.{short}": f"jax.tree_util.tree_{short}"
    for short in (
        "all",
        "flatten",
        "leaves",
        "map",
        "reduce",
        "structure",
        "transpose",
        "unflatten",
    )
}
"""Names that came late, and the one that all releases have for the same."""

EXPRESSIONS = {
    "jax.numpy.NINF": "-{jax.numpy.inf}",
    "jax.numpy.NZERO": "-0.0",
    "jax.numpy.PZERO": "0.0",
}
"""Names in whose place an expression is written; names of libraries stand in braces."""

CALLS = {
    "jax.numpy.msort": "{jax.numpy.sort}({0}, axis=0)",
    "jax.numpy.issubsctype": "{jax.numpy.issubdtype}({0}, {1})",
    "jax.ops.index_add": "{0}.at[{1}].add({2})",
    "jax.ops.index_max": "{0}.at[{1}].max({2})",
    "jax.ops.index_min": "{0}.at[{1}].min({2})",
    "jax.ops.index_mul": "{0}.at[{1}].multiply({2})",
    "jax.ops.index_update": "{0}.at[{1}].set({2})",
}
"""Functions whose calls become an expression: of their arguments by position."""

METHODS = {
    "block_host_until_ready": "{0}.block_until_ready()",
    "broadcast": "{jax.lax.broadcast}({0}, {...})",
    "broadcast_in_dim": "{jax.lax.broadcast_in_dim}({0}, {...})",
    "split": "{jax.numpy.split}({0}, {...})",
    "tile": "{jax.numpy.tile}({0}, {...})",
    "to_py": "{numpy.asarray}({0})",
}
"""Methods of arrays whose calls become an expression: of the array, and of all the arguments."""

ATTRIBUTES = {
    "device_buffer": "{0}.addressable_data(0)",
    "device_buffers": "[s.data for s in {0}.addressable_shards]",
}
"""Attributes of arrays that become an expression of the array."""

KEYWORDS = {
    ("jax.experimental.shard_map.shard_map", "check_rep"): "check_vma",
    ("jax.numpy.reshape", "newshape"): "shape",
    ("jax.numpy.clip", "a_min"): "min",
    ("jax.numpy.clip", "a_max"): "max",
    ("jax.numpy.clip", "a"): "",
    ("jax.numpy.quantile", "interpolation"): "method",
    ("jax.numpy.percentile", "interpolation"): "method",
    ("jax.numpy.nanquantile", "interpolation"): "method",
    ("jax.numpy.nanpercentile", "interpolation"): "method",
    ("jax.jit", "fun"): "",
    ("jax.make_mesh", "axis_shapes"): "axis_sizes",
}
"""Parameters with another name, in the function itself or in what does the same now; empty: the
first one, which goes by position."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """A function that has another name, and what both take where that is known."""

    old: str
    new: str
    before: Signature | None
    after: Signature | None

    @property
    def is_plain(self) -> bool:
        """Whether every way of calling the old one is one of calling the new one."""
        if self.before is None or self.after is None or self.before is self.after:
            return True
        old, new = self.before.parameters, self.after.parameters
        pairs = zip(old, new, strict=False)
        return len(new) >= len(old) and all((a.name, a.kind) == (b.name, b.kind) for a, b in pairs)

    def keyword(self, name: str) -> str | None:
        """What a keyword argument is called now; None when there is no such parameter."""
        known = KEYWORDS.get((self.old, name))
        if known is not None:
            return known
        if self.after is None or self.after.takes(name):
            return name
        place = self._place(name)
        if self.before is None or place is None or place >= len(self.after.parameters):
            return None
        new = self.after.parameters[place]
        # It stands where the old one stood, and is none of the old ones.
        is_new = all(each.name != new.name for each in self.before.parameters)
        return new.name if is_new and new.kind == "either" else None

    def by_position(self, place: int) -> str | None:
        """What an argument at a place needs in front of it: a keyword, or nothing (empty).

        None when it cannot be passed any more.
        """
        if self.after is None:
            return ""
        if self.before is None or place >= len(self.before.parameters):
            return "" if self.after.fits(place + 1) else None
        name = self.before.parameters[place].name
        if self.after.fits(place + 1):
            return ""
        new = self.keyword(name)
        return new if new and self.after.takes(new) else None

    def _place(self, name: str) -> int | None:
        names = [each.name for each in self.before.parameters] if self.before else []
        return names.index(name) if name in names else None


def successor(name: str, allowed: Releases) -> Renaming | None:
    """What a name that went is called on every release that is allowed; None when nothing is."""
    new = renamed_to(name)
    for candidate in (new, ALSO_CALLED.get(new, "")):
        if candidate and is_there(candidate, allowed):
            return Renaming(name, candidate, last_signature(name), parameters_of(candidate))
    return None


def is_moved(name: str) -> bool:
    """Whether the module of a name went as a whole: an import of that module is mended instead."""
    return name not in RENAMED and name.rpartition(".")[0] in MOVED


def is_there(name: str, allowed: Releases) -> bool:
    """Whether every release that is allowed has a name; what is not of JAX is there."""
    if not name.startswith("jax."):
        return True
    change = change_of(name)
    if change is not None and change.removed and allowed.allow_from(change.removed):
        return False
    since = came_in(name)
    return ever_existed(name) and not (since and allowed.allow_before(since))


def last_signature(name: str) -> Signature | None:
    """What a function took in the last release that had it; None when that is not known."""
    found = [parameters_of(name, release) for release in reversed(releases())]
    return next((each for each in found if each is not None), None)
