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
