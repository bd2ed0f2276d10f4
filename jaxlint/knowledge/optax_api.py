"""What the optimizers of optax are made of, and what they ask for."""

from __future__ import annotations

OPTIMIZER = "optax.GradientTransformation"
"""What an optimizer is."""

MADE_OF = ("init", "update")
"""The functions that one is made of: what gives its first state, and what updates."""

OWN_OPTIMIZERS = frozenset({OPTIMIZER, f"{OPTIMIZER}ExtraArgs"})
"""What makes one of such functions of the program."""

MADE_WHOLE = (
    "adabelief", "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamaxw", "adamw", "adan",
    "amsgrad", "chain", "fromage", "lamb", "lars", "lion", "lookahead", "nadam", "nadamw",
    "noisy_sgd", "novograd", "radam", "rmsprop", "rprop", "sgd", "sign_sgd", "sm3", "yogi",
)  # fmt: skip
"""What makes whole optimizers in optax."""

MADE_WHOLE_BY_OTHERS = (
    "acprop", "ademamix", "adopt", "cocob", "dadapt_adamw", "dog", "dowg", "galore", "madgrad",
    "muon", "prodigy", "schedule_free_adamw", "schedule_free_sgd", "simplified_ademamix",
)  # fmt: skip
"""What makes whole optimizers in ``optax.contrib``."""

_LINKS = (
    "adaptive_grad_clip add_decayed_weights add_noise apply_every centralize clip "
    "clip_by_block_rms clip_by_global_norm ema identity keep_params_nonnegative "
    "normalize_by_update_norm scale scale_by_adadelta scale_by_adam scale_by_adamax scale_by_adan "
    "scale_by_amsgrad scale_by_belief scale_by_distance_over_gradients scale_by_learning_rate "
    "scale_by_lion scale_by_novograd scale_by_optimistic_gradient scale_by_param_block_norm "
    "scale_by_param_block_rms scale_by_radam scale_by_rms scale_by_rprop scale_by_rss "
    "scale_by_schedule scale_by_sign scale_by_sm3 scale_by_stddev scale_by_trust_ratio "
    "scale_by_yogi set_to_zero trace zero_nans"
)
_BY_OTHERS = frozenset(f"optax.contrib.{name}" for name in MADE_WHOLE_BY_OTHERS)
OPTIMIZERS = _BY_OTHERS.union(f"optax.{name}" for name in (*MADE_WHOLE, *_LINKS.split()))
"""Functions that make one, or a link of a chain, which is one, too."""

MAKES_ALIKE = frozenset({"optax.inject_hyperparams"})
"""Functions that are given one of those, and give another one that makes the like."""

CHAIN = "optax.chain"
"""Makes one that passes updates through others, which it is given."""

NEEDS_PARAMETERS = frozenset(
    f"optax.{name}"
    for name in (
        "adadelta", "adafactor", "adamaxw", "adamw", "adan", "adaptive_grad_clip",
        "add_decayed_weights", "fromage", "keep_params_nonnegative", "lamb", "lars", "lion",
        "nadamw", "novograd", "scale_by_distance_over_gradients", "scale_by_novograd",
        "scale_by_param_block_norm", "scale_by_param_block_rms", "scale_by_trust_ratio",
    )
).union(_BY_OTHERS - {"optax.contrib.adopt"})  # fmt: skip
"""Those whose update raises without the parameters."""

KEEPS_STATE = OPTIMIZERS - {f"optax.{name}" for name in (
    "adaptive_grad_clip", "add_decayed_weights", "centralize", "chain", "clip",
    "clip_by_block_rms", "clip_by_global_norm", "fromage", "identity", "keep_params_nonnegative",
    "lookahead", "normalize_by_update_norm", "scale", "scale_by_learning_rate",
    "scale_by_param_block_norm", "scale_by_param_block_rms", "scale_by_sign",
    "scale_by_trust_ratio", "set_to_zero", "sgd", "sign_sgd", "zero_nans",
)}  # fmt: skip
"""Those whose update counts on the state that the last one gave."""

KEEPS_STATE_WITH = {"optax.sgd": (1, "momentum")}
"""Those that do so where a number is given for an argument: its position and name."""

MIRRORS = KEEPS_STATE - {"optax.add_noise", "optax.noisy_sgd", "optax.scale_by_schedule"}
"""Those whose first state has an array for each leaf of the parameters, which must be one."""

KEEPS_SIGN = frozenset(f"optax.{name}" for name in _LINKS.split()) - {f"optax.{name}" for name in (
    "add_noise", "apply_every", "centralize", "ema", "scale", "scale_by_learning_rate",
    "scale_by_schedule", "set_to_zero",
)}  # fmt: skip
"""Links of a chain whose updates have the sign of those that they are given."""

SCALES = frozenset({"optax.scale"})
"""Those that do so where the number that they are given first is above zero."""

APPLIES_UPDATES = frozenset({"equinox.apply_updates", "optax.apply_updates"})
"""Functions that add updates to the parameters."""
