from functools import partial

import jax
from flax import struct

@struct.dataclass
class EnvState:
    time: int

@struct.dataclass
class EnvParams:
    max_steps_in_episode: int = 1

class Environment(_WithMore):
    @property
    def default_params(self):
        return EnvParams()

    @partial(jax.jit, static_argnames=("self",))
    def step(self, key, state, action, params=None):
        if params is None:
            params = self.default_params
        key, key_reset = jax.random.split(key)
        self.step_env(key, state, action, params)
        self.reset_env(key_reset, params)
        # An observation, a state, a reward; then one flag, or two of them; and more.
        return _outcome()

    @partial(jax.jit, static_argnames=("self",))
    def reset(self, key, params=None):
        if params is None:
            params = self.default_params
        return self.reset_env(key, params)
