"""What links of a chain of optax do to what they are given, by qualified name."""

from __future__ import annotations

from jaxlint.knowledge.optax_api import MADE_WHOLE_BY_OTHERS

TURNS_SIGN = frozenset(
    f"optax.{name}"
    for name in (
        "adabelief", "adagrad", "adam", "adamax", "adamaxw", "adamw", "adan",
        "amsgrad", "lamb", "lion", "nadam", "nadamw", "novograd", "radam", "rmsprop", "rprop",
        "scale_by_learning_rate", "sgd", "sign_sgd", "yogi",
    )
) | frozenset(f"optax.contrib.{name}" for name in MADE_WHOLE_BY_OTHERS)  # fmt: skip
"""Those that make updates, which are added, of gradients: they have the other sign."""

FORGETS_SCALE = TURNS_SIGN - {
    "optax.adagrad", "optax.contrib.galore", "optax.contrib.madgrad",
    "optax.contrib.schedule_free_sgd", "optax.radam", "optax.scale_by_learning_rate", "optax.sgd",
}  # fmt: skip
"""Those of them that make the same of gradients a million times as large."""

CLIPS = frozenset({"optax.clip", "optax.clip_by_block_rms", "optax.clip_by_global_norm"})
"""Links that keep what they are given within bounds."""

ADDS_WEIGHTS = {"optax.add_decayed_weights": (0, "weight_decay")}
"""Links that add the parameters to gradients, times a number: its position and name."""

DECAYS = {
    "optax.adamaxw": ((4, "weight_decay"), (5, "mask"), True),
    "optax.adamw": ((6, "weight_decay"), (7, "mask"), True),
    "optax.add_decayed_weights": ((0, "weight_decay"), (1, "mask"), False),
    "optax.lamb": ((5, "weight_decay"), (6, "mask"), False),
    "optax.lion": ((4, "weight_decay"), (5, "mask"), True),
    "optax.nadamw": ((6, "weight_decay"), (7, "mask"), True),
}
"""Optimizers and links whose updates make parameters smaller: where the number is by which, and the
mask of those that are left out; whether they do so unless told otherwise."""

MASKS = {"optax.masked": (1, "mask")}
"""Functions that are given a link first, and make one that passes on what a mask leaves out."""
