"""How they move."""

from typing import NamedTuple

from prelude import *

import constants
from grid import wrap


class State(NamedTuple):
    x: jax.Array
    v: jax.Array


def solve(fun, x0, steps=10):
    """Integrate dx/dt = fun(t, x), compiled."""

    def body(x, t):
        new = x + constants.DT * fun(t, x)
        return new, new

    return lax.scan(body, x0, jnp.arange(steps) * constants.DT)


def march(steps, x):
    for _ in range(steps):  # here: march
        x = wrap(x + constants.DT)
    return x


def relax(x, tolerance):
    while jnp.abs(x).max() > tolerance:  # here: relax
        x = x / 2
    return x


def euler(state):
    return State(state.x + constants.DT * state.v, state.v)


def kick(state):
    return State(state.x, state.v - constants.DT * state.x)


def drop(state):
    return state.x


def grow(pair):
    x, count = pair
    return x * 2, count + 1, x


def small(pair):
    return pair[0].sum() < 10


@partial(jit, donate_argnames=("state",))
def push(state):
    return state._replace(x=state.x + constants.DT * state.v)


@partial(jit, static_argnames=("steps",))
def run(x, steps):
    return march(steps, x)


@jit
def rescale(x, factor):
    return x * factor


def step(x):
    return wrap(x + constants.DT)


def halve(count, x):
    for _ in range(count):
        x = x / 2
    return x


@jit
def big(x):
    for _ in range(6):
        x = x @ x / jnp.linalg.norm(x)
    return x


class Marcher:
    def __init__(self, scale):
        self.scale = scale
        self.compiled = jax.jit(self.step)

    def step(self, x):
        return wrap(x + self.scale * constants.DT)

    def anew(self, x):
        return jax.jit(self.step)(x)  # here: anew

    def kept(self, x):
        return self.compiled(x)
