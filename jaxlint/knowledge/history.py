"""When names went from JAX, and what took their place.

``history.json`` is read from the source of fifty releases by ``tests/knowledge/history.py``.
The rows typed here are of names that were gone before the first of those releases, and of
parameters and attributes, which no list of names shows; a test holds all of them against
the installed JAX.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a name.

    ``removed`` and ``deprecated`` are the first releases in which it was gone, or warned;
    empty when neither was seen. ``says`` is JAX's own message, or what to write instead.
    """

    removed: str = ""
    deprecated: str = ""
    says: str = ""


_FIRST = "0.4.1"
"""The first release that was read: what was gone by then is dated so."""

_AT = "use x.at[index].{}(y)"
GONE_BEFORE: dict[str, str] = {
    "jax.ops.index_update": _AT.format("set"),
    "jax.ops.index_add": _AT.format("add"),
    "jax.ops.index_mul": _AT.format("multiply"),
    "jax.ops.index_min": _AT.format("min"),
    "jax.ops.index_max": _AT.format("max"),
    "jax.ops.index": "index x.at directly: x.at[1:3]",
    "jax.tree_multimap": "use jax.tree.map",
    "jax.partial": "use functools.partial",
    "jax.api": "use the names of jax itself",
    "jax.lax.tie_in": "leave it out: it does nothing since omnistaging",
    "jax.numpy.DeviceArray": "use jax.Array",
    "jax.experimental.stax": "use jax.example_libraries.stax",
    "jax.experimental.optimizers": "use optax, or jax.example_libraries.optimizers",
    "jax.experimental.loops": "use jax.lax.fori_loop or scan",
}
"""Names that no release since 0.4.1 has, and what to write instead."""

REPLACEMENTS: dict[str, str] = {
    "jax.abstract_arrays": "use jax.core.ShapedArray",
    "jax.lib.xla_bridge": "use jax.extend.backend, or jax.default_backend()",
    "jax.experimental.host_callback": "use jax.pure_callback, jax.experimental.io_callback or "
    "jax.debug.callback",
    "jax.experimental.maps": "use jax.shard_map",
    "jax.linear_util": "use jax.extend.linear_util",
    "jax.util": "use functools, itertools or jax.extend",
    "jax.config.config": "use jax.config: from jax import config",
    "jax.experimental.export": "use jax.export",
    "jax.experimental.shard_map.shard_map": "use jax.shard_map",
}
"""What to write instead where JAX's own tables say nothing."""

PARAMETERS: dict[tuple[str, str], Change] = {
    ("jax.numpy.reshape", "newshape"): Change("0.6.0", "0.4.28", "use shape="),
    ("jax.numpy.clip", "a"): Change("0.10.0", "0.4.27", "use arr="),
    ("jax.numpy.clip", "a_min"): Change("0.10.0", "0.4.27", "use min="),
    ("jax.numpy.clip", "a_max"): Change("0.10.0", "0.4.27", "use max="),
    ("jax.numpy.quantile", "interpolation"): Change("0.9.0", "", "use method="),
    ("jax.numpy.percentile", "interpolation"): Change("0.9.0", "", "use method="),
}
"""Parameters that a function no longer has."""

ATTRIBUTES: dict[str, Change] = {
    "device_buffer": Change("0.4.27", "0.4.1", "use x.addressable_data(0)"),
    "device_buffers": Change("0.4.27", "0.4.1", "use [s.data for s in x.addressable_shards]"),
    "to_py": Change("0.4.1", "", "use numpy.asarray(x)"),
    "xla_shape": Change("0.4.1", "", "use x.shape and x.dtype"),
}
"""Attributes that an array no longer has."""


@cache
def _names() -> dict[str, dict[str, str]]:
    text = Path(__file__).with_name("history.json").read_text("utf-8")
    names: dict[str, dict[str, str]] = json.loads(text)["names"]
    return names


@cache
def change_of(name: str) -> Change | None:
    """What became of a qualified name; None when the newest release read still has it."""
    if name in GONE_BEFORE:
        return Change(_FIRST, "", GONE_BEFORE[name])
    row = _names().get(name)
    if row is None:
        return None
    says = REPLACEMENTS.get(name) or row.get("says", "")
    return Change(row.get("removed", ""), row.get("deprecated", ""), says)


def change_above(name: str) -> tuple[str, Change] | None:
    """The same for a name or the module it lies in, whichever went."""
    while name.count("."):
        found = change_of(name)
        if found is not None:
            return name, found
        name = name.rpartition(".")[0]
    return None
