"""Specs, meshes, kernels: programs after reports in which JAX raises, or returns what is no result."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P

one = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("dp", "tp"))
pod = AbstractMesh((8, 4), ("dp", "tp"))
LIKE = jax.ShapeDtypeStruct((8,), jnp.float32)


# https://github.com/jax-ml/jax/issues/15728
@partial(jax.shard_map, mesh=one, in_specs=(P("dp"), P("dp")), out_specs=P("dp"))
def plus(x, y):
    return x + y


def trigger_arguments():
    return plus(jnp.arange(8))  # JXL906


# https://github.com/jax-ml/jax/pull/18951
def trigger_scalar():
    f = jax.shard_map(lambda *xs: xs[0], mesh=one, in_specs=(P(), P(None)), out_specs=P())
    return f(1.0, 1.0)  # JXL906


# https://github.com/LargeWorldModel/LWM/issues/39
def attention(q, k):
    return q @ k.T


def trigger_heads():
    f = jax.shard_map(attention, mesh=pod, in_specs=P(("dp", "tp")), out_specs=P(("dp", "tp")))
    return jax.eval_shape(lambda: f(jnp.ones((16, 4)), jnp.ones((16, 4))))  # JXL906


# https://github.com/jax-ml/jax/issues/27808
def trigger_indivisible():
    sharding = NamedSharding(one, P("dp", "tp"))
    return jax.device_put(jnp.arange(5), sharding)  # JXL906


class Model:
    def __init__(self, mesh):
        self.mesh = mesh
        self.step = jax.jit(
            jax.shard_map(self.local, mesh=mesh, in_specs=(P(), P("dp")), out_specs=(P(), P()))
        )

    def local(self, w, batch):
        loss = jax.lax.pmean((batch @ w).sum(), "dp")
        return loss


def trigger_model():
    model = Model(one)
    return model.step(jnp.ones(3), jnp.ones((4, 3)))  # JXL906


def trigger_gradient():
    def loss(w, x):
        f = jax.shard_map(lambda w, x: (x * w).sum(), mesh=one, in_specs=(P(), P("dp")), out_specs=P("dp"))
        return f(w, x).sum()  # JXL906

    return jax.grad(loss)(jnp.ones(()), jnp.ones(8))


def trigger_unknown_axis():
    return jax.device_put(jnp.ones(8), NamedSharding(one, P("fsdp")))  # JXL903


def trigger_twice():
    return NamedSharding(one, P(("dp", "tp"), "dp"))  # JXL903


def trigger_old_name():
    f = jax.shard_map(lambda x: x, mesh=one, in_specs=P("data"), out_specs=P("dp"))
    return f(jnp.ones(4))  # JXL903


# https://github.com/jax-ml/jax/issues/23181
def copy(x_ref, o_ref):
    o_ref = x_ref[...]  # JXL310


def trigger_copy():
    return pl.pallas_call(copy, out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def softmax(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - x.max())
    o_ref = e / e.sum()  # JXL310


def trigger_softmax():
    @jax.jit
    def run(x):
        return pl.pallas_call(softmax, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

    return run(jnp.arange(8.0))


def accumulate(x_ref, o_ref):
    if pl.program_id(0) == 0:  # JXL101
        o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += x_ref[...]


def trigger_accumulate():
    return pl.pallas_call(accumulate, grid=(2,), out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def tiles(x_ref, o_ref):
    for i in range(pl.program_id(0)):  # JXL105
        o_ref[i] = x_ref[i]


def trigger_tiles():
    return pl.pallas_call(tiles, grid=(2,), out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def scaled(x_ref, o_ref):
    o_ref[...] = x_ref * 2.0  # JXL119


def trigger_scaled():
    return pl.pallas_call(scaled, out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def exponential(x_ref, o_ref):
    o_ref[...] = jnp.exp(x_ref)  # JXL119


def trigger_exponential():
    return pl.pallas_call(exponential, out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def functional(x_ref, o_ref):
    return jnp.sin(x_ref[...])


def trigger_functional():
    return pl.pallas_call(functional, out_shape=LIKE, interpret=True)(jnp.arange(8.0))  # JXL120


# https://github.com/jax-ml/jax/issues/31395
def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def trigger_element_for_block():
    """NaN where the index map gives elements and JAX takes blocks."""
    spec = pl.BlockSpec((2,), lambda i: (i * 2,))  # JXL313
    call = pl.pallas_call(
        double, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=LIKE, interpret=True
    )
    return call(jnp.arange(8.0))


def trigger_shardings_of_jit():
    rows = NamedSharding(one, P("dp", None))
    f = jax.jit(lambda x: x, in_shardings=rows)
    f(jnp.ones((4, 4)))
    return f(jnp.ones(4))  # JXL906


def trigger_mesh_of_other_rank():
    return jax.make_mesh((1, 1), ("dp",))  # JXL906


def trigger_callback_of_other_shape():
    """An error of the runtime: the callback gives another shape than it promised."""
    return jax.block_until_ready(jax.pure_callback(lambda a: a[:4], LIKE, jnp.arange(8.0)))  # JXL121
