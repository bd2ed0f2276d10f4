"""Keys."""

import jax

__all__ = ["Rng", "fixed", "pair", "sample"]


class Rng:
    """Keys one after the other, on the host."""

    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def next(self):
        self.key, key = jax.random.split(self.key)  # here: next
        return key


def fixed():
    return jax.random.key(0)  # here: fixed


def pair(key):
    return jax.random.split(key)


def sample(key, logits):
    return jax.random.categorical(key, logits)
