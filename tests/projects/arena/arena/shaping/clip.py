"""Not more than is good."""

import jax.numpy as jnp


class Clip:
    def __init__(self, top=None):
        self.top = top

    def __call__(self, reward):
        if self.top is None:  # quiet: what the host said when it made it
            return reward
        return jnp.minimum(reward, self.top)
