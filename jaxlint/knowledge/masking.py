"""Layers that hide some numbers at random in training: dropout."""

from __future__ import annotations

from jaxlint.knowledge.libraries import NNX, Asks

KEYED = {
    "equinox.nn.Dropout": Asks(
        (1, "inference"), rate=(0, "p"), least=0.5, stream="key", own_key="key"
    ),
}
"""Those that draw from a key which each call passes: it raises without."""

OTHER_SWITCHES = frozenset({"deterministic"})
"""Arguments that switch such a layer off, too; they are deprecated."""

STREAMED = frozenset({f"{NNX}Dropout"})
"""Those that draw from a stream of their own."""

MAPS = frozenset({"equinox.filter_vmap", "flax.nnx.vmap", "jax.vmap"})
"""What maps a function over a batch, with an entry of ``in_axes`` for each argument, or one for
all."""
