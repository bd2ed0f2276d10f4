"""What experiments on real JAX cannot show, each row with its reason."""

from __future__ import annotations

NEUTRAL = frozenset({"device", "out_sharding", "sharding", "out"})
"""Parameters that say where a result lies: an experiment on one device cannot vary them."""

SHAPES_IN_AND_OUT = frozenset({"jax.numpy.broadcast_shapes", "jax.lax.broadcast_shapes"})
"""Functions of shapes: an experiment gives them arrays where nobody does, and gets arrays back."""

DTYPES = {
    "jax.numpy.array": "dtype: given dtype | made object",
    "jax.numpy.asarray": "dtype: given dtype | made a",
}
"""Rules for dtypes of functions that keep a number weak and make a list of numbers not weak:
maps from dtype to dtype, as experiments find them, know no lists."""

SHAPES = {
    "jax.lax.slice": "ranked operand 0",
    "jax.random.permutation": "unknown",
    "jax.random.choice": "unknown",
    "jax.numpy.block": "unknown",
    "jax.numpy.lexsort": "unknown",
    "jax.numpy.compress": "axis: unknown | sizes size",
    "jax.lax.dot": "dimension_numbers: unknown | matmul lhs rhs",
    "jax.lax.dot_general": "dot_general lhs rhs dimension_numbers",
    "jax.lax.dynamic_slice": "sliced operand slice_sizes",
    "jax.lax.select": "agreeing on_true on_false",
    "jax.numpy.linalg.inv": "square a",
    "jax.scipy.linalg.inv": "square a",
    "jax.scipy.linalg.cholesky": "square a",
    "jax.numpy.trapezoid": "x: unknown | reduce y axis -",
    "jax.scipy.integrate.trapezoid": "x: unknown | reduce y axis -",
}
"""Rules for shapes of functions that want a list as long as the array has axes: with the lists of
the experiments arrays of one rank ran alone. A permutation of an integer has as many elements,
a choice among so many is one number, and no experiment gives a Python integer in place of an
array; none nests lists in lists as ``block`` takes them, nor gives ``lexsort`` several keys, nor
``compress`` a condition of the length of another axis. Of the dimensions that a product contracts
the experiments know one pair. Nor do calls that run tell a rule from a simpler one that does not
say what is refused: sizes of a slice that do not fit, cases of two shapes, matrices that are not
square. The places that ``trapezoid`` is given may lie along any one axis."""
