"""The valid twins: nothing is found, and real JAX runs them."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P

one = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("dp", "tp"))
pod = AbstractMesh((8, 4), ("dp", "tp"))
LIKE = jax.ShapeDtypeStruct((8,), jnp.float32)


@partial(jax.shard_map, mesh=one, in_specs=(P("dp"), P("dp")), out_specs=P("dp"))
def plus(x, y):
    return x + y


def trigger_arguments():
    return plus(jnp.arange(8), jnp.arange(8))


def trigger_scalar():
    f = jax.shard_map(lambda *xs: xs[0], mesh=one, in_specs=(P(), P()), out_specs=P())
    return f(1.0, 1.0)


def trigger_heads():
    both = P(("dp", "tp"))
    f = jax.shard_map(lambda q, k: q * k, mesh=pod, in_specs=both, out_specs=both)
    return jax.eval_shape(lambda: f(jnp.ones((64, 4)), jnp.ones((64, 4))))


def trigger_params():
    params = {"w": jnp.ones((3, 4)), "b": jnp.ones(4)}
    sharding = {"w": NamedSharding(one, P(None, "tp")), "b": NamedSharding(one, P("tp"))}
    return jax.device_put(params, sharding)


def trigger_closed_over():
    w = jnp.ones(3)
    f = jax.shard_map(lambda x: x * w, mesh=one, in_specs=(P("dp"),), out_specs=P("dp"))
    return f(jnp.ones((4, 3)))


def trigger_replicated_result():
    f = jax.shard_map(lambda x: jax.lax.psum(x.sum(), "dp"), mesh=one, in_specs=P("dp"), out_specs=P())
    return f(jnp.ones(4))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def trigger_copy():
    return pl.pallas_call(copy, out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def accumulate(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]


def trigger_accumulate():
    return pl.pallas_call(accumulate, grid=(2,), out_shape=LIKE, interpret=True)(jnp.arange(8.0))


def halves(x_ref, lower_ref, upper_ref):
    lower_ref[...] = x_ref[:4]
    upper_ref[...] = x_ref[4:]


def trigger_halves():
    half = jax.ShapeDtypeStruct((4,), jnp.float32)
    return pl.pallas_call(halves, out_shape=(half, half), interpret=True)(jnp.arange(8.0))


@jax.jit
def murmur(h):
    h = h ^ (h >> 16)
    h = h * jnp.uint32(0x85EBCA6B)
    return h ^ (h >> 13)


def trigger_murmur():
    return murmur(jnp.arange(4, dtype=jnp.uint32))


def trigger_unit():
    return jax.random.bits(jax.random.key(0), (3,)).astype(jnp.float32) / 2.0**32


def trigger_limits():
    return jnp.full(3, 2**31 - 1) - 1, jnp.int32(-(2**31)), jnp.array([0, 255], dtype=jnp.uint8)


def trigger_host_numbers():
    return np.uint64(2**40) * 2**20, jnp.arange(3) * (2**40 // 2**30)


def at_most_three(xs):
    return [xs[i] for i in range(xs.shape[0])][:3]


def trigger_rows():
    return at_most_three(jnp.ones((2, 2))), at_most_three(jnp.ones((5, 2)))


def trigger_ends():
    xs = jnp.linspace(0.0, 1.0, 11)
    return xs[10] - xs[-11], xs[None, 10], xs[3:99]


@jax.custom_vjp
def product(x, y):
    return x * y


product.defvjp(lambda x, y: (x * y, (x, y)), lambda res, g: (g * res[1], g * res[0]))


def trigger_product():
    return jax.grad(product)(1.0, 2.0)


explicit = jax.make_mesh((1,), ("dp",))


@partial(jax.shard_map, mesh=explicit, in_specs=P("dp"), out_specs=P("dp"))
def twice(x):
    return x * 2


def laid_out(x, where):
    return jax.device_put(x, where)


def trigger_layouts_out_of_view():
    names = dict(part.split("=") for part in "batch=dp".split(","))
    place = NamedSharding(explicit, P(names["batch"]))
    x = laid_out(jnp.ones(8), place)
    like = getattr(x, "sharding")
    places = {name: place for name in names}
    tree = jax.device_put({"batch": np.ones(8)}, places)
    return twice(x), twice(jax.device_put(np.zeros(8), like)), twice(tree["batch"])
