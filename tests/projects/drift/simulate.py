"""One run."""

import time

from prelude import *
from forces import *
from grid import *

import constants
import forces
import grid
import integrate
import noise
import record
import tools
from integrate import State

try:
    from fastforces import soft_repulsion as repel
except ImportError:
    from forces import soft_repulsion as repel

constants.DAMPING = 0.5
damped = jax.jit(forces.damp)


@jit
def settle(x, tolerance):
    return integrate.relax(x, tolerance)  # JXL102 -> relax


@jit
def with_kernel(index, x):
    return kernel(index)(x)  # JXL110 -> kernel


@jit
def checked(x):
    return grid.check(x) * 2  # JXL103 -> inside


@jit
def meshed(count):
    return grid.mesh(count)  # JXL108 -> mesh


@jit
def pinned(x):
    return pin(x, 0)  # JXL112 -> pin


@jit
def kept_inside(x):
    return grid.inside(x)  # JXL109 -> mask


@jit
def normed(x):
    return x / forces.norm(x)  # JXL101 -> zero


@jit
def waved(x):
    return x + wave(x)  # JXL107 -> wave


@jit
def labelled(x):
    return record.label(x)  # JXL307 -> label


@jit
def counted(x):
    record.count()  # JXL303 -> counted
    return x * 2


@jit
def framed(x):
    return record.frame("first", x * 2)  # JXL302 -> frame


@jit
def shaken(x):
    return noise.host_jitter(x)  # JXL306 -> host


@jit
def falling(x):
    return forces.fall(x)


def remembered(x):
    store = jax.jit(record.keep)
    store(x)  # JXL303 -> keep
    return record.LAST + 1  # JXL118


def repelled(distances):
    return jax.vmap(forces.repulsion)(distances)  # JXL101 -> cutoff


def slope(x):
    return jax.jit(jax.grad(forces.binned))(x)  # JXL106 -> binned


def dragged(x):
    return integrate.solve(forces.drag, x)  # todo JXL101 -> drag


def bounced(x):
    def bounce(t, x):
        if x[0] < 0:  # JXL101
            return -x
        return x

    return integrate.solve(bounce, x)


def watched(x):
    def watch(t, x):
        print(t, x)  # JXL301
        return -x

    return integrate.solve(watch, x)


def traced_orbit(x):
    return lax.fori_loop(0, 3, lambda i, x: record.trace(x) * 2, x)  # JXL301 -> trace


def branch(x, fast):
    state = State(x, jnp.zeros_like(x))
    return lax.cond(fast, integrate.euler, integrate.drop, state)  # todo JXL121


def inflate(x):
    return lax.while_loop(integrate.small, integrate.grow, (x, 0))  # JXL121


def diffuse(x):
    return lax.scan(noise.frozen, x, None, length=3)  # JXL403 -> frozen


def heat(key, x, v):
    x = noise.jitter(key, x)
    v = noise.jitter(key, v)  # JXL401
    return x, v


def heat_again(key, x):
    key, now = jax.random.split(key)
    x = noise.jitter(now, x)
    return noise.split_jitter(now, x, x)  # JXL401


def tally(x):
    recorder = record.Recorder()
    sums = jax.jit(lambda x: recorder.add(x.sum()))  # JXL302 -> add
    return sums(x), sums(x), recorder


def best(x):
    recorder = record.Recorder()
    best = jax.jit(lambda x: recorder.note(x.max()))  # JXL305 -> note
    return best(x), best(x), recorder


def pinned_on_the_host():
    return grid.pin(jnp.ones(4), 0)  # todo JXL112 -> pin


def total_of_parts(x, y):
    return grid.total([x.sum(), y.sum()])  # todo JXL119 -> total


# What follows is fine.


@tools.jit
def reflected(x):
    if x > 0:  # quiet: this `jit` compiles nothing
        return -x
    return x


@jit
def unit(x):
    return x / norm(x)  # quiet: `grid` is imported after `forces` and has the name


@jit
def wrapped(x):
    return grid.wrap(x)  # quiet: a constant decides


@jit
def repelled_softly(distances):
    return repel(distances)  # quiet: the module that is there branches by `where`


@jit
def stepped(x):
    return integrate.step(x)  # quiet: the `step` of `forces` loops, this one does not


@jit
def celled(x):
    return x / grid.cells(x)  # quiet: NumPy sees a shape


@jit
def located(x):
    return grid.cell_of(x)  # quiet: asks whether it is traced


@jit
def tabulated_force(x):
    return forces.tabulated(x)  # quiet: NumPy in a callback


@jit
def with_named(x):
    return named("sin")(x)  # quiet: a dict asked for a string


def damped_run(x):
    return damped(x)  # quiet: set at the top, before the first trace


def sprung(x):
    return integrate.solve(forces.spring, x)  # quiet: nothing in it needs a value


def clamped(x):
    def clamp(t, x):
        return jnp.where(x < 0, -x, x)  # quiet: a where

    return integrate.solve(clamp, x)


def alternated(state, fast):
    return lax.cond(fast, integrate.euler, integrate.kick, state)  # quiet: one structure


def marched(x):
    return jax.jit(integrate.march, static_argnums=0)(3, x)  # quiet: static at this jit


def halved(x):
    return jax.jit(partial(integrate.halve, 2))(x)  # quiet: bound to a number


def warmed(key, x, v):
    for i in range(3):
        x = noise.jitter(jax.random.fold_in(key, i), x)  # quiet: another key each time
    return x, v


def warmed_by_stream(key, x):
    keys = noise.stream(key)
    x = noise.jitter(next(keys), x)
    return noise.jitter(next(keys), x)  # quiet: the generator splits


def warmed_by_scan(key, x):
    return lax.scan(noise.thermal, (key, x), None, length=3)  # quiet: the body splits


def kept(x):
    record.keep(x * 2)  # quiet: no trace
    return record.LAST + 1


def recorded(x):
    recorder = record.Recorder()
    for _ in range(3):
        x = recorder.add(stepped(x))  # quiet: added on the host
    return recorder.items


def shaken_on_the_host(x):
    return stepped(noise.host_jitter(x))  # quiet: drawn before the compiled call


def host_steps(x):
    return forces.step(x)  # quiet: a number on the host


def time_big(x):
    with tools.Timer() as timer:
        big = integrate.big(x).block_until_ready()  # quiet: waits inside of the timer
    return timer.seconds, big
