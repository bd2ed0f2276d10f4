"""The host's functions, where JAX traces them."""

import jax
import jax.numpy as jnp

import norms

norms.length = jnp.linalg.norm


@jax.jit
def direction(x):
    return norms.unit(x)  # quiet: the function that asks for a number was replaced above
