"""Where things are."""

from prelude import *

import constants


def wrap(x):
    if constants.PERIODIC:
        return x % constants.BOX
    return jnp.clip(x, 0.0, constants.BOX)


def check(x):
    assert jnp.all(x >= 0), "left the box"  # here: inside
    return x


def mesh(count):
    return jnp.linspace(0.0, constants.BOX, count)  # here: mesh


def total(parts):
    return jnp.sum(parts)  # here: total


def norm(x):
    return jnp.sqrt((x**2).sum(-1))


def cells(x):
    return int(np.prod(x.shape))


def pin(x, where):
    x[where] = 0.0  # here: pin
    return x


def inside(x):
    return x[(x > 0) & (x < constants.BOX)]  # here: mask


def cell_of(x):
    if isinstance(x, jax.core.Tracer):
        return jnp.floor(x).astype(int)
    return int(x)
