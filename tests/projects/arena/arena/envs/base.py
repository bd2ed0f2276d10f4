"""What all environments have in common: the compiled side."""

from functools import partial

import jax


class Env:
    def __init__(self, size):
        self.size = size

    @partial(jax.jit, static_argnums=0)
    def step(self, state, action):
        state, reward = self.step_env(state, action)
        return state, self.shape_reward(reward)

    @partial(jax.jit, static_argnums=0)
    def reset(self, key):
        return self.reset_env(key)

    @partial(jax.jit, static_argnums=0)
    def render(self, state):
        return self.draw(state)

    def shape_reward(self, reward):
        return reward

    def describe(self, state):
        """On the host."""
        return self.caption(state)

    def rewards(self, states):
        return jax.vmap(self.reward)(states)

    def all_bounded(self, values):
        return jax.vmap(self.bounded)(values)

    def costs(self, values):
        return jax.vmap(self.cost)(values)

    def cost(self, value):
        return self.size * self.weight(value)


class Strategy:
    """Asks for an action, compiled."""

    @partial(jax.jit, static_argnums=0)
    def ask(self, scores):
        return self._ask(scores)

    def tell(self, scores):
        return self._tell(scores)
