"""Updates. `policy` imports this module, and this one `policy`."""

from functools import partial

import jax
import jax.numpy as jnp

from .. import config
from . import policy


def clip(values):
    if config.CLIP is None:
        return values
    return jnp.clip(values, -config.CLIP, config.CLIP)


def td_error(reward, value, after, done):
    if done:  # here: done
        after = 0.0
    return reward + config.GAMMA * after - value


def td_error_where(reward, value, after, done):
    return reward + config.GAMMA * jnp.where(done, 0.0, after) - value


def normalise(values):
    spread = values.std()
    return values / (spread or 1.0)  # here: spread


def entropy_loss(logits):
    return config.OPTIONS["entropy"] * jnp.sum(jax.nn.softmax(logits))  # here: entropy


def scaled(reward):
    return reward * config.Scale.reward  # here: scale


@partial(jax.jit, donate_argnums=0)
def apply(weight, grads):
    return weight - 0.1 * grads


def make_update(rate):
    return jax.jit(lambda weight, grads: weight - rate * grads)  # here: make


def baseline(weight, obs):
    return policy.value(weight, obs)


def loss(weight, obs):
    from .policy import value

    return value(weight, obs) ** 2
