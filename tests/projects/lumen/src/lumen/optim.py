"""Updates of parameters."""

import jax
import jax.numpy as jnp

from . import config


def learning_rate(step):
    if step < config.WARMUP:  # here: warmup
        return 0.1 * step / config.WARMUP
    return 0.1


def sgd(params, grads, step):
    rate = learning_rate(step)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)


def smooth_rate(step):
    return jnp.where(step < config.WARMUP, 0.1 * step / config.WARMUP, 0.1)


def decay(params):
    return jax.tree.map(lambda p: p * (1 - config.WEIGHT_DECAY), params)  # here: decay


def momentum(carry, grad):
    value, speed = carry
    speed = 0.9 * speed + grad
    return (value - speed, speed), value


def momentum_with_count(carry, grad):
    value, speed = carry
    speed = 0.9 * speed + grad
    return (value - speed, speed, 1), value


def averaged(values, count):
    total = jnp.zeros(())
    for index in range(count):  # here: count
        total = total + values[index]
    return total / count
