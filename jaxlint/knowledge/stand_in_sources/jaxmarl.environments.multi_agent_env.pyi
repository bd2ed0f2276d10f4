from functools import partial

import jax

class MultiAgentEnv(_WithMore):
    @partial(jax.jit, static_argnums=(0,))
    def step(self, key, state, actions, reset_state=None):
        key, key_reset = jax.random.split(key)
        obs_st, states_st, rewards, dones, infos = self.step_env(key, state, actions)
        if reset_state is None:
            obs_re, states_re = self.reset(key_reset)
        else:
            states_re = reset_state
            obs_re = self.get_obs(states_re)
        states = jax.tree.map(lambda x, y: jax.lax.select(_done(), x, y), states_re, states_st)
        obs = jax.tree.map(lambda x, y: jax.lax.select(_done(), x, y), obs_re, obs_st)
        return obs, states, rewards, dones, infos
