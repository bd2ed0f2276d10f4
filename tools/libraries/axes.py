"""Whether a function whose pattern names axes does what its row says."""

from __future__ import annotations

from pkgutil import resolve_name

import jax
import jax.numpy as jnp

from jaxlint.knowledge.libraries import NAMES_AXES

_PATTERNS = {"rearrange": "a b -> b a 1", "repeat": "a b -> a b 2", "reduce": "a b -> b a 1",
             "einsum": "a b, a b -> b a"}  # fmt: skip


def names_axes(name: str) -> str:
    """Given arrays and a pattern at its place, it gives an array with the axes behind the arrow."""
    function, short = resolve_name(name), name.rpartition(".")[2]
    more = ("sum",) if short == "reduce" else ()
    arrays = NAMES_AXES[name] or 2

    def call(x: jax.Array) -> jax.Array:
        found: jax.Array = function(*(x,) * arrays, _PATTERNS[short], *more)
        return found

    given = jax.eval_shape(call, jnp.ones((3, 4))).shape
    last = {"repeat": (3, 4, 2), "einsum": (4, 3)}.get(short, (4, 3, 1))
    return "" if given == last else f"gives {given}"
