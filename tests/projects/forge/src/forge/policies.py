"""Registered by a method of an object."""

import jax.numpy as jnp

from .registry import POLICIES


@POLICIES.register
class Greedy:
    def __init__(self, floor):
        self.floor = floor

    def act(self, logits):
        return int(jnp.argmax(logits))  # here: act


@POLICIES.register
class Soft:
    def act(self, logits):
        return jnp.exp(logits) / jnp.sum(jnp.exp(logits))
