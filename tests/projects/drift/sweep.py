"""Many runs."""

import time

import jax
import jax.numpy as jnp

import constants
import forces
import grid
import integrate
import noise
import simulate
from simulate import falling

energy = jax.jit(forces.potential)


def gravities(x):
    ends = []
    for gravity in (1.0, 2.0):
        constants.GRAVITY = gravity
        ends.append(falling(x))  # JXL304 -> gravity
    return ends


def lengths(x):
    ends = []
    for steps in range(2, 30):
        ends.append(integrate.run(x, steps))  # JXL204
    return ends


def windows(x):
    return [energy(x[:size]) for size in range(1, 30)]  # JXL205


def pushes(state):
    ends = []
    for _ in range(3):
        ends.append(integrate.push(state))  # JXL117
    return ends


def last_push(state):
    new = integrate.push(state)
    return new.x - state.x  # JXL117


def by_name(x):
    return integrate.rescale(x, "double")  # JXL113


def seeds(x):
    key = jax.random.key(0)
    ends = []
    for _ in range(3):
        ends.append(noise.jitter(key, x))  # JXL402
    return ends


def timed(x):
    before = time.perf_counter()
    end = integrate.big(x)
    seconds = time.perf_counter() - before  # JXL501
    return seconds, end


def long_march(x):
    return jax.jit(lambda x: integrate.march(400, x))(x)  # JXL206 -> march


def marches(x):
    marcher = integrate.Marcher(2.0)
    for _ in range(30):
        x = marcher.anew(x)  # JXL202 -> anew
    return x


def pinned_on_the_host():
    return grid.pin(jnp.ones(4), 0)  # JXL112 -> pin


# What follows is fine.


def one_length(x):
    return [integrate.run(each, 7) for each in x]  # quiet: one value


def chain(state):
    for _ in range(3):
        state = integrate.push(state)  # quiet: rebound
    return state


def many_seeds(x):
    keys = jax.random.split(jax.random.key(0), 3)
    return [noise.jitter(key, x) for key in keys]  # quiet: a key of its own for each


def by_number(x):
    return [integrate.rescale(x, factor) for factor in (1.0, 2.0, 3.0)]  # quiet: traced


def short_march(x):
    return jax.jit(lambda x: integrate.march(4, x))(x)  # quiet: short


def kept_marches(x):
    marcher = integrate.Marcher(2.0)
    for _ in range(30):
        x = marcher.kept(x)  # quiet: compiled once
    return x


def waited(x):
    before = time.perf_counter()
    end = jax.block_until_ready(integrate.big(x))
    seconds = time.perf_counter() - before  # quiet: waited
    return seconds, end


def main():
    state = integrate.State(jnp.ones(3), jnp.ones(3))
    print(chain(state), simulate.sprung(jnp.ones(3)))


if __name__ == "__main__":
    main()
