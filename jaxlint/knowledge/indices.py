"""Functions that are given arrays of indices, by qualified name."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Takes(NamedTuple):
    """Where a function of one array takes its indices, and the axis that they are of.

    Attributes:
        comes: what JAX does with an index that lies outside.
    """

    indices: tuple[int, str]
    axis: tuple[int, str]
    comes: Literal["fills", "drops"] = "fills"


FROM_AXIS: dict[str, Takes] = {
    "jax.numpy.take": Takes((1, "indices"), (2, "axis")),
    "jax.Array.take": Takes((1, "indices"), (2, "axis")),
    "jax.numpy.take_along_axis": Takes((1, "indices"), (2, "axis")),
}
"""Functions that take elements along one axis, or of the whole where none is named."""

ALONG_LAST = frozenset({"jax.numpy.take_along_axis"})
"""Those of them whose axis is the last one where none is named."""

SEGMENTS: dict[str, tuple[int, str]] = {
    f"jax.ops.segment_{name}": (2, "num_segments") for name in ("sum", "max", "min", "prod")
}
"""Functions that gather elements by segments, and how many there are to be."""

MODE = "mode"
"""The option that says what becomes of an index that lies outside."""


class Slices(NamedTuple):
    """Where a function takes where its slices begin, and how long they are.

    Attributes:
        length: of one slice along the axis; None: one element.
        axis: None: along all axes, of each of which ``starts`` and ``length`` hold one.
    """

    starts: tuple[int, str]
    length: tuple[int, str] | None
    axis: tuple[int, str] | None = None


SLICES: dict[str, Slices] = {
    "jax.lax.dynamic_slice": Slices((1, "start_indices"), (2, "slice_sizes")),
    "jax.lax.dynamic_slice_in_dim": Slices((1, "start_index"), (2, "slice_size"), (3, "axis")),
    "jax.lax.dynamic_index_in_dim": Slices((1, "index"), None, (2, "axis")),
}
"""Functions that move a slice which does not fit to where it does."""
