"""What moves them."""

import constants
from prelude import *

KERNELS = [jnp.sin, jnp.cos, jnp.tanh]
NAMED = {"sin": jnp.sin, "cos": jnp.cos}


def norm(x):
    length = jnp.sqrt((x**2).sum())
    if length == 0:  # here: zero
        return 1.0
    return length


def kernel(index):
    return KERNELS[index]  # here: kernel


def named(name):
    return NAMED[name]


def repulsion(distance):
    if distance > constants.CUTOFF:  # here: cutoff
        return 0.0
    return 1.0 / distance**2


def soft_repulsion(distance):
    return jnp.where(distance > constants.CUTOFF, 0.0, 1.0 / (1.0 + distance**2))


def binned(x):
    return KERNELS[0](x) * int(x)  # here: binned


def drag(t, x):
    return -x if x.sum() > 0 else x  # here: drag


def spring(t, x):
    return -x


def fall(x):
    return x - constants.GRAVITY * constants.DT  # here: gravity


def damp(x):
    return x * (1.0 - constants.DAMPING)


def step(x):
    """One step of the reference code, on the host."""
    while x > 1.0:
        x = x / 2
    return x


def potential(x):
    return 0.5 * jnp.sum(x**2)


def wave(x):
    return np.sin(x) * 2.0  # here: wave


def tabulated(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(lambda value: np.sin(value), shape, x, vmap_method="sequential")
