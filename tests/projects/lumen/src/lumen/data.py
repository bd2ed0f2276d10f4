"""Batches."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from . import models


class Batch(NamedTuple):
    inputs: jax.Array
    labels: jax.Array


def shuffle(key, batch):
    order = jax.random.permutation(key, batch.inputs.shape[0])
    return Batch(batch.inputs[order], batch.labels[order])


def make(key, count, width=4):
    first, second = jax.random.split(key)
    inputs = jax.random.normal(first, (count, width))
    return Batch(inputs, jax.random.randint(second, (count,), 0, width))


def predictions(model: models.MLP, batch: Batch):
    return jnp.argmax(model(batch.inputs), axis=-1)
