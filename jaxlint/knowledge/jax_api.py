"""What JAX functions return, and what a JAX array offers.

A function of one of :data:`ARRAY_MODULES` returns an array unless a table below
says otherwise.
"""

from __future__ import annotations

from jaxlint.knowledge.transforms import RULES

ARRAY_MODULES = (
    "jax.numpy",
    "jax.numpy.fft",
    "jax.numpy.linalg",
    "jax.lax",
    "jax.lax.linalg",
    "jax.nn",
    "jax.random",
    "jax.scipy.special",
    "jax.scipy.stats",
    "jax.scipy.linalg",
    "jax.scipy.signal",
    "jax.scipy.ndimage",
    "jax.scipy.integrate",
    "jax.image",
    "jax.ops",
)
"""Modules whose functions compute arrays."""

LIBRARY_ARRAY_FUNCTIONS = frozenset(
    {
        *(
            f"optax.{name}"
            for name in (
                "softmax_cross_entropy",
                "softmax_cross_entropy_with_integer_labels",
                "sigmoid_binary_cross_entropy",
                "l2_loss",
                "squared_error",
                "huber_loss",
                "log_cosh",
                "cosine_distance",
                "cosine_similarity",
                "hinge_loss",
                "smooth_labels",
                "global_norm",
            )
        ),
        *(
            f"flax.linen.{name}"
            for name in (
                "relu",
                "gelu",
                "silu",
                "swish",
                "elu",
                "selu",
                "celu",
                "sigmoid",
                "hard_sigmoid",
                "softplus",
                "softmax",
                "log_softmax",
                "log_sigmoid",
                "soft_sign",
                "tanh",
                "standardize",
                "one_hot",
                "logsumexp",
            )
        ),
    }
)
"""Functions of other libraries that compute arrays."""

HOST_RESULTS: dict[str, str] = {
    "jax.numpy.shape": "shape",
    "jax.numpy.ndim": "int",
    "jax.numpy.size": "int",
    "jax.numpy.issubdtype": "bool",
    "jax.numpy.isdtype": "bool",
    "jax.numpy.iscomplexobj": "bool",
    "jax.numpy.isrealobj": "bool",
    "jax.numpy.isscalar": "bool",
    "jax.numpy.can_cast": "bool",
    "jax.numpy.result_type": "dtype",
    "jax.numpy.promote_types": "dtype",
    "jax.numpy.dtype": "dtype",
    "jax.numpy.finfo": "object",
    "jax.numpy.iinfo": "object",
    "jax.numpy.broadcast_shapes": "shape",
    "jax.lax.broadcast_shapes": "shape",
    "jax.numpy.printoptions": "object",
    "jax.numpy.set_printoptions": "object",
    "jax.numpy.get_printoptions": "object",
    "jax.numpy.array_repr": "str",
    "jax.numpy.array_str": "str",
    "jax.dtypes.canonicalize_dtype": "dtype",
    "jax.dtypes.issubdtype": "bool",
    "jax.device_count": "int",
    "jax.local_device_count": "int",
    "jax.process_index": "int",
    "jax.process_count": "int",
    "jax.default_backend": "str",
    "jax.devices": "object",
    "jax.local_devices": "object",
    "jax.lax.dtype": "dtype",
    "jax.lax.axis_size": "int",
    "jax.random.key_impl": "object",
}
"""Functions that return a Python value even for a tracer, and its type."""

UNKNOWN_RESULTS = frozenset(
    {
        "jax.numpy.einsum_path",
        "jax.numpy.load",
        "jax.numpy.save",
        "jax.numpy.savez",
        "jax.numpy.frompyfunc",
        "jax.numpy.ndim",
        "jax.numpy.apply_along_axis",
        "jax.numpy.apply_over_axes",
        "jax.numpy.gradient",
        "jax.numpy.piecewise",
        "jax.lax.psum",
        "jax.lax.pmean",
        "jax.lax.pmax",
        "jax.lax.pmin",
        "jax.lax.all_gather",
        "jax.lax.all_to_all",
        "jax.lax.ppermute",
        "jax.lax.stop_gradient",
        "jax.lax.optimization_barrier",
        "jax.lax.reduce",
        "jax.lax.sort",
        "jax.lax.cond_p",
        "jax.lax.custom_linear_solve",
    }
)
"""Functions of array modules that return a pytree like their input, or what they are told."""

TUPLE_RESULTS: dict[str, int | None] = {
    "jax.numpy.split": None,
    "jax.numpy.array_split": None,
    "jax.numpy.hsplit": None,
    "jax.numpy.vsplit": None,
    "jax.numpy.dsplit": None,
    "jax.numpy.unstack": None,
    "jax.numpy.meshgrid": None,
    "jax.numpy.broadcast_arrays": None,
    "jax.numpy.nonzero": None,
    "jax.numpy.ix_": None,
    "jax.numpy.unravel_index": None,
    "jax.numpy.diag_indices": None,
    "jax.numpy.tril_indices": None,
    "jax.numpy.triu_indices": None,
    "jax.numpy.divmod": 2,
    "jax.numpy.modf": 2,
    "jax.numpy.frexp": 2,
    "jax.numpy.histogram": 2,
    "jax.numpy.histogram2d": 3,
    "jax.numpy.linalg.eig": 2,
    "jax.numpy.linalg.eigh": 2,
    "jax.numpy.linalg.slogdet": 2,
    "jax.numpy.linalg.svd": None,
    "jax.numpy.linalg.qr": None,
    "jax.numpy.linalg.lstsq": 4,
    "jax.scipy.linalg.lu": None,
    "jax.scipy.linalg.eigh": None,
    "jax.scipy.linalg.svd": None,
    "jax.scipy.linalg.qr": None,
    "jax.scipy.linalg.cho_factor": None,
    "jax.scipy.linalg.lu_factor": 2,
    "jax.lax.top_k": 2,
    "jax.lax.sort_key_val": 2,
}
"""Functions that return a tuple or list of arrays, and how many when that is fixed."""

ONE_RESULT_OPTIONS = frozenset({"compute_uv", "mode", "eigvals_only", "pivoting", "permute_l"})
"""Options with which some of them return another number of arrays, or just one."""

BOOL_RESULTS = frozenset(
    f"jax.numpy.{name}"
    for name in [
        "all",
        "any",
        "allclose",
        "array_equal",
        "array_equiv",
        "equal",
        "not_equal",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "isclose",
        "isfinite",
        "isin",
        "isinf",
        "isnan",
        "isneginf",
        "isposinf",
        "isreal",
        "iscomplex",
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "signbit",
    ]
)
"""Functions whose result is an array of booleans."""

REDUCTIONS = frozenset(
    f"jax.numpy.{name}"
    for name in [
        "all",
        "any",
        "sum",
        "prod",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "amax",
        "amin",
        "argmax",
        "argmin",
        "median",
        "nansum",
        "nanmean",
        "nanmax",
        "nanmin",
        "nanstd",
        "nanvar",
        "ptp",
        "count_nonzero",
        "average",
        "linalg.norm",
    ]
)
"""Functions that return a scalar unless told ``axis`` or ``keepdims``."""

SCALAR_RESULTS = frozenset(
    {
        "jax.numpy.allclose",
        "jax.numpy.array_equal",
        "jax.numpy.array_equiv",
        "jax.numpy.vdot",
        "jax.numpy.linalg.det",
        "jax.lax.axis_index",
        "jax.random.key",
    }
)
"""Functions whose result has no axes."""

ELEMENTWISE = frozenset(
    {
        "jax.nn.elu",
        "jax.nn.gelu",
        "jax.nn.relu",
        "jax.nn.selu",
        "jax.nn.sigmoid",
        "jax.nn.silu",
        "jax.nn.softplus",
        "jax.nn.tanh",
        "jax.numpy.abs",
        "jax.numpy.absolute",
        "jax.numpy.add",
        "jax.numpy.arccos",
        "jax.numpy.arcsin",
        "jax.numpy.arctan",
        "jax.numpy.arctan2",
        "jax.numpy.asarray",
        "jax.numpy.bfloat16",
        "jax.numpy.bool_",
        "jax.numpy.cbrt",
        "jax.numpy.ceil",
        "jax.numpy.clip",
        "jax.numpy.cos",
        "jax.numpy.cosh",
        "jax.numpy.divide",
        "jax.numpy.equal",
        "jax.numpy.exp",
        "jax.numpy.exp2",
        "jax.numpy.expm1",
        "jax.numpy.float16",
        "jax.numpy.float32",
        "jax.numpy.floor",
        "jax.numpy.full_like",
        "jax.numpy.greater",
        "jax.numpy.greater_equal",
        "jax.numpy.int32",
        "jax.numpy.int8",
        "jax.numpy.isfinite",
        "jax.numpy.isinf",
        "jax.numpy.isnan",
        "jax.numpy.less",
        "jax.numpy.less_equal",
        "jax.numpy.log",
        "jax.numpy.log10",
        "jax.numpy.log1p",
        "jax.numpy.log2",
        "jax.numpy.logical_and",
        "jax.numpy.logical_not",
        "jax.numpy.logical_or",
        "jax.numpy.logical_xor",
        "jax.numpy.maximum",
        "jax.numpy.minimum",
        "jax.numpy.mod",
        "jax.numpy.multiply",
        "jax.numpy.nan_to_num",
        "jax.numpy.negative",
        "jax.numpy.not_equal",
        "jax.numpy.ones_like",
        "jax.numpy.power",
        "jax.numpy.reciprocal",
        "jax.numpy.rint",
        "jax.numpy.round",
        "jax.numpy.sign",
        "jax.numpy.sin",
        "jax.numpy.sinh",
        "jax.numpy.sqrt",
        "jax.numpy.square",
        "jax.numpy.subtract",
        "jax.numpy.tan",
        "jax.numpy.tanh",
        "jax.numpy.uint32",
        "jax.numpy.uint8",
        "jax.numpy.where",
        "jax.numpy.zeros_like",
    }
)
"""Functions whose result has as many axes as the largest argument."""

SHAPE_ARGUMENT: dict[str, tuple[int, str, int | None]] = {
    "jax.numpy.zeros": (0, "shape", None),
    "jax.numpy.ones": (0, "shape", None),
    "jax.numpy.empty": (0, "shape", None),
    "jax.numpy.full": (0, "shape", None),
    "jax.numpy.reshape": (1, "shape", None),
    "jax.numpy.broadcast_to": (1, "shape", None),
    "jax.random.normal": (1, "shape", 0),
    "jax.random.uniform": (1, "shape", 0),
    "jax.random.randint": (1, "shape", None),
    "jax.random.exponential": (1, "shape", 0),
    "jax.random.gumbel": (1, "shape", 0),
    "jax.random.laplace": (1, "shape", 0),
    "jax.random.truncated_normal": (3, "shape", None),
}
"""Functions told their result's shape: position, keyword, rank when it is left out."""

FIXED_RANKS: dict[str, int] = {
    "jax.numpy.arange": 1,
    "jax.numpy.linspace": 1,
    "jax.numpy.logspace": 1,
    "jax.numpy.geomspace": 1,
    "jax.numpy.eye": 2,
    "jax.numpy.identity": 2,
    "jax.numpy.ravel": 1,
}
"""Functions whose result has a fixed number of axes."""

KEY_RESULTS = frozenset(
    {"jax.random.PRNGKey", "jax.random.key", "jax.random.split", "jax.random.fold_in",
     "jax.random.clone", "jax.random.wrap_key_data"}
)  # fmt: skip
"""Functions that make PRNG keys."""

WIDE_TYPES = frozenset({"float64", "int64", "uint64", "complex128"})
"""Types of 64 bits (128 for complex), which JAX narrows unless x64 is on."""

WAITS = frozenset(
    {"jax.block_until_ready", "jax.device_get", "jax.effects_barrier", "jax.live_arrays"}
)
"""Functions that return when the work is done."""

HEAVY = frozenset(
    {f"jax.numpy.{name}" for name in
     ("dot", "matmul", "einsum", "tensordot", "inner", "outer", "vdot", "convolve", "correlate")}
    | {f"jax.numpy.linalg.{name}" for name in
       ("inv", "solve", "svd", "eigh", "cholesky", "qr", "det", "pinv", "lstsq")}
)  # fmt: skip
"""Functions that people time one call of."""

KEY_MAKERS = frozenset({"jax.random.PRNGKey", "jax.random.key", "jax.random.wrap_key_data"})
"""Functions that make a PRNG key from something else than a key."""

KEY_CONSUMERS = frozenset(
    {"jax.random.dirichlet", "jax.random.multinomial", "jax.random.triangular"}
)
"""Functions that consume their PRNG key, besides those of ``jax.random`` that were measured."""

SHUFFLES = frozenset({"jax.random.permutation", "jax.random.choice"})
"""Functions that are called with the same key to reorder several arrays alike."""

KEY_FUNCTIONS = frozenset(
    ["split", "fold_in", "normal", "uniform", "bernoulli", "categorical", "choice", "randint",
     "permutation", "gumbel", "exponential", "truncated_normal", "bits", "gamma", "beta", "laplace",
     "dirichlet", "multivariate_normal", "poisson", "rademacher", "random"]
)  # fmt: skip
"""Names of which a file that uses PRNG keys reads at least one."""

KEY_NAMES = frozenset({"key", "rng", "prng_key", "rng_key", "random_key", "prng"})
"""Names of parameters that are PRNG keys, unless the body says otherwise."""

KEY_ANNOTATIONS = frozenset(
    {"jaxtyping.PRNGKeyArray", "jaxtyping.Key", "chex.PRNGKey", "jax.random.PRNGKey",
     "jax.random.PRNGKeyArray"}
)  # fmt: skip
"""Annotations of PRNG keys."""

PURE_UPDATES = frozenset(
    {"jax.random.split", "jax.random.fold_in", "optax.apply_updates", "optax.incremental_update"}
)
"""Functions called for nothing but their result; thrown away, they do nothing."""

AT_UPDATES = frozenset(
    {"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"}
)
"""Methods of ``x.at[i]`` that return an updated copy."""

CONSTANTS: dict[str, str] = {
    "jax.numpy.pi": "float",
    "jax.numpy.e": "float",
    "jax.numpy.inf": "float",
    "jax.numpy.nan": "float",
    "jax.numpy.euler_gamma": "float",
    "numpy.pi": "float",
    "numpy.e": "float",
    "numpy.inf": "float",
    "numpy.nan": "float",
    "math.pi": "float",
    "math.e": "float",
    "math.inf": "float",
    "math.nan": "float",
    "math.tau": "float",
}
"""Module attributes that are Python numbers."""

ARRAY_HOST_ATTRIBUTES: dict[str, str] = {
    "shape": "shape",
    "ndim": "int",
    "size": "int",
    "dtype": "dtype",
    "nbytes": "int",
    "itemsize": "int",
    "weak_type": "bool",
    "aval": "object",
}
"""Attributes of an array that are Python values even for a tracer."""

ATTRIBUTES_OF_DELETED = frozenset(
    ["shape", "ndim", "size", "dtype", "aval", "sharding", "is_deleted", "delete", "weak_type"]
)
"""Attributes that an array still has when its buffer was donated or deleted."""

ARRAY_ATTRIBUTES = frozenset({"T", "mT", "real", "imag"})
"""Attributes of an array that are arrays."""

ARRAY_REDUCTIONS = frozenset(
    ["all", "any", "sum", "prod", "mean", "std", "var", "max", "min", "argmax", "argmin", "ptp"]
)
"""Methods that return a scalar unless told ``axis`` or ``keepdims``."""

ARRAY_METHODS = ARRAY_REDUCTIONS | frozenset(
    [
        "astype",
        "reshape",
        "ravel",
        "flatten",
        "transpose",
        "swapaxes",
        "squeeze",
        "repeat",
        "take",
        "cumsum",
        "cumprod",
        "dot",
        "clip",
        "round",
        "conj",
        "conjugate",
        "copy",
        "sort",
        "argsort",
        "argpartition",
        "choose",
        "compress",
        "diagonal",
        "trace",
        "view",
        "searchsorted",
        "block_until_ready",
        "get",
    ]
)
"""Methods of an array that return an array."""

ARRAY_EVIDENCE = (frozenset(ARRAY_HOST_ATTRIBUTES) | ARRAY_ATTRIBUTES | {"at"} | ARRAY_METHODS) - {
    "size",
    "copy",
    "get",
    "sort",
    "view",
}
"""Attributes that only an array has: using one proves what a parameter is."""

PLAIN_EVIDENCE = ARRAY_EVIDENCE - frozenset(
    ["T", "mT", "real", "imag", "flatten", "transpose", "take", "repeat", "choose", "trace", "dot",
     "compress", "diagonal", "round", "conj", "conjugate"]
)  # fmt: skip
"""Those that objects of other kinds hardly have: a configuration has a ``T``, an environment may
``flatten`` what it is given."""

ARRAY_ANNOTATIONS = frozenset(
    {
        "jax.Array",
        "jax.numpy.ndarray",
        "jax.typing.ArrayLike",
        "jaxtyping.Array",
        "jaxtyping.ArrayLike",
        "jaxtyping.Float",
        "jaxtyping.Int",
        "jaxtyping.Bool",
        "jaxtyping.Num",
        "jaxtyping.Complex",
        "jaxtyping.Real",
        "jaxtyping.Inexact",
        "jaxtyping.Integer",
        "jaxtyping.UInt",
        "jaxtyping.Shaped",
        "chex.Array",
        "chex.ArrayDevice",
        "chex.Scalar",
        "chex.Numeric",
        "numpy.ndarray",
        "builtins.float",
        "builtins.int",
        "builtins.bool",
        "builtins.complex",
    }
)
"""Annotations that make a traced parameter an array."""

MUTABLE_REFS = frozenset(
    {"jax.new_ref", "jax.array_ref", "jax.ref.new_ref", "jax.experimental.mutable_array",
     "jax.core.mutable_array"}
)  # fmt: skip
"""Functions that make a mutable reference: item assignment on it is right."""

REF_NAMES = frozenset(
    {"pallas", "pallas_call", "pl", "pltpu", "plgpu", "nnx", "Variable", "Ref", "AbstractRef",
     "new_ref", "array_ref", "mutable_array"}
)  # fmt: skip
"""Names whose use in a file means that mutable references may be about."""

TREE_MAPS = frozenset({"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"})
"""Functions that call their first argument on the leaves of the others."""

FIXED_VALUES: dict[str, bool] = {"jax.config.jax_disable_jit": False}
"""Settings that have one value wherever anything is traced."""

RULE_METHODS = frozenset({*RULES, "def_vmap"})
"""Methods of a custom_jvp, custom_vjp or custom_vmap function that give it its rules."""

TRACER = "jax.core.Tracer"
"""The type that all tracers have in common."""

TRACER_TYPES = frozenset(
    {
        TRACER,
        "jax.extend.core.Tracer",
        "jax._src.core.Tracer",
        "jax.interpreters.partial_eval.DynamicJaxprTracer",
    }
)
"""Types of which only tracers are instances."""

ARRAY_TYPES = frozenset({"jax.Array", "jax.numpy.ndarray", "jax.typing.ArrayLike", "chex.Array"})
"""Types of which every JAX array is an instance, tracers included."""

FUNCTION_MODULES = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.scipy.", "math.")
"""Modules whose names are functions, which JAX takes for no argument."""

MEASURED_METHODS = frozenset(
    ["reshape", "repeat", "swapaxes", "squeeze", "take", "sum", "mean", "prod", "max", "min",
     "argmax", "argmin", "cumsum", "cumprod", "std", "var", "any", "all", "sort", "argsort",
     "nonzero", "compress", "diagonal", "trace", "searchsorted"]
)  # fmt: skip
"""Methods of an array whose parameters are those of the ``jax.numpy`` function."""

TAKES_SIZES_APART = frozenset({"reshape"})
"""Those of them that take a shape as several arguments."""

REGISTERS_PYTREES = frozenset(
    {"jax.tree_util.register_pytree_node", "jax.tree_util.register_dataclass",
     "jax.tree_util.register_pytree_with_keys"}
)  # fmt: skip
"""Functions that make a class a pytree."""

KEEPS_SHAPE = (
    "array", "asarray", "zeros_like", "ones_like", "exp", "sin", "cos", "sqrt", "square",
)  # fmt: skip
"""Ends of the names of functions whose result has the shape of their argument."""

LOOKS_LIKE_UPDATE = frozenset(
    {"sort", "clip", "round", "squeeze", "transpose", "astype", "reshape"}
)
"""Methods of an array that return a new one, and that people call as if they changed it."""

PACKAGE = "jax"
"""Where the names of JAX begin."""

NUMPY = "jax.numpy"
"""The module that mirrors NumPy."""

MODULES_OF_DTYPES = frozenset({"jax.numpy", "numpy"})
"""Modules that have the dtypes by name."""

KEY_VIEWS = frozenset({"reshape", "squeeze", "ravel", "flatten", "expand_dims", "copy"})
"""Functions and methods that give the same keys in another shape."""

SPLITS = frozenset({"jax.random.split"})
"""Functions that make keys of a key: of a constant one, they are constant too."""

RANDOM = "jax.random."
"""Where the names of functions that use PRNG keys begin."""

LAX = "jax.lax"
"""The module whose functions take pytrees of operands too."""

PYTHON_DTYPES = frozenset({"builtins.float", "builtins.int", "builtins.bool", "builtins.complex"})
"""Types of Python that stand for a dtype."""

ARRAY = "jax.Array"
"""Where the measured methods of an array are."""

SCALAR_TYPES = frozenset(
    f"jax.numpy.{name}"
    for name in (
        "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
        "uint16", "uint32", "uint64", "complex64", "complex128", "bool_",
    )
)  # fmt: skip
"""Types whose call makes an array of that type."""
