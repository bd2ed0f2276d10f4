"""What nobody knows."""

import random

from prelude import *


def jitter(key, x):
    return x + 0.1 * jax.random.normal(key, x.shape)


def split_jitter(key, x, v):
    first, second = jax.random.split(key)
    return jitter(first, x), jitter(second, v)


def frozen(x, _):
    key = jax.random.key(42)  # here: frozen
    return x + jax.random.normal(key, x.shape), None


def thermal(carry, _):
    key, x = carry
    key, now = jax.random.split(key)
    return (key, jitter(now, x)), None


def host_jitter(x):
    return x + random.random()  # here: host


def stream(key):
    while True:
        key, now = jax.random.split(key)
        yield now
