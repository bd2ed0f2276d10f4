"""Poles."""

import time

import jax
import jax.numpy as jnp

from ..core import State
from .base import Env

LIMIT = 2.0


class Pole(Env):
    def step_env(self, state, action):
        x = state.x + 0.1 * action
        if x > LIMIT:  # JXL101 # here: limit
            x = jnp.zeros_like(x)
        return State(x, state.v), x

    def shape_reward(self, reward):
        return float(reward) * 2  # JXL106

    def reset_env(self, key):
        start = time.time() % 1.0  # JXL306
        return State(jax.random.normal(key) + start, jnp.zeros(()))

    def draw(self, state):
        print("pole at", state.x)  # JXL301
        return state.x

    def reward(self, state):
        assert state.x < LIMIT  # todo JXL103
        return -state.x

    def bounded(self, value):
        return value if value < LIMIT else LIMIT  # JXL101

    def weight(self, value):
        return value if value > 0 else 0.0  # JXL101

    def caption(self, state):
        return "left" if state.x < 0 else "right"  # quiet: the base calls it on the host


class SafePole(Env):
    def step_env(self, state, action):
        x = state.x + 0.1 * action
        x = jnp.where(x > LIMIT, 0.0, x)  # quiet: a where
        return State(x, state.v), x

    def shape_reward(self, reward):
        if self.size > 1:  # quiet: `self` is static in the base
            return reward / self.size
        return reward

    def reset_env(self, key):
        return State(jax.random.normal(key), jnp.zeros(()))  # quiet: drawn from the key

    def draw(self, state):
        jax.debug.print("pole at {}", state.x)  # quiet: prints at each call
        return state.x

    def reward(self, state):
        return -state.x if state.kind == "pole" else state.x  # quiet: a static field

    def bounded(self, value):
        return jnp.minimum(value, LIMIT)  # quiet: a minimum

    def weight(self, value):
        return jnp.maximum(value, 0.0)  # quiet: a maximum
