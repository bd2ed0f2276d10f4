"""What is compiled of a rollout."""

import jax
import jax.numpy as jnp

from arena import *
from arena import core
from arena.agents import policy, update
from arena.envs import Pole, SafePole

NOISE = Rng(0)
TALLY = Tally()


@jax.jit
def bellman(reward, value, after, done):
    return update.td_error(reward, value, after, done)  # todo JXL101 -> done


@jax.jit
def advantages(values):
    return update.normalise(values)  # JXL104 -> spread


@jax.jit
def explored(key, scores):
    return policy.epsilon_greedy(key, scores)  # JXL101 -> epsilon


@jax.jit
def restarted(state, done):
    return replace_where(state, done)  # todo JXL101 -> replace


@jax.jit
def logged(metrics):
    return core.summarise(metrics)  # JXL106 -> summary


@jax.jit
def jittered(scores):
    return scores + jax.random.normal(NOISE.next(), scores.shape)  # JXL305 -> next, JXL403 -> next


@jax.jit
def noisy(scores):
    return scores + jax.random.normal(core.fixed(), scores.shape)  # JXL403 -> fixed


@jax.jit
def tallied(reward):
    return TALLY.add(reward * 2)  # JXL305 -> tally


def drifted(state):
    return jax.lax.scan(policy.drift, state, None, length=3)  # JXL102 -> drift


def all_steps(states, actions):
    return jax.vmap(Pole(1).step_env)(states, actions)  # JXL101 -> limit


def actions(weight, obs, key):
    return jax.jit(policy.act)(weight, obs, key, True)  # JXL101 -> greedy


@jax.jit
def entropy(logits):
    return update.entropy_loss(logits)


@jax.jit
def scaled(reward):
    return update.scaled(reward)


# What follows is fine.


@jax.jit
def bellman_where(reward, value, after, done):
    return update.td_error_where(reward, value, after, done)  # quiet: a where


@jax.jit
def finished(reward, value):
    return update.td_error(reward, value, 0.0, done=True)  # quiet: `done` is a constant


@jax.jit
def chosen(done, fresh, old):
    return choose(done, fresh, old)  # quiet: a where for each leaf


@jax.jit
def moved(state):
    return SafePole(1).step_env(state, 1.0)  # quiet: a registered pytree


@jax.jit
def ensured(values):
    return ensure(values, 4)  # quiet: asks for a shape


@jax.jit
def flat(values):
    return core.flatten(values)  # quiet: asks for the container


@jax.jit
def mean(values):
    return masked_mean(values)  # quiet: asks for None


@jax.jit
def valued(weight, obs):
    return policy.value(weight, obs)  # quiet: nobody sets `CLIP`


@jax.jit
def based(weight, obs):
    return update.baseline(weight, obs)  # quiet: around the circle of imports


@jax.jit
def lost(weight, obs):
    return update.loss(weight, obs)  # quiet: imported in the function


def glided(state):
    return jax.lax.scan(policy.glide, state, None, length=3)  # quiet: nothing is asked


def greedy_actions(weight, obs, key):
    return jax.jit(policy.act, static_argnums=3)(weight, obs, key, True)  # quiet: static here


def host_summary(metrics):
    return core.summarise(entropy_metrics(metrics))  # quiet: no trace


@jax.jit
def entropy_metrics(metrics):
    return {name: jnp.mean(value) for name, value in metrics.items()}
