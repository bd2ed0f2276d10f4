"""What libraries of neural networks do with the classes that a program derives from theirs."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.knowledge import jax_api


@dataclass(frozen=True, slots=True)
class ModuleMethod:
    """A method that a library adds to a module class, and that runs its ``__call__``.

    Attributes:
        first: how many positional arguments come before those of ``__call__``.
        options: keyword arguments that are not passed on.
        returns: it gives back what ``__call__`` returns.
    """

    first: int
    options: frozenset[str] = frozenset()
    returns: bool = True


_LINEN_OPTIONS = frozenset({"rngs", "mutable", "method", "capture_intermediates"})

MODULE_METHODS: dict[tuple[str, str], ModuleMethod] = {
    ("flax.linen.Module", "apply"): ModuleMethod(1, _LINEN_OPTIONS),
    ("flax.linen.Module", "init"): ModuleMethod(1, _LINEN_OPTIONS, returns=False),
}
"""Base class and method -> what it does."""

SETS_UP = {"flax.linen.Module": "setup"}
"""Base classes of modules, and the method that runs before each of their calls."""

BY_REFERENCE = frozenset({"flax.nnx.Module"})
"""Base classes of modules that enter a transform as the objects that they are."""

CHANGED_BY: dict[str, frozenset[str]] = {
    "flax.nnx.Optimizer": frozenset({"update"}),
    "flax.nnx.ModelAndOptimizer": frozenset({"update"}),
    "flax.nnx.MultiMetric": frozenset({"update", "reset"}),
}
"""Classes of which JAX copies the objects into a traced function, and the methods that change an
object, or what they are given, in place."""

SHARES_VARIABLES = frozenset({"var_defaults", "with_vars", "new_ref", "array_ref", "mutable_array"})
"""Names of which a file may use one to have nnx share variables with a traced function."""

_LAYERS = {
    "flax.linen": "Dense DenseGeneral Einsum Conv ConvTranspose ConvLocal Embed LayerNorm RMSNorm "
    "GroupNorm BatchNorm InstanceNorm WeightNorm SpectralNorm Dropout MultiHeadDotProductAttention "
    "SelfAttention MultiHeadAttention PReLU",
    "flax.nnx": "Linear LinearGeneral Einsum Conv ConvTranspose Embed LayerNorm RMSNorm GroupNorm "
    "BatchNorm InstanceNorm Dropout MultiHeadAttention PReLU",
    "equinox.nn": "Linear Conv Conv1d Conv2d Conv3d ConvTranspose ConvTranspose1d "
    "ConvTranspose2d ConvTranspose3d Embedding LayerNorm RMSNorm GroupNorm Dropout MLP "
    "MultiheadAttention Identity Lambda GRUCell PReLU AvgPool1d AvgPool2d MaxPool1d MaxPool2d",
    "haiku": "Linear Bias Conv1D Conv2D Conv3D ConvND Conv1DTranspose Conv2DTranspose Embed "
    "LayerNorm BatchNorm GroupNorm InstanceNorm RMSNorm Flatten MultiHeadAttention AvgPool "
    "MaxPool",
    "haiku.nets": "MLP ResNet18 ResNet50",
}
LAYERS = frozenset(
    f"{module}.{name}" for module, names in _LAYERS.items() for name in names.split()
)
"""Module classes of libraries whose instances are called with arrays and give one."""

OPTIMIZER = "optax.GradientTransformation"
"""What an optimizer is."""

_OPTIMIZERS = (
    "adabelief adadelta adafactor adagrad adam adamax adamaxw adamw adan amsgrad chain fromage "
    "lamb lars lion lookahead noisy_sgd novograd radam rmsprop rprop sgd sign_sgd sm3 yogi"
)
OPTIMIZERS = frozenset(f"optax.{name}" for name in _OPTIMIZERS.split())
"""Functions that make one."""

_DISTRIBUTIONS = (
    "distrax.",
    "numpyro.distributions.",
    "tensorflow_probability.substrates.jax.distributions.",
)
_DENSITIES = frozenset({"log_prob", "prob", "log_cdf", "cdf", "entropy", "kl_divergence"})


MESH = "jax.sharding.Mesh"
NNX_OPTIMIZER = "flax.nnx.Optimizer"

MESHES = frozenset({MESH, "jax.experimental.maps.Mesh", "jax.interpreters.pxla.Mesh"})
"""Names of the class of meshes. An annotation with one promises no less: what derives from it
behaves alike, as what derives from an optimizer of flax does not."""

OBJECTS = {**dict.fromkeys((*MESHES, "jax.make_mesh"), MESH), NNX_OPTIMIZER: NNX_OPTIMIZER}
"""What makes an object that is followed, to know what its methods are given; of which class."""


def is_object(name: str) -> bool:
    """Whether a library's class of that name makes an object whose methods give arrays."""
    if name in LAYERS or name in CHANGED_BY:
        return True
    return name.startswith(_DISTRIBUTIONS) and name.rpartition(".")[2][:1].isupper()


def gives_array(name: str) -> bool:
    """Whether a method of such an object, by its qualified name, gives an array."""
    owner, _, method = name.rpartition(".")
    if owner in LAYERS:
        return method == "apply"
    return method in _DENSITIES and is_object(owner)


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A function or method that uses up the PRNG key it is given.

    Attributes:
        position: of the key; None where only a keyword gives it.
        keywords: by which it is given.
        shapes: of the other arguments it asks for the shapes alone.
    """

    position: int | None
    keywords: tuple[str, ...] = ()
    shapes: bool = False


_BY_KEY = KeyUse(None, ("key",))

KEY_FUNCTIONS: dict[str, KeyUse] = {
    "numpyro.sample": KeyUse(None, ("rng_key",)),
    **{
        f"equinox.nn.{name}": _BY_KEY
        for name in (
            "Conv", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose", "ConvTranspose1d",
            "ConvTranspose2d", "ConvTranspose3d", "Embedding", "GRUCell", "LSTMCell", "Linear",
            "MLP", "MultiheadAttention",
        )
    },
}  # fmt: skip
"""Functions and classes of libraries that use up a PRNG key."""

KEY_METHODS: dict[str, KeyUse] = {
    "init": KeyUse(0, ("rngs", "rng"), shapes=True),
    "init_with_output": KeyUse(0, ("rngs",)),
    "apply": KeyUse(None, ("rngs",)),
    "sample": KeyUse(0, ("seed", "rng_key", "rng", "key")),
    "sample_and_log_prob": KeyUse(None, ("seed",)),
    "reset": KeyUse(0, ("key", "rng")),
    "step": KeyUse(0, ("key", "rng")),
}
"""Methods of modules, distributions and environments (flax, haiku, distrax, numpyro, gymnax,
brax) that use up what they are given, if it is a PRNG key."""

FOLDS_KEYS = frozenset({".init", ".init_with_output", ".apply"})
"""Those of them that fold a place into the key: it is drawn from again by the same method alone."""

SETS_PARAMETERS = frozenset({".init", ".init_with_output"})
"""Those that give a module its parameters: twice with one key, two copies."""

INITIALIZER_MODULES = ("jax.nn.initializers", "flax.linen.initializers", "flax.nnx.initializers")
"""Where the initializers of parameters are."""

INITIALIZER_FACTORIES = frozenset(
    {"delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
     "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "orthogonal",
     "truncated_normal", "uniform", "variance_scaling", "xavier_normal", "xavier_uniform"}
)  # fmt: skip
"""Functions there that make an initializer which draws from the PRNG key it is given."""

INITIALIZER = "jax.nn.initializers.<initializer>"
"""What they make."""

KEY_EVIDENCE = jax_api.KEY_FUNCTIONS | KEY_METHODS.keys() | {"initializers"}
"""Names of which a file that uses PRNG keys reads at least one."""
