"""Meshes of devices, how arrays lie over them, what works along their axes, by qualified name."""

from __future__ import annotations

MAKES_MESHES = frozenset(
    {"jax.make_mesh", "jax.sharding.Mesh", "jax.sharding.AbstractMesh",
     "jax.experimental.maps.Mesh", "jax.interpreters.pxla.Mesh"}
)  # fmt: skip
"""Functions that make a mesh of devices; the names of its axes are their second argument."""

MESHES_OF_SIZES = frozenset({"jax.make_mesh", "jax.sharding.AbstractMesh"})
"""Those of them that are given the number of devices along each axis, and no devices."""

EXPLICIT = "jax.sharding.AxisType.Explicit"
"""The type of axes along which the type of an array says how it lies."""

EXPLICIT_FROM = "0.9"
"""The first release of JAX in which the axes of a mesh are Explicit unless something is said."""

CUTS_ARRAYS = "shard_map"
"""The name of what runs a function on pieces of arrays."""

LEAVES_VARYING = frozenset({"check_vma", "check_rep", "axis_names", "auto"})
"""Options of it with which JAX may not ask whether results differ along axes."""

NOT_CHECKED = frozenset({"check_vma", "check_rep"})
"""Those of them that are False where it asks nothing."""

ASSERTS_LAYOUT = "jax.lax.with_sharding_constraint"
"""What lays an array out along axes that are not explicit, and asserts how it lies along others."""

NAMED_SHARDINGS = frozenset({"jax.sharding.NamedSharding", "jax.NamedSharding"})
"""What joins a mesh and a spec."""

PLACES_ARRAYS = {"jax.device_put": "device", "jax.lax.with_sharding_constraint": "shardings"}
"""Functions that lay an array out on devices -> their second parameter, which says how."""

CASTS_AXES = {"jax.lax.pcast": 1, "jax.lax.pvary": 1}
"""What only says along which axes something differs, and where they take their names."""

LAYS_OUT = frozenset({"jax.lax.with_sharding_constraint", *CASTS_AXES, "jax.reshard"})
"""Functions that give a pytree back, with arrays that lie or vary otherwise."""

LEAVES_UNEVEN = frozenset({"jax.lax.with_sharding_constraint"})
"""Those of them that take, under ``jit``, pieces of different sizes."""

AXIS_FUNCTIONS: dict[str, int] = {
    **{
        f"jax.lax.{name}": 1
        for name in ("psum", "pmean", "pmax", "pmin", "all_gather", "all_to_all", "ppermute",
                     "psum_scatter", "pbroadcast", "pshuffle", "pswapaxes")
    },
    "jax.lax.axis_index": 0,
    "jax.lax.axis_size": 0,
}  # fmt: skip
"""Functions that work along a named axis, and where they take its name (``axis_name``)."""

ASKS_AXES = frozenset({"jax.lax.axis_index", "jax.lax.axis_size"})
"""Those of them that are given no array."""

REPLICATES = frozenset(
    {"flax.jax_utils.replicate", "jax.device_put_replicated", "jax.numpy.broadcast_to"}
)
"""Functions that give each device the same, along a first axis."""

REDUCES_AXES = frozenset(f"jax.lax.{name}" for name in ("psum", "pmean", "pmax", "pmin"))
"""Those that give all devices along the axis the same."""

COUNTS_AXES = frozenset({"jax.lax.psum"})
"""Those of them that give a number for a number."""

MOVES_ALONG_AXES = frozenset(
    f"jax.lax.{name}"
    for name in ("all_gather", "all_to_all", "ppermute", "psum_scatter", "pshuffle", "pswapaxes")
)
"""Those that give each device something of others."""
