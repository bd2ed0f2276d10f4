"""What to write instead of what went from JAX, and what no list of names shows.

The dates of names and parameters are in ``history.json``; JAX's own messages too. Typed here are
the words where JAX has none, the changes that no signature shows, with the changelog's dates, and
attributes of arrays. Tests hold every row against the history and the installed JAX.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a name, a parameter or an attribute.

    ``removed`` and ``deprecated`` are the first releases in which it was gone, or warned;
    empty when neither was seen. ``says`` is JAX's own message, or what to write instead.
    ``package`` is whose releases those are; one of another package than JAX runs with releases of
    JAX from ``needs`` on.
    """

    removed: str = ""
    deprecated: str = ""
    says: str = ""
    package: str = "jax"
    needs: str = ""


RENAMED: dict[str, str] = {
    **{
        f"jax.{old}": f"jax.tree_util.{old}"
        for old in ("tree_flatten", "tree_leaves", "tree_structure", "tree_transpose",
                    "tree_unflatten", "treedef_is_leaf")
    },
    "jax.tree_map": "jax.tree.map",
    "jax.tree_multimap": "jax.tree.map",
    "jax.tree_util.tree_multimap": "jax.tree.map",
    "jax.partial": "functools.partial",
    "jax.lax.partial": "functools.partial",
    "jax.util.partial": "functools.partial",
    "jax.lax.prod": "math.prod",
    "jax.lax.zeros_like_array": "jax.numpy.zeros_like",
    "jax.array_ref": "jax.new_ref",
    "jax.experimental.mutable_array": "jax.new_ref",
    "jax.ArrayRef": "jax.Ref",
    "jax.experimental.MutableArray": "jax.Ref",
    "jax.sharding.use_mesh": "jax.set_mesh",
    "jax.ShapedArray": "jax.core.ShapedArray",
    "jax.numpy.DeviceArray": "jax.Array",
    "jax.numpy.alltrue": "jax.numpy.all",
    "jax.numpy.cumproduct": "jax.numpy.cumprod",
    "jax.numpy.fix": "jax.numpy.trunc",
    "jax.numpy.in1d": "jax.numpy.isin",
    "jax.numpy.product": "jax.numpy.prod",
    "jax.numpy.round_": "jax.numpy.round",
    "jax.numpy.row_stack": "jax.numpy.vstack",
    "jax.numpy.sometrue": "jax.numpy.any",
    "jax.numpy.trapz": "jax.scipy.integrate.trapezoid",
    "jax.config.FLAGS": "jax.config",
    "jax.config.config": "jax.config",
    "jax.nn.normalize": "jax.nn.standardize",
    "jax.random.KeyArray": "jax.Array",
    "jax.random.PRNGKeyArray": "jax.Array",
    "jax.scipy.linalg.tril": "jax.numpy.tril",
    "jax.scipy.linalg.triu": "jax.numpy.triu",
    "jax.abstract_arrays.ShapedArray": "jax.core.ShapedArray",
    "jax.experimental.PartitionSpec": "jax.sharding.PartitionSpec",
    "jax.experimental.pjit.PartitionSpec": "jax.sharding.PartitionSpec",
    "jax.experimental.pjit.with_sharding_constraint": "jax.lax.with_sharding_constraint",
    "jax.experimental.pjit.pjit": "jax.jit",
    "jax.experimental.maps.Mesh": "jax.sharding.Mesh",
    "jax.experimental.shard_map.shard_map": "jax.shard_map",
    "jax.interpreters.pxla.Mesh": "jax.sharding.Mesh",
    "jax.interpreters.pxla.PartitionSpec": "jax.sharding.PartitionSpec",
    "jax.experimental.pjit.NamedSharding": "jax.sharding.NamedSharding",
    "jax.interpreters.xla.Device": "jax.Device",
    "jax.lib.xla_client.Device": "jax.Device",
    "jax.lib.xla_extension.Device": "jax.Device",
    "jax.lib.xla_client.ArrayImpl": "jax.Array",
    "jax.lib.xla_extension.ArrayImpl": "jax.Array",
    "jax.lib.xla_client.XlaRuntimeError": "jax.errors.JaxRuntimeError",
    "jax.lib.xla_extension.XlaRuntimeError": "jax.errors.JaxRuntimeError",
    "jax.lib.xla_client.FftType": "jax.lax.FftType",
    "jax.lib.xla_bridge.get_backend": "jax.extend.backend.get_backend",
    **{
        f"jax.lib.xla_bridge.{same}": f"jax.{same}"
        for same in ("default_backend", "device_count", "devices", "host_count", "host_id",
                     "host_ids", "local_device_count", "local_devices", "process_count",
                     "process_index")
    },
    **{
        f"jax.experimental.pallas.{old}": f"jax.experimental.pallas.triton.{old}"
        for old in ("atomic_add", "atomic_and", "atomic_cas", "atomic_max", "atomic_min",
                    "atomic_or", "atomic_xchg", "atomic_xor", "max_contiguous")
    },
    **{
        f"jax.experimental.pallas.tpu.{old}": f"jax.experimental.pallas.{old}"
        for old in ("ANY", "HOST", "delay", "semaphore_read", "semaphore_signal",
                    "semaphore_wait")
    },
    "jax.experimental.pallas.tpu.KernelType": "jax.experimental.pallas.tpu.CoreType",
    "jax.experimental.pallas.tpu.TPUCompilerParams": "jax.experimental.pallas.tpu.CompilerParams",
    "jax.experimental.pallas.tpu.TPUMemorySpace": "jax.experimental.pallas.tpu.MemorySpace",
    "jax.experimental.pallas.triton.TritonCompilerParams":
        "jax.experimental.pallas.triton.CompilerParams",
    "jax.experimental.pallas.reciprocal": "jax.experimental.pallas.tpu.reciprocal",
    "jax.interpreters.xla.DeviceArray": "jax.Array",
    "jax.interpreters.xla.device_put": "jax.device_put",
    "jax.sharding.MeshPspecSharding": "jax.sharding.NamedSharding",
}  # fmt: skip
"""Names that went or are going, and the name that does the same."""

RENAMED_IN_LIBRARIES: dict[str, str] = {
    **{
        f"chex.assert_tree_all_{same}": f"chex.assert_trees_all_{same}"
        for same in ("close", "equal_comparator", "equal_shapes", "equal_structs")
    },
    **{
        f"equinox.nn.{kind}Pool{count}D": f"equinox.nn.{kind}Pool{count}d"
        for kind in ("Avg", "Max") for count in (1, 2, 3)
    },
    "optax.additive_weight_decay": "optax.add_decayed_weights",
    "optax.AdditiveWeightDecayState": "optax.AddDecayedWeightsState",
    "optax.maybe_update": "optax.conditionally_transform",
    "optax.MaybeUpdateState": "optax.ConditionallyTransformState",
}  # fmt: skip
"""The same for libraries around JAX."""

MOVED: dict[str, str] = {
    "jax.api": "jax",
    "jax.experimental.export": "jax.export",
    "jax.experimental.gda_serialization": "jax.experimental.array_serialization",
    "jax.experimental.optimizers": "jax.example_libraries.optimizers",
    "jax.experimental.stax": "jax.example_libraries.stax",
    "jax.extend.ffi": "jax.ffi",
    "jax.linear_util": "jax.extend.linear_util",
    "jax.partial_eval": "jax.interpreters.partial_eval",
    "jax.prng": "jax.extend.random",
    "jax.pxla": "jax.interpreters.pxla",
    "jax.xla": "jax.interpreters.xla",
}
"""Modules that went, and where those of their names are that are left."""

NO_MODULES: dict[str, Change] = {
    "jax.config": Change("0.4.25", "", "write `import jax`, which has jax.config"),
}
"""Modules that went while an attribute has kept the name: an ``import`` statement fails."""

_AT = "use x.at[index].{}(y)"

SAYS: dict[str, str] = {
    "jax.abstract_arrays": "use jax.core.ShapedArray",
    "jax.api": "use the names of jax itself",
    "jax.config.config": "use jax.config: from jax import config",
    "jax.device_put_replicated": "use jax.device_put with a replicated sharding",
    "jax.device_put_sharded": "use jax.device_put with a sharding of the stacked array",
    "jax.experimental.export": "use jax.export",
    "jax.experimental.global_device_array": "use jax.Array, made by jax.make_array_from_callback",
    "jax.experimental.host_callback": "use jax.pure_callback, jax.experimental.io_callback or "
    "jax.debug.callback",
    "jax.experimental.loops": "use jax.lax.fori_loop or scan",
    "jax.experimental.maps": "use jax.sharding.Mesh for Mesh, jax.shard_map or jax.vmap for xmap",
    "jax.experimental.maps.mesh": "use jax.sharding.Mesh",
    "jax.experimental.maps.xmap": "use jax.shard_map, or jax.vmap with an axis_name",
    "jax.experimental.optix": "use optax",
    "jax.experimental.optimizers": "use optax, or jax.example_libraries.optimizers",
    "jax.experimental.shard_map.shard_map": "use jax.shard_map",
    "jax.experimental.stax": "use jax.example_libraries.stax",
    "jax.lax.tie_in": "leave it out: it does nothing since omnistaging",
    "jax.lib.xla_bridge": "use jax.extend.backend, or jax.default_backend()",
    "jax.linear_util": "use jax.extend.linear_util",
    "jax.numpy.NINF": "use -jax.numpy.inf",
    "jax.numpy.NZERO": "use -0.0",
    "jax.numpy.PZERO": "use 0.0",
    "jax.numpy.issubsctype": "use jax.numpy.issubdtype(x.dtype, t)",
    "jax.numpy.msort": "use jax.numpy.sort(a, axis=0)",
    "jax.ops.index": "index x.at directly: x.at[1:3]",
    "jax.ops.index_add": _AT.format("add"),
    "jax.ops.index_max": _AT.format("max"),
    "jax.ops.index_min": _AT.format("min"),
    "jax.ops.index_mul": _AT.format("multiply"),
    "jax.ops.index_update": _AT.format("set"),
    "jax.random.shuffle": "use jax.random.permutation with independent=True",
    "jax.scipy.special.sph_harm": "use jax.scipy.special.sph_harm_y: its first arguments are n, "
    "m, theta, phi",
    "jax.util": "use functools, itertools or jax.extend",
    "jax.xla_computation": "use jax.jit(f).lower(...).compiler_ir('hlo')",
}
"""What to write instead, where one name does not do and JAX does not say it, or not as well."""

SAYS_IN_LIBRARIES: dict[str, str] = {
    "equinox.deprecated": "use equinox.filter_jit, filter_grad and filter_value_and_grad",
    "equinox.experimental": "use equinox.nn.BatchNorm and equinox.nn.State",
    "equinox.filters": "use the names of equinox itself",
    "equinox.gradf": "use equinox.filter_grad",
    "equinox.jitf": "use equinox.filter_jit",
    "equinox.merge": "use equinox.combine",
    "equinox.module": "use the names of equinox itself",
    "equinox.split": "use equinox.partition",
    "equinox.update": "use the names of equinox itself",
    "equinox.value_and_grad_f": "use equinox.filter_value_and_grad",
    "flax.deprecated": "use flax.linen",
    "flax.linen.ConvLSTM": "use flax.linen.ConvLSTMCell",
    "flax.nn": "use flax.linen",
    "flax.optim": "use optax",
    "haiku.jit": "use jax.jit, of what haiku.transform gives",
    "optax.hvp": "use jax.jvp of jax.grad",
}
"""The same for libraries around JAX."""

WARNS_WHEN_CALLED: dict[str, str] = {
    "jax.ops.index_update": "0.2.22",
    "jax.ops.index_add": "0.2.22",
    "jax.ops.index_mul": "0.2.22",
    "jax.ops.index_min": "0.2.22",
    "jax.ops.index_max": "0.2.22",
    "jax.nn.normalize": "0.3.5",
    "jax.tree_multimap": "0.3.5",
    "jax.tree_util.tree_multimap": "0.3.5",
    "jax.treedef_is_leaf": "0.3.15",
    "jax.tree_flatten": "0.3.15",
    "jax.tree_leaves": "0.3.15",
    "jax.tree_structure": "0.3.15",
    "jax.tree_transpose": "0.3.15",
    "jax.tree_unflatten": "0.3.15",
    "jax.numpy.msort": "0.4.2",
}
"""Functions that warn when they are called, not when they are looked up; the changelog's dates."""

PARAMETERS: dict[tuple[str, str], Change] = {
    ("jax.numpy.reshape", "newshape"): Change("0.6.0", "0.4.28", "use shape="),
    ("jax.numpy.clip", "a"): Change("0.10.0", "0.4.27", "pass the array by position"),
    ("jax.numpy.clip", "a_min"): Change("0.10.0", "0.4.27", "use min="),
    ("jax.numpy.clip", "a_max"): Change("0.10.0", "0.4.27", "use max="),
    ("jax.numpy.quantile", "interpolation"): Change("0.9.0", "0.4.29", "use method="),
    ("jax.numpy.percentile", "interpolation"): Change("0.9.0", "0.4.29", "use method="),
    ("jax.scipy.linalg.solve", "sym_pos"): Change("0.4.21", "0.3.15", "use assume_a='pos'"),
    # Marked in its signature to the end of 0.5, and refused since 0.4.36.
    ("jax.nn.softmax", "initial"): Change("0.4.36", "0.4.27", "leave it out"),
    ("jax.nn.log_softmax", "initial"): Change("0.4.36", "0.4.27", "leave it out"),
    # Since 0.6 it is handed on to the callback, which does not expect it.
    ("jax.pure_callback", "vectorized"): Change("0.6.0", "0.4.35", "use vmap_method="),
    ("jax.lax.cond", "linear"): Change("0.4.31", "", "leave it out"),
    ("jax.jit", "fun"): Change("0.7.0", "0.6.0", "pass the function by position"),
    ("jax.make_mesh", "axis_shapes"): Change("0.11.1", "", "use axis_sizes="),
    ("jax.ShapeDtypeStruct", "named_shape"): Change("0.4.34", "", "leave it out"),
    ("jax.ShapeDtypeStruct", "vma"): Change("0.10.0", "", "use manual_axis_type="),
}
"""Parameters of functions that are still there: when they went, where the signatures do not
show it, and what to write instead."""

_NONES_IGNORED = (
    "assert_tree_has_only_ndarrays", "assert_tree_is_on_device", "assert_tree_is_on_host",
    "assert_tree_is_sharded", "assert_tree_shape_prefix", "assert_tree_shape_suffix",
    "assert_trees_all_equal_comparator", "assert_trees_all_equal_dtypes",
    "assert_trees_all_equal_shapes", "assert_trees_all_equal_shapes_and_dtypes",
    "assert_trees_all_equal_sizes",
)  # fmt: skip
_PROJECTIONS = ("box", "hypercube", "non_negative", "simplex")
_DIFF_STATE = ("0.9.0", "use argnums=nnx.DiffState(0, ...)")

PARAMETERS_IN_LIBRARIES: dict[tuple[str, str], tuple[str, str]] = {
    **{(f"chex.{name}", "ignore_nones"): ("0.1.83", "leave it out") for name in _NONES_IGNORED},
    ("flax.nnx.grad", "wrt"): _DIFF_STATE,
    ("flax.nnx.value_and_grad", "wrt"): _DIFF_STATE,
    **{
        (f"optax.projections.projection_{name}", "pytree"): ("0.2.4", "use tree=")
        for name in _PROJECTIONS
    },
}
"""The same of libraries: the first release whose source lacks it, and what to write instead."""

POSITIONS: dict[str, tuple[int, Change]] = {
    "jax.numpy.array": (2, Change("", "0.10.1", "pass copy, order and ndmin by keyword")),
    "jax.lax.dot": (2, Change("", "0.7.1", "pass precision by keyword")),
    "jax.jit": (1, Change("0.7.0", "0.6.0", "pass options by keyword")),
}
"""How many positional arguments a function takes without a warning, and since when."""

ENTERED: dict[str, Change] = {
    "jax.sharding.Mesh": Change("", "0.10.1", "use with jax.set_mesh(mesh):"),
}
"""Classes whose objects no longer are for the ``with`` statement."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of calling a function that went, though the function and its parameters stay.

    Attributes:
        position, keyword: of the argument that makes the difference.
        given: what it is: ``function``, ``no boolean`` (an array or number of another dtype),
            ``anything``, or ``nothing``, when it is left out.
        how: the same for messages, after the name of the function.
        change: what became of it.
    """

    position: int
    keyword: str
    given: Literal["function", "no boolean", "anything", "nothing"]
    how: str
    change: Change


_REDUCTIONS = ("all", "any", "max", "mean", "min", "prod", "std", "sum", "var")
_OF_NUMPY_ALONE = (
    "amax", "amin", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar",
)  # fmt: skip
_BOOLEAN_WHERE = Way(
    -1,
    "where",
    "no boolean",
    "with a `where=` that is not boolean",
    Change("0.8.0", "0.5.0", "pass an array of booleans: where=mask.astype(bool)"),
)

WAYS: dict[str, Way] = {
    **{f"jax.numpy.{name}": _BOOLEAN_WHERE for name in (*_REDUCTIONS, *_OF_NUMPY_ALONE)},
    **{f"jax.Array.{name}": _BOOLEAN_WHERE for name in _REDUCTIONS},
    **{
        f"jax.nn.{name}": _BOOLEAN_WHERE
        for name in ("log_softmax", "logsumexp", "softmax", "standardize")
    },
    "jax.scipy.special.logsumexp": _BOOLEAN_WHERE,
    "jax.experimental.pallas.BlockSpec": Way(
        0,
        "block_shape",
        "function",
        "with the index map first",
        Change("0.4.35", "0.4.31", "pass block_shape before index_map"),
    ),
    **{
        f"flax.linen.{name}.initialize_carry": Way(
            2,
            "size",
            "anything",
            "called on the class, with sizes,",
            Change(
                "0.7.0", "", "ask a cell: Cell(features).initialize_carry(rng, input_shape)",
                "flax", "0.4.2",
            ),
        )
        for name in ("ConvLSTMCell", "GRUCell", "LSTMCell", "OptimizedLSTMCell")
    },
    "flax.nnx.Optimizer": Way(
        -1,
        "wrt",
        "nothing",
        "without `wrt=`",
        Change("0.11.0", "", "pass wrt=nnx.Param, or use nnx.ModelAndOptimizer", "flax", "0.6.0"),
    ),
    "flax.nnx.Optimizer.update": Way(
        1,
        "",
        "nothing",
        "without the model",
        Change(
            "0.11.0", "", "pass the model first: optimizer.update(model, gradients)",
            "flax", "0.6.0",
        ),
    ),
}  # fmt: skip
"""Functions, also of libraries, and the way of calling them that went."""

ATTRIBUTES: dict[str, Change] = {
    "block_host_until_ready": Change("0.4.2", "0.3.2", "use x.block_until_ready()"),
    "broadcast": Change("0.4.14", "0.4.5", "use jax.lax.broadcast"),
    "broadcast_in_dim": Change("0.4.14", "0.4.5", "use jax.lax.broadcast_in_dim"),
    "device_buffer": Change("0.4.27", "0.4.22", "use x.addressable_data(0)"),
    "device_buffers": Change("0.4.27", "0.4.22", "use [s.data for s in x.addressable_shards]"),
    "split": Change("0.4.14", "0.4.5", "use jax.numpy.split"),
    "tile": Change("0.3.17", "0.3.8", "use jax.numpy.tile"),
    "to_py": Change("0.4.1", "0.3.17", "use numpy.asarray(x)"),
    "xla_shape": Change("0.4.1", "", "use x.shape and x.dtype"),
}
"""Attributes that an array no longer has."""
