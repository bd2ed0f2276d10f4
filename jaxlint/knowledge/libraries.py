"""What libraries of neural networks do with the classes that a program derives from theirs."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.optax_api import OPTIMIZER
from jaxlint.knowledge.probabilities import GIVES_ARRAYS, is_distribution
from jaxlint.knowledge.processes import CHECKPOINTERS
from jaxlint.knowledge.scipy_api import INTERPOLATORS


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

MADE_IN_TRANSFORM = "haiku.Module"
"""The base class of modules that can be made only where the library transforms a function."""

METHODS_ARE_PYTREES = frozenset({"equinox.Module"})
"""Base classes of modules whose bound methods JAX flattens into the module that they belong to."""

NO_PYTREES = frozenset({"flax.linen.Module"})
"""Base classes of modules that hold no arrays, and of which JAX takes no object apart."""

WARNS_OF_STATIC_ARRAYS = frozenset({"equinox.Module"})
"""Base classes of modules that warn when a field that is declared static gets an array."""

JITS: dict[str, str] = {"equinox.Module": "eqx.filter_jit"}
"""Base classes of modules, and what compiles functions of what is no array in them, too."""

ARRAY_FILTERS = {"equinox.is_array": "any", "equinox.is_inexact_array": "inexact"}
"""Tests of a leaf, and which arrays pass them."""

GIVES_BOTH_PARTS = {"equinox.partition": True, "equinox.filter": False}
"""Functions that put None in place of the leaves that fail a test; whether they give the others,
too."""

PUTS_TOGETHER = frozenset({"equinox.combine"})
"""Functions that take of leaves in one place the first that is not None."""

CHANGES_PARTS = "equinox.tree_at"
"""The function that gives a tree with other parts, which another function chooses."""

TEMPLATES: dict[str, tuple[int, str]] = {
    "equinox.tree_deserialise_leaves": (1, "like"),
    "flax.serialization.from_bytes": (0, "target"),
    "flax.serialization.from_state_dict": (0, "target"),
}
"""Functions that fill a tree with values from elsewhere; which argument says how it is built."""

NNX = "flax.nnx."
NNX_MODULE = f"{NNX}Module"

BY_REFERENCE = frozenset({NNX_MODULE})
"""Base classes of modules that enter a transform as the objects that they are."""

VARIABLES = frozenset(
    f"{NNX}{name}"
    for name in ("BatchStat", "Cache", "Intermediate", "Param", "Perturbation", "Variable")
)
"""Classes of which an object holds an array that a module replaces in place."""

LISTS = frozenset({f"{NNX}List"})
"""Lists that may hold modules and arrays of a module."""

SAYS_DATA = frozenset({f"{NNX}data"})
"""What gives back its argument, which the attributes of a module may hold from then on."""

SAYS_STATIC = frozenset({f"{NNX}static"})
"""What gives back its argument, of which nnx asks for nothing more than that it is equal."""

FOLLOWED = BY_REFERENCE | VARIABLES
"""Base classes of all that nnx follows through its own transforms, and plain JAX copies."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer that each call changes, in training.

    Attributes:
        off: an argument of the class, or of the call, that has it changed no more.
        needs: arguments of the class without which calls draw nothing.
        rate: an argument of the class: at 0 or 1 calls draw nothing.
    """

    off: str
    needs: str = ""
    rate: str = ""


CHANGED_BY_CALLS = {
    f"{NNX}BatchNorm": Layer("use_running_average"),
    f"{NNX}Dropout": Layer("deterministic", "rngs", "rate"),
}
"""Layers that a call changes: running statistics, or how many keys were drawn."""


@dataclass(frozen=True, slots=True)
class Asks:
    """What a layer of linen asks of the ``apply`` around it.

    Attributes:
        off: the place and name of an argument of the class that switches the layer off; an
            argument of the call may do so, too, at the same place as in ``called_off``.
        called_off: the place of that argument among those of the call.
        rate: the place and name of an argument of the class: at 0 or 1 nothing is drawn.
        least: what that argument is where it is not given.
        stream: of PRNG keys, from which it draws; empty for a layer that draws nothing.
        renames: an argument of the class that names another stream.
        own_key: an argument of the call that takes the place of the stream.
        collection: of variables, which it reads, and changes unless it is switched off.
    """

    off: tuple[int, str]
    called_off: int = -1
    rate: tuple[int, str] = (-1, "")
    least: float | None = None
    stream: str = ""
    renames: str = ""
    own_key: str = ""
    collection: str = ""


_ATTENTION = Asks(
    (-1, "deterministic"), rate=(-1, "dropout_rate"), least=0.0, stream="dropout",
    own_key="dropout_rng",
)  # fmt: skip
ASKS = {
    "flax.linen.BatchNorm": Asks(
        (0, "use_running_average"), called_off=1, collection="batch_stats"
    ),
    "flax.linen.Dropout": Asks(
        (2, "deterministic"), called_off=1, rate=(0, "rate"), stream="dropout",
        renames="rng_collection", own_key="rng",
    ),
    "flax.linen.MultiHeadAttention": _ATTENTION,
    "flax.linen.MultiHeadDotProductAttention": _ATTENTION,
    "flax.linen.SelfAttention": _ATTENTION,
}  # fmt: skip
"""Layers that ask the call around them for keys, or for variables that they may change."""

ANY_STREAM = "params"
"""The stream of PRNG keys that takes the place of each one that is not given."""

ASKED_BY_METHODS: dict[tuple[str, str], str] = {
    ("flax.linen.Module", "make_rng"): "rngs",
    ("flax.linen.Module", "variable"): "variables",
}
"""Base class and method -> the argument of ``apply`` that must bring what it names."""

PARAMETERS = frozenset({("flax.linen.Module", "param")})
"""Base class and method that gives a parameter of a name, and asks an initializer, which follows,
for its shapes: with a key, and what follows the initializer."""

STREAMS = frozenset({f"{NNX}Rngs", f"{NNX}RngStream"})
"""Classes of which a call of an object draws a PRNG key, and counts it."""

STREAM_OF = {f"{NNX}Rngs": f"{NNX}RngStream"}
"""What the attributes of such an object are, but its methods."""

STREAM_METHODS = frozenset(
    {
        "ball", "bernoulli", "beta", "binomial", "bits", "broadcast", "categorical", "cauchy",
        "chisquare", "choice", "delta_orthogonal", "dirichlet", "double_sided_maxwell",
        "exponential", "f", "fork", "gamma", "generalized_normal", "geometric", "glorot_normal",
        "glorot_uniform", "gumbel", "he_normal", "he_uniform", "items", "kaiming_normal",
        "kaiming_uniform", "laplace", "lecun_normal", "lecun_uniform", "loggamma", "logistic",
        "lognormal", "maxwell", "multinomial", "multivariate_normal", "normal", "orthogonal",
        "pareto", "permutation", "poisson", "rademacher", "randint", "rayleigh", "split", "t",
        "triangular", "truncated_normal", "uniform", "variance_scaling", "wald", "weibull_min",
        "xavier_normal", "xavier_uniform",
    }
)  # fmt: skip
"""Methods of such an object, which give no key: numbers, or other streams."""

OWN_TRANSFORMS = {
    "jax.jit": "nnx.jit",
    "jax.grad": "nnx.grad",
    "jax.value_and_grad": "nnx.value_and_grad",
    "jax.vmap": "nnx.vmap",
    "jax.checkpoint": "nnx.remat",
}
"""Transforms of JAX, and those of nnx that follow what JAX copies."""

MODES: dict[tuple[str, str], bool | None] = {
    (NNX_MODULE, "train"): True,
    (NNX_MODULE, "eval"): False,
    (NNX_MODULE, "set_attributes"): None,
}
"""Base class and method -> whether calls change the layers in the object afterwards; None: who
knows."""

_KEEPS_MODES = (NNX, "optax.", "orbax.", "jax.")


def keeps_modes(name: str) -> bool:
    """Whether a function of that name leaves alone whether a module trains."""
    return name.startswith(_KEEPS_MODES)


CHANGED_BY: dict[str, frozenset[str]] = {
    "flax.nnx.Optimizer": frozenset({"update"}),
    "flax.nnx.ModelAndOptimizer": frozenset({"update"}),
    "flax.nnx.MultiMetric": frozenset({"update", "reset"}),
}
"""Classes of which JAX copies the objects into a traced function, and the methods that change an
object, or what they are given, in place."""

TAKES_OUT = f"{NNX}state"
"""The function that gives the arrays in a module, of one kind or all of them."""

MAKES_OBJECTS = frozenset({f"{NNX}merge", f"{NNX}clone"})
"""Functions that make new objects of nnx out of what JAX gives to a compiled function."""

CHANGES_FIRST = frozenset({"flax.nnx.Optimizer.update", "flax.nnx.update"})
"""Functions and methods that change in place the object of nnx that they are given first."""

KEPT_BY_UPDATES = frozenset({"apply_fn", "tx"})
"""Attributes of a ``TrainState`` of flax that its updates leave as they were."""

REFUSES_OUTER = frozenset(
    f"{NNX}{name}" for name in ("grad", "jit", "remat", "value_and_grad", "vmap")
)
"""Transforms of nnx whose function takes no object that belongs to another trace."""

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


@dataclass(frozen=True, slots=True)
class Leaves:
    """What is among the leaves of an object, besides arrays of floats.

    Attributes:
        types: of which it is for certain: ``function``, or a type of Python's.
        unless: the place and name of an argument that puts something else there.
    """

    types: tuple[str, ...]
    unless: tuple[int, str] = (-1, "")


LEAVES: dict[str, Leaves] = {
    "equinox.nn.Dropout": Leaves(("bool",)),
    "equinox.nn.MLP": Leaves(("function",), unless=(5, "final_activation")),
    "equinox.nn.MultiheadAttention": Leaves(("bool",)),
    **dict.fromkeys(
        (f"equinox.nn.{pool}{axes}d" for pool in ("AvgPool", "MaxPool") for axes in (1, 2, 3)),
        Leaves(("function",)),
    ),
}
"""What JAX finds in an object of a library, when it takes it apart."""

OF_FUNCTIONS = {OPTIMIZER: "optimizer"}
"""Classes of which JAX takes the objects apart into functions, and what those are called."""

FLATTENED_INTO_PARTS = frozenset({"equinox.nn.Lambda", "equinox.nn.Sequential"})
"""Classes of which JAX takes the objects apart into the functions that they call."""

ARRAYS_OF = {"equinox.Module": "eqx.filter(model, eqx.is_array)"}
"""Base classes of modules, and what gives the arrays of one alone."""

MESH = "jax.sharding.Mesh"
NNX_OPTIMIZER = "flax.nnx.Optimizer"

MESHES = frozenset({MESH, "jax.experimental.maps.Mesh", "jax.interpreters.pxla.Mesh"})
"""Names of the class of meshes. An annotation with one promises no less: what derives from it
behaves alike, as what derives from an optimizer of flax does not."""

OBJECTS = {
    **dict.fromkeys((*MESHES, "jax.make_mesh"), MESH),
    NNX_OPTIMIZER: NNX_OPTIMIZER,
    **{name: name for name in CHECKPOINTERS | INTERPOLATORS},
}
"""What makes an object that is followed, to know what its methods are given; of which class."""


NAMES_AXES = {"einops.rearrange": 1, "einops.reduce": 1, "einops.repeat": 1, "einops.einsum": 0}
"""Functions of arrays with a pattern that names their axes: its position; 0: it comes last."""


def is_object(name: str) -> bool:
    """Whether a library's class of that name makes an object whose methods give arrays."""
    return name in LAYERS or name in CHANGED_BY or is_distribution(name)


def gives_array(name: str) -> bool:
    """Whether a method of such an object, by its qualified name, gives an array."""
    owner, _, method = name.rpartition(".")
    if owner in LAYERS:
        return method == "apply"
    return method in GIVES_ARRAYS and is_object(owner)


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
    f"{NNX}Rngs": KeyUse(0, ("default",)),
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

DRAWS_FROM: dict[str, str] = {
    **dict.fromkeys((name for name in KEY_FUNCTIONS if name.startswith("equinox.nn.")), "key"),
    **{
        f"{NNX}{name}": "rngs"
        for name in (
            "Conv", "ConvTranspose", "Dropout", "Einsum", "Embed", "GRUCell", "LSTMCell", "Linear",
            "LinearGeneral", "MultiHeadAttention", "OptimizedLSTMCell", "SimpleCell",
        )
    },
}  # fmt: skip
"""Layers that draw when they are made, or from then on, and what they are given for that."""

WANTS = {
    **{
        name: option
        for name, option in DRAWS_FROM.items()
        if name not in ("equinox.nn.Embedding", f"{NNX}Dropout")
    },
    **dict.fromkeys(
        (f"{NNX}{name}" for name in ("BatchNorm", "GroupNorm", "LayerNorm", "RMSNorm")), "rngs"
    ),
}
"""Layers that are not made without a keyword, and which that is."""

KEEP_PARAMETERS = WANTS.keys() | {"equinox.nn.Embedding"}
"""Layers that keep their parameters in themselves."""

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

DRAWS_IN_TRAINING = frozenset({"dropout"})
"""Streams of flax from which modules draw while they are trained, and not otherwise."""

NOT_TRAINING: dict[str, bool] = {
    "deterministic": True, "is_training": False, "train": False, "training": False,
}  # fmt: skip
"""Parameters by which the authors of modules let a caller say so, and what they are then."""

FOLDS_KEYS = frozenset({".init", ".init_with_output", ".apply", f"{NNX}Rngs"})
"""Those of them that fold a place into the key: it is drawn from again by the same method alone."""

SETS_PARAMETERS = frozenset({".init", ".init_with_output", f"{NNX}Rngs"})
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

KEY_EVIDENCE = jax_api.KEY_FUNCTIONS | KEY_METHODS.keys() | {"initializers", "Rngs"}
"""Names of which a file that uses PRNG keys reads at least one."""
