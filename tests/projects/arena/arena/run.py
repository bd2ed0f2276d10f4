"""Runs: the host's side."""

import importlib
import time

import jax
import jax.numpy as jnp

from arena import config, core, rollout, shaping
from arena.agents import evaluate, fit, policy, update
from arena.config import Sizes
from arena.envs import SafePole


def begin(key, weight, obs):
    state = SafePole(1).reset(key)
    return state, policy.act(weight, obs, key, greedy=False)  # JXL401


def draw_twice(key, logits):
    first = core.sample(key, logits)
    return first, core.sample(key, logits)  # JXL401


def draw_often(key, logits):
    draws = []
    for _ in range(3):
        draws.append(core.sample(key, logits))  # JXL402
    return draws


def descend(weight, grads):
    update.apply(weight, grads)
    return weight + 1  # JXL117


def anneal(logits):
    before = rollout.entropy(logits)
    config.OPTIONS["entropy"] = 0.0
    return before, rollout.entropy(logits)  # JXL304 -> entropy


def rescale(reward):
    before = rollout.scaled(reward)
    config.Scale.reward = 3.0
    return before, rollout.scaled(reward)  # JXL304 -> scale


def retrain(weight, batches):
    for grads in batches:
        step = update.make_update(0.1)  # JXL202 -> make
        weight = step(weight, grads)
    return weight


def new_worlds(state, actions):
    for action in actions:
        env = SafePole(1)
        state, _ = env.step(state, action)  # JXL204
    return state


def fit_hinge(weight, batches):
    def hinge(weight, batch):
        margin = (batch @ weight).sum()
        if margin > 1:  # JXL101
            return 0.0 * margin
        return 1 - margin

    return fit(hinge, weight, batches)


def wrong_sizes(key):
    return policy.build(key, {"hidden": 3})  # JXL115


def send(state):
    transition = core.Transition(state, 1.0)
    return rollout.moved(transition)  # JXL113


def time_scores(weight, obs):
    before = time.perf_counter()
    result = policy.scores(weight, obs)
    seconds = time.perf_counter() - before  # JXL501
    return seconds, result


@jax.jit
def with_bonus(rewards):
    return shaping.get("bonus", amount=2.0)(rewards.sum())  # JXL101 -> bonus


@jax.jit
def summarised(rewards):
    tools = importlib.import_module("arena.core.tree")
    return tools.summarise({"loss": rewards.sum(), "reward": rewards})  # JXL106 -> summary


# What follows is fine.


def begin_well(key, weight, obs):
    first, second = core.pair(key)
    state = SafePole(1).reset(first)
    return state, policy.act(weight, obs, second, greedy=False)  # quiet: the caller splits


def draw_in_turn(logits):
    rng = core.Rng(0)
    return [core.sample(rng.next(), logits) for _ in range(3)]  # quiet: another key each time


def descend_well(weight, grads):
    for _ in range(3):
        weight = update.apply(weight, grads)  # quiet: rebound
    return weight


def one_world(state, actions):
    env = SafePole(1)
    for action in actions:
        state, _ = env.step(state, action)  # quiet: one object
    return state


def fit_square(weight, batches):
    def square(weight, batch):
        return ((batch @ weight) ** 2).sum()  # quiet: nothing is asked

    return fit(square, weight, batches)  # quiet: a function, not the module of its name


def count_good(weight, batches):
    def good(weight, batch):
        return 1 if (batch @ weight).sum() > 0 else 0  # quiet: called on the host

    return evaluate(good, weight, batches)


def right_sizes(key):
    return policy.build(key, Sizes(hidden=3))  # quiet: frozen, so it has a hash


def time_scores_well(weight, obs):
    before = time.perf_counter()
    result = policy.scores(weight, obs).block_until_ready()
    seconds = time.perf_counter() - before  # quiet: waited
    return seconds, result


def act_on_the_host(weight, obs, key):
    return policy.act(weight, obs, key, greedy=True)  # quiet: no trace


def explore_on_the_host(key, scores):
    return policy.epsilon_greedy(key, scores)  # quiet: no trace


def restart_on_the_host(state, done):
    return core.replace_where(state, done)  # quiet: no trace


def retrain_once(weight, batches):
    step = update.make_update(0.1)  # quiet: made once
    for grads in batches:
        weight = step(weight, grads)
    return weight


def tally_on_the_host(rewards):
    tally = core.Tally()
    for reward in rewards:
        tally.add(rollout.mean(reward))  # quiet: no trace
    return tally.total


@jax.jit
def clipped(rewards):
    return shaping.get("clip", top=0.5)(rewards)  # quiet: another class of the same registry


def bonus_on_the_host(rewards):
    return shaping.get("bonus")(float(rewards.sum()))  # quiet: no trace
