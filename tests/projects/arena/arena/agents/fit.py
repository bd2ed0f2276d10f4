"""Fitting."""

import jax

from ..core import flatten

__all__ = ["evaluate", "fit"]


def fit(loss, params, batches, rate=0.1):
    """Gradient descent on `loss(params, batch)`, compiled."""

    @jax.jit
    def step(params, batch):
        value, grads = jax.value_and_grad(loss)(params, batch)
        return jax.tree.map(lambda p, g: p - rate * g, params, grads), value

    for batch in batches:
        params, value = step(params, batch)
    return params


def evaluate(score, params, batches):
    """Mean of `score(params, batch)`; on the host."""
    total = 0.0
    for batch in batches:
        total += score(params, batch)
    return total / len(batches)
