"""Integers and indices that do not fit, rules of differentiation that JAX refuses."""

from functools import partial

import jax
import jax.numpy as jnp

MASK = 0xFFFFFFFF


# https://github.com/jax-ml/jax/issues/5952
@jax.jit
def murmur(h):
    h = h ^ (h >> 16)
    h = h * 0x85EBCA6B  # JXL124
    return h ^ (h >> 13)


def trigger_murmur():
    return murmur(jnp.arange(4, dtype=jnp.uint32))


def trigger_mask():
    return jnp.uint32(7) & MASK  # JXL124


# https://github.com/jax-ml/jax/issues/8604
def unit(bits):
    return bits.astype(jnp.float32) / 2**32  # JXL124


def trigger_unit():
    return unit(jax.random.bits(jax.random.key(0), (3,)))


def trigger_milliseconds():
    return jnp.array([1_700_000_000_000, 1_700_000_000_001])  # JXL124


def trigger_sentinel():
    distance = jnp.zeros(3, dtype=jnp.int32)
    return distance == 2**31  # JXL124


def trigger_pixel():
    return jnp.array([0, 128, 256], dtype=jnp.uint8)  # JXL124


def trigger_unsigned():
    return jnp.uint32(-1)  # JXL124


def trigger_narrow():
    return jnp.asarray(40_000, dtype="int16")  # JXL124


# https://github.com/jax-ml/jax/issues/10193
def step(state):
    position, velocity = state[0], state[1]
    force = state[2]  # JXL311
    return position + velocity * force


def trigger_state():
    return jax.jit(step)(jnp.array([1.0, 2.0]))


def trigger_off_by_one():
    xs = jnp.linspace(0.0, 1.0, 11)
    return xs[11] - xs[0]  # JXL311


def trigger_column():
    table = jnp.ones((5, 3))
    return table[:, 3]  # JXL311


def trigger_negative():
    key = jnp.zeros(2)
    return key[-3]  # JXL311


# https://github.com/jax-ml/jax/issues/9374
@partial(jax.custom_vjp, nondiff_argnums=(1,))
def scaled(x, scale):
    return x * scale


def scaled_fwd(x, scale):
    return x * scale, None


def scaled_bwd(scale, _, g):
    return (g * scale,)


scaled.defvjp(scaled_fwd, scaled_bwd)


def trigger_nondiff():
    return jax.jit(lambda x, s: scaled(x, s))(1.0, 2.0)  # JXL703


@jax.custom_vjp
def product(x, y):
    return x * y


product.defvjp(lambda x, y: (x * y, (x, y)), lambda res, g: (g * res[1],))


def trigger_cotangents():
    return jax.grad(product)(1.0, 2.0)  # JXL703


@jax.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: jnp.clip(g, -1.0, 1.0))


def trigger_no_tuple():
    return jax.grad(clipped)(1.0)  # JXL703


@jax.custom_vjp
def straight(x):
    return jnp.round(x)


straight.defvjp(lambda x: jnp.round(x), lambda _, g: (g,))


def trigger_no_residuals():
    return jax.grad(straight)(1.0)  # JXL703
