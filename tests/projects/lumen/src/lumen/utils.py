"""Helpers that know nothing of the model."""

from __future__ import annotations

import functools
import time

import jax
import jax.numpy as jnp
import numpy as np

HISTORY = []
ACTIVATIONS = {"relu": jax.nn.relu, "tanh": jnp.tanh}


def global_norm(tree):
    return jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree)))


def clip_by_norm(tree, limit):
    norm = global_norm(tree)
    if norm > limit:  # here: clip
        tree = jax.tree.map(lambda leaf: leaf * limit / norm, tree)
    return tree


def both_finite(loss, norm):
    return jnp.isfinite(loss) and jnp.isfinite(norm)  # here: finite


def to_scalar(value):
    return float(value)  # here: scalar


def to_numpy(value):
    return np.asarray(value) * 1.0  # here: numpy


def log_metrics(step, loss):
    print(f"step {step}: loss {loss}")  # here: log


def show(loss):
    jax.debug.print("loss {}", loss)


def describe(row):
    print("row of", row.shape, row)  # here: describe
    return row.sum()


def remember(loss):
    HISTORY.append(loss)  # here: remember
    return loss


def zero_diagonal(matrix):
    index = jnp.arange(matrix.shape[0])
    matrix[index, index] = 0.0  # here: diagonal
    return matrix


def positive(values):
    return values[values > 0]  # here: positive


def stamp(metrics):
    metrics["time"] = time.time()  # here: stamp
    return metrics


def pad_to(values, length):
    return jnp.concatenate([values, jnp.zeros(length)])  # here: pad


def block(tree):
    return jax.block_until_ready(tree)


def compiled(function):
    """Compile a step whose last argument is a flag."""
    return functools.partial(jax.jit, static_argnames=("train",))(function)


def mean(values):
    return jnp.mean(values)


def flat(values):
    if values.ndim == 1:
        return values[:, None]
    if values.shape[0] == 1:
        return values.reshape(-1, 1)
    return values.reshape(values.shape[0], -1)


def weighted(values, weights=None):
    if weights is None:
        return values.mean()
    return (values * weights).sum() / weights.sum()


def as_number(value):
    if isinstance(value, (int, float)):
        return float(value) if value > 0 else 0.0
    return jnp.maximum(value, 0.0)


def activation(name):
    return ACTIVATIONS[name]


def stack_means(rows):
    means = []
    for row in rows:
        means.append(row.mean())
    return jnp.stack(means)
