"""Training: the host's side."""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp

import lumen
from lumen import config, data, losses, models, optim, steps, utils
from lumen.models import Head, init_mlp


def fit_huber(errors):
    loss = jax.jit(losses.huber, static_argnums=1)
    return loss(errors, 1.0)  # JXL101 -> huber


def tune_focal(probability, gamma=2.0):
    return jax.grad(losses.focal, argnums=1)(probability, gamma)  # quiet: it has a value


def tune_focal_compiled(probability):
    return jax.jit(jax.grad(losses.focal, argnums=1))(probability, 2.0)  # JXL103 -> focal


def restart(params, grads):
    new = steps.update(params, grads)
    return jax.tree.map(jnp.subtract, new, params)  # JXL117


def start(key):
    model = init_mlp(key, (4, 8, 4))
    batch = data.make(jax.random.fold_in(key, 1), 8)
    return model, data.shuffle(key, batch)  # JXL401


def start_with_noise(key, batch):
    shuffled = data.shuffle(key, batch)
    return shuffled, jax.random.normal(key, (4,))  # JXL401


def finetune(params):
    first = steps.decayed(params)
    config.WEIGHT_DECAY = 0.0
    second = steps.decayed(params)  # JXL304 -> decay
    return first, second


def retried(params, batches):
    for grads in batches:
        step = steps.make_step(0.1)  # JXL202 -> made
        params = step(params, grads)
    return params


def resize(x):
    return steps.sized(x, [4, 4])  # JXL115


def grow(x):
    for size in range(1, 40):
        x = steps.sized(jnp.sum(x), (size,))  # JXL204
    return x


def replay(buffer):
    total = 0.0
    for end in range(1, 40):
        total += steps.double(buffer[:end]).sum()  # JXL205
    return total


def time_step(x):
    before = time.perf_counter()
    result = steps.heavy(x)
    seconds = time.perf_counter() - before  # JXL501
    return seconds, result


def inspect(rows):
    return jax.vmap(utils.describe)(rows)  # JXL301 -> describe


def gradient_of_accuracy(logits, labels):
    return jax.grad(lambda l: losses.accuracy(l, labels))(logits)  # todo JXL122


def sweep(grads):
    start = jnp.zeros(()), jnp.zeros(())
    return jax.lax.scan(optim.momentum_with_count, start, grads)  # JXL121


@jax.jit
def resized(x, lengths):
    return steps.sized(x, (lengths.max(),))  # JXL115


def smooth(logits, labels):
    loss = jax.jit(losses.cross_entropy, static_argnames=("smooth",))  # JXL116
    return loss(logits, labels)


def count_heads(weight, x):
    head = Head(weight)
    apply = jax.jit(lambda x: head(x))  # JXL305 -> calls
    return apply(x), apply(x), head.calls


def dropped(key, x):
    for _ in range(3):
        x = models.dropout(key, x)  # JXL402
    return x


# What follows is fine.


def initialise(key):
    first, second, third = jax.random.split(key, 3)
    model = init_mlp(first, (4, 8, 4))
    batch = data.make(second, 8)
    return model, data.shuffle(third, batch)  # quiet: the caller has split the key


def epochs(params, grads):
    for _ in range(3):
        params = steps.update(params, grads)  # quiet: the donated name is rebound
    return params


def eager_clip(params):
    return utils.clip_by_norm(params, config.CLIP)  # quiet: no trace


def eager_schedule(params, grads):
    for step in range(3):
        params = optim.sgd(params, grads, step)  # quiet: a number
    return params


def report(params):
    loss = steps.double(params["w"]).sum()
    lumen.log(0, utils.to_scalar(loss))  # quiet: after the step, once
    return loss


def cool(x):
    config.TEMPERATURE = 4.0  # quiet: before the first trace
    return steps.warm(x)


def one_rate(params, grads):
    step = steps.make_step(0.1)  # quiet: made once
    for _ in range(3):
        params = step(params, grads)
    return params


def size_once(x):
    return steps.sized(x, (4, 4))  # quiet: a tuple can be hashed


def fixed_shape(buffer):
    total = 0.0
    for _ in range(4):
        total += steps.double(buffer[:8]).sum()  # quiet: one shape
    return total


def time_step_well(x):
    before = time.perf_counter()
    result = utils.block(steps.heavy(x))
    seconds = time.perf_counter() - before  # quiet: the helper waits
    return seconds, result


def compile_forward(weight, x):
    apply = jax.jit(models.forward, static_argnames=("train",))
    return apply(weight, x, train=True)  # quiet: static at this jit


def shadowed(grads):
    def clip_by_norm(tree, limit):
        return jax.tree.map(lambda leaf: jnp.clip(leaf, -limit, limit), tree)

    return jax.jit(lambda g: clip_by_norm(g, 1.0))(grads)  # quiet: not the one of `utils`
