"""What experiments on real JAX cannot show, each row with its reason."""

from __future__ import annotations

NEUTRAL = frozenset({"device", "out_sharding", "sharding", "out"})
"""Parameters that say where a result lies: an experiment on one device cannot vary them."""

SHAPES_IN_AND_OUT = frozenset({"jax.numpy.broadcast_shapes", "jax.lax.broadcast_shapes"})
"""Functions of shapes: an experiment gives them arrays where nobody does, and gets arrays back."""

DTYPES = {
    "jax.numpy.array": "dtype: given dtype | made object",
    "jax.numpy.asarray": "dtype: given dtype | made a",
    "jax.random.permutation": "? same x",
    "jax.random.choice": "? same a",
}
"""Rules for dtypes of functions that keep a number weak and make a list of numbers not weak:
maps from dtype to dtype, as experiments find them, know no lists. What is drawn from among so many
numbers, where no experiment gives a Python integer, is not weak."""

SHAPES = {
    "jax.random.permutation": "counted x",
    "jax.lax.approx_max_k": "ranked operand 0",
    "jax.lax.approx_min_k": "ranked operand 0",
    "jax.numpy.insert": "along arr axis",
    "jax.numpy.block": "unknown",
    "jax.numpy.lexsort": "unknown",
    "jax.numpy.compress": "axis: unknown | sizes size",
    "jax.lax.dot": "dimension_numbers: unknown | matmul lhs rhs",
    "jax.lax.dot_general": "dot_general lhs rhs dimension_numbers",
    "jax.lax.dynamic_slice": "sliced operand slice_sizes",
    "jax.lax.select": "chosen pred on_true on_false",
    "jax.lax.concatenate": "joined operands dimension",
    "jax.lax.dynamic_update_slice": "patched operand update start_indices",
    "jax.lax.squeeze": "squeeze array dimensions",
    "jax.numpy.split": "even ary indices_or_sections axis",
    "jax.numpy.broadcast_to": "into shape array",
    **{
        f"jax.random.{name}": f"shape: into shape {arrays} | {otherwise}"
        for name, arrays, otherwise in (
            ("bernoulli", "p", "same p"),
            ("beta", "a b", "broadcast key a b"),
            ("f", "dfnum dfden", "broadcast key dfnum dfden"),
            ("gamma", "a", "same a"),
            ("loggamma", "a", "same a"),
            ("lognormal", "sigma", "broadcast key sigma"),
            ("pareto", "b", "same b"),
            ("poisson", "lam", "same lam"),
            ("rayleigh", "scale", "same scale"),
            ("wald", "mean", "same mean"),
        )
    },
    "jax.numpy.linalg.inv": "square a",
    "jax.scipy.linalg.inv": "square a",
    "jax.scipy.linalg.cholesky": "square a",
    "jax.numpy.trapezoid": "x: unknown | reduce y axis -",
    "jax.scipy.integrate.trapezoid": "x: unknown | reduce y axis -",
    **dict.fromkeys(
        [
            f"jax.numpy.{name}"
            for name in ("percentile", "quantile", "nanpercentile", "nanquantile")
        ],
        "several q: unknown | keepdims=True: unknown | reduce a axis keepdims",
    ),
}
"""Rules for shapes of functions about which experiments say too little. A permutation of an integer
has as many elements, and no experiment gives a Python integer in place of an array; none nests
lists in lists as ``block`` takes them, nor gives ``lexsort`` several keys, ``insert`` several
places, or ``compress`` a condition of the length of another axis, or ``quantile`` several numbers;
none runs on a TPU, where ``approx_max_k`` gives fewer. Of the dimensions that a product contracts
the experiments know one pair. Nor do calls that run tell a rule from a simpler one that does not
say what is refused: sizes of a slice that do not fit, cases of two shapes, matrices that are not
square, parts that are not equal, parameters that do not broadcast to a shape. The places that
``trapezoid`` is given may lie along any one axis."""
