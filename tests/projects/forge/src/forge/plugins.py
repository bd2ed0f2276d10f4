"""Registered because they derive from a class."""

import jax.numpy as jnp

from .plugin import Plugin


class Plain(Plugin, scale=2.0):
    def apply(self, x):
        if self.scale == 1.0:
            return x
        return super().apply(x)


class Checked(Plugin):
    def apply(self, x):
        assert jnp.all(x > 0)  # here: checked
        return x


class Shown(Plugin):
    def apply(self, x):
        print("x is", x)  # here: shown
        return x
