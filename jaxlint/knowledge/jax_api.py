"""What is known of JAX that no experiment measured, and the names that the tracer looks for.

What functions return is in ``measured.json``. One of :data:`ARRAY_MODULES` that was not
measured returns an array unless a table below says otherwise.
"""

from __future__ import annotations

import math

from jaxlint.knowledge.transform import RULES

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
    }
)
"""Functions of other libraries that compute arrays."""

HOST_RESULTS: dict[str, str] = {
    "jax.numpy.dtype": "dtype",
    "jax.numpy.finfo": "object",
    "jax.numpy.iinfo": "object",
    "jax.numpy.printoptions": "object",
    "jax.numpy.set_printoptions": "object",
}
"""Functions that return a Python value even for a tracer, and its type, where none was measured."""

UNKNOWN_RESULTS = frozenset(
    {
        "jax.lax.conv_general_permutations",
        "jax.lax.conv_general_shape_tuple",
        "jax.lax.conv_shape_tuple",
        "jax.lax.conv_transpose_shape_tuple",
        "jax.numpy.load",
        "jax.numpy.save",
        "jax.numpy.savez",
        "jax.numpy.frompyfunc",
        "jax.numpy.apply_along_axis",
        "jax.numpy.apply_over_axes",
        "jax.numpy.gradient",
        "jax.lax.all_to_all",
        "jax.lax.reduce",
        "jax.lax.cond_p",
        "jax.lax.custom_linear_solve",
    }
)
"""Functions of array modules that return what they are told, where nothing was measured."""

TUPLE_RESULTS: dict[str, int | None] = {
    "jax.lax.sort_key_val": 2,
}
"""Functions that return a tuple of arrays, and how many when that is fixed, where none was
measured."""

ONE_RESULT_OPTIONS = frozenset({"compute_uv", "mode", "eigvals_only", "pivoting", "permute_l"})
"""Options with which some of them return another number of arrays, or just one."""

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

HANDS_BACK = frozenset(
    {"jax.numpy.asarray", "jax.Array.astype", "jax.device_put", "jax.device_get",
     "jax.block_until_ready"}
)  # fmt: skip
"""Functions that compute nothing where an array is already what they make of it."""

KEEPS_NUMBERS = HANDS_BACK | {"jax.numpy.array", "jax.numpy.copy"}
"""Functions that give an array with the numbers that they are given, in another place or type."""

BRINGS_IN = frozenset({"jax.numpy.asarray"})
"""Those of them that compute where they are given what is no array of JAX, and nothing besides."""

ASKS_CONCRETE = frozenset({"jax.core.concrete_or_error", "jax.extend.core.concrete_or_error"})
"""Functions that give back a value, unless it is a tracer."""

ASKS_IF_CLEAN = frozenset({"jax.core.trace_state_clean", "jax._src.core.trace_state_clean"})
"""Functions that say whether nothing is being traced."""

ASKS_IF_CONCRETE = frozenset({"jax.core.is_concrete", "jax._src.core.is_concrete"})
"""Functions that say whether an array has a value."""

MAPS_LISTS = frozenset({"jax.util.safe_map"})
"""Functions that do what ``map`` does, and give a list."""

GIVES_BACK = frozenset(
    {"jax.numpy.asarray", "jax.numpy.astype", "jax.Array.astype", "jax.lax.convert_element_type",
     "jax.numpy.reshape", "jax.Array.reshape", "jax.lax.reshape", "jax.numpy.broadcast_to"}
)  # fmt: skip
"""Functions that give an array back as it is, in a trace too, where they have nothing to change."""

WAITS_FOR = "jax.block_until_ready"
"""The one that gives back what it waits for; arrays have a method of its name."""

CLEARS_CACHES = "jax.clear_caches"
CLEARS_ITS_CACHE = "clear_cache"
"""What lets go of all that was compiled, and the method of a compiled function that does."""

HEAVY = frozenset(
    {f"jax.numpy.{name}" for name in
     ("dot", "matmul", "einsum", "tensordot", "inner", "outer", "vdot", "convolve", "correlate")}
    | {f"jax.numpy.linalg.{name}" for name in
       ("inv", "solve", "svd", "eigh", "cholesky", "qr", "det", "pinv", "lstsq")}
)  # fmt: skip
"""Functions that people time one call of."""

KEY_MAKERS = frozenset({"jax.random.PRNGKey", "jax.random.key", "jax.random.wrap_key_data"})
"""Functions that make a PRNG key from something else than a key."""

KEY_CONSUMERS = frozenset({"jax.random.triangular"})
"""Functions that consume their PRNG key, besides those of ``jax.random`` that were measured."""

SHUFFLES = frozenset({"jax.random.permutation", "jax.random.choice"})
"""Functions that are called with the same key to reorder several arrays alike."""

COUNTS = {"jax.random.permutation": "x", "jax.random.choice": "a"}
"""Functions that take an array, or as many numbers as they are to count up to: where that is."""

KEY_FUNCTIONS = frozenset(
    ["split", "fold_in", "normal", "uniform", "bernoulli", "categorical", "choice", "randint",
     "permutation", "gumbel", "exponential", "truncated_normal", "bits", "gamma", "beta", "laplace",
     "dirichlet", "multivariate_normal", "poisson", "rademacher", "random"]
)  # fmt: skip
"""Names of which a file that uses PRNG keys reads at least one."""

KEY_NAMES = frozenset({"key", "rng", "prng_key", "rng_key", "random_key", "prng"})
"""Names of parameters that are PRNG keys, unless the body says otherwise."""

PURE_UPDATES = frozenset(
    {"jax.random.split", "jax.random.fold_in", "optax.apply_updates", "optax.incremental_update",
     "optax.GradientTransformation.update", "dataclasses.replace", "equinox.apply_updates",
     "equinox.nn.inference_mode", "equinox.tree_at"}
)  # fmt: skip
"""Functions called for nothing but their result; thrown away, they do nothing."""

UPDATED = {
    "dataclasses.replace": 0, "equinox.apply_updates": 0, "equinox.nn.inference_mode": 0,
    "equinox.tree_at": 1, "jax.random.fold_in": 0, "optax.apply_updates": 0,
    "optax.incremental_update": 1,
}  # fmt: skip
"""Those of them whose result is the next value of one of their arguments, and of which."""

LEAF_BY_LEAF = frozenset({"optax.apply_updates"})
"""Those that take two pytrees, which must have one structure."""

COPIES = frozenset({"dataclasses.replace", "equinox.nn.inference_mode", "equinox.tree_at"})
"""Those of them whose result is a copy of an object, but for what they change."""

COPYING_METHODS = frozenset({"_replace", "apply_gradients", "replace"})
"""Methods of pytrees that, given keywords alone, return a copy with other fields."""

TAKES_RULES = frozenset({"custom_vjp", "custom_gradient", "filter_custom_vjp"})
"""Names of what gives a function a rule for its gradients."""

ASKS_BATCHES: dict[str, tuple[int, str]] = {
    "jax.lax.cond": (0, "pred"),
    "jax.lax.switch": (0, "index"),
}
"""Functions that take every branch where they are asked of a batch, and what they ask."""

EFFECTS_ON_HOST = frozenset(
    {"jax.debug.print", "jax.debug.callback", "jax.experimental.io_callback"}
)
"""Functions that do something on the host whenever the compiled program gets to them."""

AT_UPDATES = frozenset(
    {"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"}
)
"""Methods of ``x.at[i]`` that return an updated copy."""

DEBUG_PRINT = "jax.debug.print"
"""Prints values when the compiled program runs; the text is filled in then."""

OPTIONS_OF_PRINT = frozenset({"ordered", "partitioned", "skip_format_check"})
"""Its own keywords, which are no fields of the text."""

TAKES_KEYS = frozenset(
    f"jax.random.{name}" for name in ("clone", "key_data", "key_impl", "wrap_key_data")
)
"""Functions of ``jax.random`` with a parameter ``key`` that may be an array of keys."""

CONSTANTS: dict[str, float] = {
    "jax.numpy.pi": math.pi,
    "jax.numpy.e": math.e,
    "jax.numpy.inf": math.inf,
    "jax.numpy.euler_gamma": 0.5772156649015329,
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "math.pi": math.pi,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.tau": math.tau,
}
"""Module attributes that are Python numbers, and which."""

JOINS = frozenset({"jax.numpy.concatenate", "jax.numpy.stack"})
"""Functions that take the arrays in one list, and an axis."""

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

KEYS_OF_DELETED = frozenset({"keys"})
"""Methods of a dict that ask none of the arrays in it."""

ARRAY_ATTRIBUTES = frozenset({"T", "mT", "real", "imag"})
"""Attributes of an array that are arrays."""

ARRAY_EVIDENCE = (
    (ARRAY_HOST_ATTRIBUTES.keys() - {"size"})
    | ARRAY_ATTRIBUTES
    | {"at", "all", "any", "sum", "prod", "mean", "std", "var", "max", "min", "argmax", "argmin",
       "ptp", "astype", "reshape", "ravel", "flatten", "transpose", "swapaxes", "squeeze",
       "repeat", "take", "cumsum", "cumprod", "dot", "clip", "round", "conj", "conjugate",
       "argsort", "argpartition", "diagonal", "trace", "searchsorted",
       "block_until_ready"}
)  # fmt: skip
"""Attributes that only an array has: using one proves what a parameter is."""

ARRAY_PROTOCOL = frozenset({"__array__", "__getitem__", "__iter__", "__len__"})
"""What NumPy and Python look for in a class: every array of JAX has it."""

SIZES_OF_ARRAYS = frozenset({"shape", "size"})
"""Attributes by which arrays differ that JAX compiles apart."""

PLAIN_EVIDENCE = ARRAY_EVIDENCE - frozenset(
    ["T", "mT", "real", "imag", "flatten", "transpose", "take", "repeat", "trace", "dot",
     "diagonal", "round", "conj", "conjugate"]
)  # fmt: skip
"""Those that objects of other kinds hardly have: a configuration has a ``T``, an environment may
``flatten`` what it is given."""

OF_DISTRIBUTIONS = frozenset({"mean", "std", "var"})
"""Those that distributions have, too: what they give has a shape of its own."""

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

DESCRIBES_ARRAYS = frozenset({"jax.ShapeDtypeStruct", "jax.api.ShapeDtypeStruct"})
"""What makes an object of the shape and dtype of an array, and no array."""

TREE_LEAVES = frozenset({"jax.tree.leaves", "jax.tree_util.tree_leaves", "jax.tree_leaves"})
"""Functions that list the leaves of a pytree, whatever they are."""

TREE_REDUCES = frozenset({"jax.tree.reduce", "jax.tree_util.tree_reduce", "jax.tree_reduce"})
"""Functions that combine the leaves of a pytree, as ``functools.reduce`` does with a list."""

TREE_ALL = "jax.tree.all"
TREE_ALLS = frozenset({TREE_ALL, "jax.tree_util.tree_all", "jax.tree_all"})
"""Functions that ask each leaf of a pytree for its truth value, as ``all`` does with a list."""

TREE_FLATTENS = frozenset({"jax.tree.flatten", "jax.tree_util.tree_flatten", "jax.tree_flatten"})
"""Functions that list the leaves of a pytree, and give its structure."""

TREE_STRUCTURES = frozenset({
    "jax.tree.structure", "jax.tree_util.tree_structure", "jax.tree_structure",
})  # fmt: skip
TREE_UNFLATTEN = "jax.tree.unflatten"
TREE_UNFLATTENS = frozenset({TREE_UNFLATTEN, "jax.tree_util.tree_unflatten", "jax.tree_unflatten"})
"""Functions that put leaves into a structure."""

TREE_DEFINITION = "jax.tree_util.PyTreeDef"
"""The class of a structure."""

TREE_MAPS = frozenset({"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"})
TREE_MAPS_WITH_PATH = frozenset({"jax.tree.map_with_path", "jax.tree_util.tree_map_with_path"})
"""Functions that map a pytree, and tell the function where each leaf is."""
"""Functions that call their first argument on the leaves of the others."""

FIXED_VALUES: dict[str, bool | float] = {
    "jax.config.jax_disable_jit": False,
    **dict.fromkeys(("jax.numpy.nan", "numpy.nan", "math.nan"), math.nan),
}
"""Settings that have one value wherever anything is traced; NaN, which masks are asked about."""

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

TRACER_EVIDENCE = frozenset({"_trace"})
"""Attributes that only a tracer has."""

NAMES_TRACER = "Tracer"
"""What the name of every class of tracers ends with."""

MODULES_OF_TRACERS = (
    "jax._src.interpreters.ad",
    "jax._src.interpreters.batching",
    "jax._src.interpreters.partial_eval",
)
"""Modules from which the types of tracers come."""

MODULES_OF_ARRAYS = ("jaxlib._jax", "jaxlib.xla_extension")
"""Modules from which the type of arrays with data comes, in one release or another."""

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

LIKE = frozenset({f"jax.numpy.{each}_like" for each in ("zeros", "ones", "empty")})
"""Functions that read the shape and the dtype of their argument, and none of its numbers."""

LOOKS_LIKE_UPDATE = frozenset(
    {"sort", "clip", "round", "squeeze", "transpose", "astype", "reshape"}
)
"""Methods of an array that return a new one, and that people call as if they changed it."""

JIT = frozenset({"jax.jit", "jax.api.jit"})
"""What compiles a function, and takes ``static_argnames`` and ``static_argnums``."""

PACKAGE = "jax"
"""Where the names of JAX begin."""

NUMPY = "jax.numpy"
"""The module that mirrors NumPy."""

ARRAY_METHODS = MEASURED_METHODS | LOOKS_LIKE_UPDATE | {"ravel", "flatten", "copy"}
"""Methods of an array whose result is all that comes of them."""

KEY_VIEWS = frozenset({"squeeze", "expand_dims", "copy", "array", "asarray"})
"""Functions and methods that give the same keys in another shape."""

KEY_STACKS = frozenset({"jax.numpy.array", "jax.numpy.asarray", "jax.numpy.stack"})
"""Functions that make an array of several keys."""

KEY_BROADCASTS = frozenset({"jax.numpy.broadcast_to"})
"""Functions that make many of one key."""

KEY_REPEATS = frozenset({"jax.numpy.repeat", "jax.numpy.tile"})
"""Those that do so with a key that has an axis of its own for them."""

KEY_RESHAPES = frozenset({"flatten", "ravel", "reshape"})
"""Those that count the words of raw keys, each of which is an array of words itself."""

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

MAKES_ARRAYS = frozenset({"jax.numpy.array", "jax.numpy.asarray"})
"""Functions that make an array of Python numbers, and refuse those that its dtype cannot hold."""

PROMOTES = frozenset(
    f"jax.numpy.{name}"
    for name in (
        "where", "minimum", "maximum", "clip", "add", "subtract", "multiply", "divide",
        "true_divide", "floor_divide", "mod", "remainder", "bitwise_and", "bitwise_or",
        "bitwise_xor", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    )
)  # fmt: skip
"""Functions in which each Python integer becomes an array as it does beside an operator."""

ASKS_SHAPE_ALONE = frozenset(
    f"jax.numpy.{name}" for name in ("zeros_like", "ones_like", "empty_like", "full_like")
)
"""Functions that ask what they are given for its shape and dtype alone, also a reference."""
