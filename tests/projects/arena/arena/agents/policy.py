"""Policies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from .. import config
from ..core import sample
from ..envs.base import Strategy
from . import update

if TYPE_CHECKING:
    from ..core import State


def act(weight, obs, key, greedy):
    logits = obs @ weight
    if greedy:  # here: greedy
        return jnp.argmax(logits, axis=-1)
    return sample(key, logits)


def epsilon_greedy(key, scores):
    first, second = jax.random.split(key)
    if jax.random.uniform(first) < config.EPSILON:  # here: epsilon
        return jax.random.randint(second, (), 0, scores.shape[-1])
    return jnp.argmax(scores)


def value(weight, obs):
    return update.clip((obs @ weight).mean())


def drift(state: State, _):
    x = state.x * 0.9
    while x > 1.0:  # here: drift
        x = x / 2
    return state, x


def glide(state: State, _):
    return state, state.x * 0.9


@partial(jax.jit, static_argnames=("sizes",))
def build(key, sizes):
    return jax.random.normal(key, (sizes.hidden, sizes.actions))


@jax.jit
def scores(weight, obs):
    for _ in range(6):
        obs = obs @ weight / jnp.linalg.norm(weight)
    return obs


class Greedy(Strategy):
    def _ask(self, scores):
        return int(jnp.argmax(scores))  # JXL106

    def _tell(self, scores):
        return int(jnp.argmax(scores))  # quiet: the base calls it on the host


class Soft(Strategy):
    def __init__(self, power):
        self.power = power

    def _ask(self, scores):
        if self.power == 1:  # quiet: `self` is static in the base
            return jnp.argmax(scores)
        return jnp.argmax(scores**self.power)
