"""Functions that do nothing where their result is thrown away, by qualified name."""

from __future__ import annotations

from jaxlint.knowledge import meshes, processes

CONTEXTS = frozenset(
    f"jax.{name}"
    for name in (
        "array_garbage_collection_guard", "check_tracer_leaks", "checking_leaks", "debug_infs",
        "debug_key_reuse", "debug_nans", "default_device", "default_matmul_precision",
        "default_prng_impl", "disable_jit", "enable_checks", "enable_custom_prng", "enable_x64",
        "explain_cache_misses", "legacy_prng_key", "log_compiles", "no_execution", "no_tracing",
        "numpy_dtype_promotion", "numpy_rank_promotion", "softmax_custom_jvp", "thread_guard",
        "threefry_partitionable", "transfer_guard", "transfer_guard_device_to_device",
        "transfer_guard_device_to_host", "transfer_guard_host_to_device",
    )
)  # fmt: skip
"""Functions that give a context manager: what they set holds inside of its ``with`` alone."""

COLLECTIVES = frozenset(
    f"jax.lax.{name}" for name in ("psum", "pmean", "pmax", "pmin", "all_gather", "psum_scatter")
)
"""Functions that give each process the result, and change no operand."""

ARRAYS = COLLECTIVES | meshes.LAYS_OUT | {"jax.lax.stop_gradient"}
"""Functions of arrays that are taken, now and then, to change their argument."""

PUTS = frozenset({processes.PUTS})
"""Functions that give their argument on other devices, and leave it where it is."""

READS_BACK = frozenset(f"{name}.restore" for name in processes.CHECKPOINTERS) | frozenset(
    {"flax.training.checkpoints.restore_checkpoint", "flax.serialization.from_bytes",
     "flax.serialization.from_state_dict", "equinox.tree_deserialise_leaves"}
)  # fmt: skip
"""Functions that give what was saved, and put it into nothing that they are given."""

LEFT_OUT = frozenset({"jax.pure_callback", "equinox.error_if"})
"""Functions with effects that a compiled program has only where it needs their result."""

GIVES_ERRORS = frozenset({"jax.experimental.checkify.checkify"})
"""Functions that make a function which gives the errors that it finds, and raises none."""
