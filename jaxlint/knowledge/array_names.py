"""What arrays of JAX have, and which of it their tracers refuse, as thirteen releases answered.

``array_names.json`` is written by ``python -m tools.array_names``; nothing in it is typed by hand.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from jaxlint.knowledge.tables import table

Way = Literal["missing", "read", "called"]
"""How a tracer refuses a name: it does not have it, raises when it is read, or when called."""

INSTEAD = {
    "append": "jnp.append", "argwhere": "jnp.argwhere", "cat": "jnp.concatenate",
    "clamp": "jnp.clip", "contiguous": "the array itself", "cpu": "jax.device_put",
    "cuda": "jax.device_put", "detach": "jax.lax.stop_gradient", "dim": "x.ndim",
    "double": "x.astype", "exp": "jnp.exp", "expand": "jnp.broadcast_to", "fill": "jnp.full_like",
    "float": "x.astype", "half": "x.astype", "int": "x.astype", "log": "jnp.log",
    "long": "x.astype", "masked_fill": "jnp.where", "norm": "jnp.linalg.norm",
    "numel": "x.size", "numpy": "np.asarray", "partition": "jnp.partition",
    "permute": "x.transpose", "put": "x.at[i].set", "resize": "jnp.resize",
    "sqrt": "jnp.sqrt", "to": "jax.device_put", "type": "x.astype", "unsqueeze": "jnp.expand_dims",
}  # fmt: skip
"""What to write in place of what arrays of NumPy, of other libraries, or lists have.

No release of JAX has any of it; what else an array lacks may say that it is none.
"""


@cache
def _names() -> frozenset[str]:
    return frozenset(table("array_names")["names"])


@cache
def _refused() -> dict[str, Way]:
    return {name: way for way, names in table("array_names")["refused"].items() for name in names}


def ever_on_arrays(name: str) -> bool:
    """Whether the arrays of some release have a name; nobody was asked of one that is private."""
    return name.startswith("_") or name in _names()


def refused_by_tracers(name: str) -> Way | None:
    """How tracers refuse what arrays have, in each release; None where they do not."""
    return _refused().get(name)


def asked() -> list[str]:
    """The releases that were asked, oldest first."""
    return list(table("array_names")["releases"])
