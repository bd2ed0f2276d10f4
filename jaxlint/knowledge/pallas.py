"""What calls a kernel of Pallas, and what says of which blocks."""

from __future__ import annotations

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
