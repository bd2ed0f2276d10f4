"""What libraries of neural networks do with the classes that a program derives from theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ModuleMethod:
    """A method that a library adds to a module class, and that runs its ``__call__``.

    Attributes:
        first: how many positional arguments come before those of ``__call__``.
        options: keyword arguments that are not passed on.
        key: position and keyword of a PRNG key that it uses up.
        returns: it gives back what ``__call__`` returns.
    """

    first: int
    options: frozenset[str] = frozenset()
    key: tuple[int, str] | None = None
    returns: bool = True


_LINEN_OPTIONS = frozenset({"rngs", "mutable", "method", "capture_intermediates"})

MODULE_METHODS: dict[tuple[str, str], ModuleMethod] = {
    ("flax.linen.Module", "apply"): ModuleMethod(1, _LINEN_OPTIONS),
    ("flax.linen.Module", "init"): ModuleMethod(1, _LINEN_OPTIONS, key=(0, "rngs"), returns=False),
}
"""Base class and method -> what it does."""

_EQUINOX = (
    "AvgPool1d", "AvgPool2d", "AvgPool3d", "Conv", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose",
    "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "Dropout", "Embedding", "GRUCell",
    "Identity", "Lambda", "LayerNorm", "Linear", "MLP", "MaxPool1d", "MaxPool2d", "MaxPool3d",
    "MultiheadAttention", "PReLU", "RMSNorm", "RotaryPositionalEmbedding",
)  # fmt: skip
_LINEN = (
    "BatchNorm", "Conv", "ConvTranspose", "Dense", "DenseGeneral", "Dropout", "Embed", "GroupNorm",
    "LayerNorm", "MultiHeadDotProductAttention", "PReLU", "RMSNorm", "SelfAttention",
)  # fmt: skip
_NNX = (
    "BatchNorm", "Conv", "ConvTranspose", "Dropout", "Einsum", "Embed", "GroupNorm", "LayerNorm",
    "Linear", "LinearGeneral", "PReLU", "RMSNorm",
)  # fmt: skip
_HAIKU = (
    "Conv1D", "Conv2D", "Conv3D", "Embed", "LayerNorm", "Linear", "MultiHeadAttention", "RMSNorm",
)  # fmt: skip
_OPTIMIZERS = (
    "adabelief", "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamaxw", "adamw", "adan",
    "amsgrad", "chain", "fromage", "lamb", "lars", "lion", "lookahead", "noisy_sgd", "novograd",
    "radam", "rmsprop", "rprop", "sgd", "sign_sgd", "sm3", "yogi",
)  # fmt: skip
_OPTIMIZER = "optax.GradientTransformation"

LAYERS: frozenset[str] = frozenset(
    f"{module}.{name}"
    for module, names in (
        ("equinox.nn", _EQUINOX),
        ("flax.linen", _LINEN),
        ("flax.nnx", _NNX),
        ("haiku", _HAIKU),
    )
    for name in names
)
"""Classes of layers: a call of one computes an array."""

OBJECTS: dict[str, str] = {
    **{name: name for name in sorted(LAYERS)},
    **{f"optax.{name}": _OPTIMIZER for name in _OPTIMIZERS},
}
"""Functions and classes that make an object whose methods are known: its type."""

METHODS: dict[str, Literal["array", "updates"]] = {
    **{f"{name}.__call__": "array" for name in sorted(LAYERS)},
    f"{_OPTIMIZER}.update": "updates",
}
"""Method of such an object -> what it returns: an array, or updates like the gradients that it
is given, and a state."""
