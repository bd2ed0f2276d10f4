"""What real JAX gets wrong here is not found yet: no line is marked."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P

one = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("dp", "tp"))
LIKE = jax.ShapeDtypeStruct((8,), jnp.float32)


def trigger_collective():
    """AssertionError: whoever calls this may name the axis."""
    f = jax.shard_map(lambda x: jax.lax.psum(x, "batch"), mesh=one, in_specs=P("dp"), out_specs=P())
    return f(jnp.ones(4))


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def trigger_index_map():
    """ValueError: the index map gives two numbers for a block with one axis."""
    spec = pl.BlockSpec((2,), lambda i: (i, 0))
    call = pl.pallas_call(
        double, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=LIKE, interpret=True
    )
    return call(jnp.arange(8.0))


# https://github.com/jax-ml/jax/issues/37920
def trigger_wraps():
    """45, and 44: beside an array of uint8 the number wraps around."""
    return jnp.ones(2, jnp.uint8) + 300, jnp.full(2, 300, dtype=jnp.uint8)
