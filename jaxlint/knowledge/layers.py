"""What layers of neural network libraries make of the shape of the array that they are called with.

Each row is checked against the installed library: a layer of 7 features is made, initialized and
called (``tools/libraries/layers.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.knowledge.libraries import LEAVES, MADE_IN_TRANSFORM

Word = Literal["kept", "last", "added", "only", "window", "first", "pooled", "flat"]
"""What becomes of a shape.

``kept``: it stays. ``last``: the features take the place of the last axis. ``added``: they come
after it. ``only``: they are all that is left. ``window``: the last axis becomes the features, and
those before it, as many as a window has, get other sizes. ``first``: the same with the features in
front. ``pooled``: the same, and the last axis stays. ``flat``: all axes but the first become one.
"""


@dataclass(frozen=True, slots=True)
class Shaping:
    """How the shape of what a layer gives follows from that of its first argument.

    Attributes:
        word: what becomes of the shape.
        features: the place and name of the argument of the class that says how many features
            there are, a list of which the last does, or ``"scalar"``: no axis for them.
        optional: without that argument the shape stays.
        window: the place and name of the argument that has an entry for each axis of a window.
        takes: the place and name of the argument that says how many features come in; a layer that
            is called with an array of others raises.
        axes: how many axes the window of this class always has.
        unless: arguments of the class with which it is another one.
    """

    word: Word
    features: tuple[int, str] = (-1, "")
    optional: bool = False
    window: tuple[int, str] = (-1, "")
    takes: tuple[int, str] = (-1, "")
    axes: int | None = None
    unless: frozenset[str] = frozenset()


KEPT = Shaping("kept")

_KEEP_SHAPE = {
    "flax.linen": "LayerNorm RMSNorm GroupNorm BatchNorm InstanceNorm Dropout PReLU",
    "flax.nnx": "LayerNorm RMSNorm GroupNorm BatchNorm InstanceNorm Dropout PReLU",
    "equinox.nn": "LayerNorm RMSNorm GroupNorm Dropout Identity PReLU",
    "haiku": "Bias LayerNorm BatchNorm GroupNorm InstanceNorm RMSNorm",
}
_ATTENTION = Shaping("last", (-1, "out_features"), optional=True)
_IN_FEATURES = (0, "in_features")
_IN_CHANNELS = (0, "in_channels")
_NNX_CONV = Shaping("window", (1, "out_features"), window=(2, "kernel_size"), takes=_IN_FEATURES)
_LAST_FORMAT = frozenset({"data_format"})

SHAPINGS: dict[str, Shaping] = {
    **{f"{module}.{name}": KEPT for module, names in _KEEP_SHAPE.items() for name in names.split()},
    "flax.linen.Dense": Shaping("last", (0, "features")),
    "flax.linen.Embed": Shaping("added", (1, "features")),
    "flax.linen.Conv": Shaping("window", (0, "features"), window=(1, "kernel_size")),
    "flax.linen.ConvTranspose": Shaping("window", (0, "features"), window=(1, "kernel_size")),
    "flax.linen.MultiHeadDotProductAttention": _ATTENTION,
    "flax.linen.MultiHeadAttention": _ATTENTION,
    "flax.linen.SelfAttention": _ATTENTION,
    "flax.nnx.Linear": Shaping("last", (1, "out_features"), takes=_IN_FEATURES),
    "flax.nnx.Embed": Shaping("added", (1, "features")),
    "flax.nnx.Conv": _NNX_CONV,
    "flax.nnx.ConvTranspose": _NNX_CONV,
    "flax.nnx.MultiHeadAttention": _ATTENTION,
    "equinox.nn.Linear": Shaping("only", (1, "out_features"), takes=_IN_FEATURES),
    "equinox.nn.MLP": Shaping("only", (1, "out_size"), takes=(0, "in_size")),
    "equinox.nn.Embedding": Shaping("only", (1, "embedding_size")),
    "equinox.nn.GRUCell": Shaping("only", (1, "hidden_size"), takes=(0, "input_size")),
    "equinox.nn.Conv1d": Shaping("first", (1, "out_channels"), takes=_IN_CHANNELS, axes=1),
    "equinox.nn.Conv2d": Shaping("first", (1, "out_channels"), takes=_IN_CHANNELS, axes=2),
    "equinox.nn.Conv3d": Shaping("first", (1, "out_channels"), takes=_IN_CHANNELS, axes=3),
    "equinox.nn.MultiheadAttention": Shaping("last", (4, "output_size"), optional=True),
    "haiku.Linear": Shaping("last", (0, "output_size")),
    "haiku.nets.MLP": Shaping("last", (0, "output_sizes")),
    "haiku.Embed": Shaping("added", (1, "embed_dim")),
    "haiku.Conv1D": Shaping("window", (0, "output_channels"), axes=1, unless=_LAST_FORMAT),
    "haiku.Conv2D": Shaping("window", (0, "output_channels"), axes=2, unless=_LAST_FORMAT),
    "haiku.Conv3D": Shaping("window", (0, "output_channels"), axes=3, unless=_LAST_FORMAT),
    "haiku.Flatten": Shaping("flat", unless=frozenset({"preserve_dims"})),
}
"""Classes of layers, and what they make of a shape."""

POOLS: dict[str, Shaping] = {
    f"{module}.{name}": Shaping("pooled", window=(1, "window_shape"))
    for module in ("flax.linen", "flax.nnx")
    for name in ("avg_pool", "max_pool")
}
"""Functions that slide a window over their first argument."""

LEARNT = frozenset(name for name, row in SHAPINGS.items() if row.features[1])
"""Layers whose result is a product with parameters of their own."""

CALLS_EACH: dict[str, Literal["list", "all", "one"]] = {
    "flax.linen.Sequential": "list",
    "flax.nnx.Sequential": "all",
    "equinox.nn.Sequential": "list",
    "equinox.nn.Lambda": "one",
    "haiku.Sequential": "list",
}
"""Classes whose objects call functions one after the other: a list of them, all the arguments, or
the first alone."""


@dataclass(frozen=True, slots=True)
class Calls:
    """A function that a layer is given, and calls.

    Attributes:
        given: the place and name of the argument of the class.
        mapped: the transform that maps it over the numbers of an array; empty for none.
    """

    given: tuple[int, str]
    mapped: str = ""


CALLS: dict[str, Calls] = {
    "equinox.nn.MLP": Calls((4, "activation"), "jax.vmap"),
    "haiku.nets.MLP": Calls((4, "activation")),
}
"""Layers that call a function between others."""

_BASES = {
    "equinox.nn": "equinox.Module",
    "flax.linen": "flax.linen.Module",
    "haiku": MADE_IN_TRANSFORM,
}
"""Packages of layers, and the class from which all of them derive."""


def base_of(name: str) -> str:
    """The class of modules from which a layer derives; empty for none."""
    if name in SHAPINGS or name in CALLS_EACH or name in LEAVES:
        return _BASES.get(name.rpartition(".")[0], "")
    return ""


_ACTIVATIONS = (
    "celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu log_sigmoid "
    "log_softmax logsumexp one_hot relu relu6 selu sigmoid silu soft_sign softmax softplus "
    "standardize swish tanh"
)
SAME_FUNCTIONS: dict[str, str] = {
    f"{module}.{name}": f"jax.nn.{name}"
    for module in ("flax.linen", "flax.nnx")
    for name in _ACTIVATIONS.split()
}
"""Names under which libraries give functions of JAX once more."""

HOLD_PARAMETERS = frozenset(
    f"flax.linen.{name}"
    for name in ("Conv", "ConvLocal", "ConvTranspose", "Dense", "DenseGeneral", "Embed")
)
"""Layers of linen that have parameters, however they are made."""

PARAMETERS_IN = "params"
"""The collection of variables that holds them."""
