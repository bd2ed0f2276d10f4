"""Compiled steps."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from . import config, losses, models, optim, utils
from .losses import cross_entropy
from .utils import clip_by_norm, compiled, to_scalar

__all__ = ["decayed", "double", "make_step", "update"]


@jax.jit
def clipped(params, grads):
    grads = clip_by_norm(grads, config.CLIP)  # JXL101 -> clip
    return jax.tree.map(jnp.subtract, params, grads)


@jax.jit
def guarded(params, loss):
    ok = utils.both_finite(loss, utils.global_norm(params))  # JXL104 -> finite
    return jnp.where(ok, loss, 0.0)


@jax.jit
def measured(params):
    norm = to_scalar(utils.global_norm(params))  # JXL106 -> scalar
    return {"norm": norm}


@jax.jit
def exported(params):
    return utils.to_numpy(params["w"])  # JXL107 -> numpy


@jax.jit
def logged(params, step):
    loss = jnp.sum(params["w"] ** 2)
    utils.log_metrics(step, loss)  # JXL301 -> log
    return loss


@jax.jit
def remembered(params):
    return utils.remember(jnp.sum(params["w"] ** 2))  # JXL302 -> remember


@jax.jit
def masked(matrix):
    return utils.zero_diagonal(matrix * 2).sum()  # JXL112 -> diagonal


@jax.jit
def selected(values):
    return utils.positive(values).sum()  # JXL109 -> positive


@jax.jit
def descended(params, grads, step):
    return optim.sgd(params, grads, step)  # JXL101 -> warmup


@jax.jit
def perturbed(x):
    return models.noisy(x).sum()  # JXL403 -> noisy


@jax.jit
def stamped(x):
    return utils.stamp({"loss": x.sum()})  # JXL306 -> stamp


@jax.jit
def padded(values, length):
    return utils.pad_to(values, length)  # JXL108 -> pad


@jax.jit
def averaged(values, count):
    return optim.averaged(values, count)  # JXL105 -> count


@jax.jit
def emptied(values):
    from .losses import mean

    return mean(values)  # JXL101 -> empty


@partial(jax.jit, static_argnames=("sizes",))
def sized(x, sizes):
    return jnp.zeros(sizes) + x


@partial(jax.jit, donate_argnums=0)
def update(params, grads):
    return jax.tree.map(jnp.subtract, params, grads)


@jax.jit
def decayed(params):
    return optim.decay(params)


@jax.jit
def warm(x):
    return x / config.TEMPERATURE


@jax.jit
def double(x):
    return x * 2


@jax.jit
def heavy(x):
    for _ in range(6):
        x = x @ x / jnp.linalg.norm(x)
    return x


def make_step(rate):
    @jax.jit  # here: made
    def step(params, grads):
        return jax.tree.map(lambda p, g: p - rate * g, params, grads)

    return step


# What follows is fine.


@jax.jit
def classified(logits, labels):
    return cross_entropy(logits, labels, smoothing=0.1)  # quiet: a number at every call


@jax.jit
def fitted(model, x):
    return model(x).sum()  # quiet: the class is a registered pytree, its kind no child


@compiled
def trained(weight, x, train):
    return models.forward(weight, x, train)  # quiet: the decorator makes `train` static


@jax.jit
def evaluated(weight, x):
    return models.forward(weight, x, train=False).sum()  # quiet: `train` is a constant


@jax.jit
def averaged_well(values):
    return utils.mean(values)  # quiet: the `mean` of another module branches


@jax.jit
def flattened(values):
    return utils.flat(values)  # quiet: asks for shapes


@jax.jit
def weighed(values):
    return utils.weighted(values)  # quiet: asks for None


@jax.jit
def numbered(value):
    return utils.as_number(value)  # quiet: asks for a Python number first


@jax.jit
def shown(values):
    utils.show(values.sum())  # quiet: prints by a callback
    return values.sum()


@jax.jit
def collected(rows):
    return utils.stack_means(rows)  # quiet: the list is made in the helper


@jax.jit
def scheduled(params, grads, step):
    rate = optim.smooth_rate(step)  # quiet: a where
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)


@jax.jit
def shaped(x):
    return x.reshape(config.SIZES)  # quiet: nobody rebinds it


@jax.jit
def counted(values):
    return optim.averaged(values, values.shape[0])  # quiet: a shape is a number


@jax.jit
def swept(values, grads):
    start = values, jnp.zeros_like(values)
    return jax.lax.scan(optim.momentum, start, grads)  # quiet: the carry keeps its structure


@jax.jit
def activated(x):
    return utils.activation("tanh")(x)  # quiet: a dict asked for a string


@jax.jit
def ranked(probability):
    return losses.focal(probability, 2.0)  # quiet: asserts about a number
