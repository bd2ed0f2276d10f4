"""What calls a kernel of Pallas, what says of which blocks, and what captures nothing there."""

from __future__ import annotations

from jaxlint.knowledge import jax_api

_PALLAS = "jax.experimental.pallas."

KERNEL_CALL = f"{_PALLAS}pallas_call"
"""What compiles a kernel of Pallas."""

BLOCK_SPEC = f"{_PALLAS}BlockSpec"
"""What says of which block of an array each step of the grid gets."""

CUTS_ARGUMENTS = frozenset({"in_specs", "grid_spec"})
"""Options that say of which block of each argument a step of the grid gets a reference."""

CUTS_RESULTS = frozenset({"out_specs", "grid_spec"})
"""The same, of each result."""

MORE_REFS = frozenset({"scratch_shapes", "grid_spec"})
"""Options that give a kernel references besides those of its arguments and results."""

GRID_SPECS = frozenset({f"{_PALLAS}GridSpec", f"{_PALLAS}tpu.PrefetchScalarGridSpec"})
"""What says how many steps there are, and of which blocks."""

READS_NO_DATA = jax_api.ASKS_SHAPE_ALONE | {
    "jax.lax.full_like", "jax.numpy.array_equal", "jax.numpy.diag_indices_from", "jax.numpy.imag",
    "jax.numpy.tril_indices_from", "jax.numpy.triu_indices_from",
}  # fmt: skip
"""Functions that may give an array without one of the numbers in those that they are given."""
