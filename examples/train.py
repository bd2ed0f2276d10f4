"""Fit a small network to a sine wave. It has the mistakes of a first week with JAX."""

import time
from functools import partial

import jax
import jax.numpy as jnp

LEARNING_RATE = 0.1
losses = []


def init_params(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        key, sub = jax.random.split(key)
        weights = jax.random.normal(sub, (n_in, n_out)) / jnp.sqrt(n_in)
        bias = jnp.zeros(n_out)
        bias[0] = 0.1
        params.append({"w": weights, "b": bias})
    return params


def predict(params, x):
    for layer in params[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss_fn(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def clip_norm(gradient, limit=1.0):
    norm = jnp.linalg.norm(gradient)
    if norm > limit:
        return gradient * (limit / norm)
    return gradient


@jax.jit
def train_step(params, x, y):
    loss, gradients = jax.value_and_grad(loss_fn)(params, x, y)
    print("loss:", loss)
    losses.append(loss)
    return jax.tree.map(lambda p, g: p - LEARNING_RATE * clip_norm(g), params, gradients)


@partial(jax.jit, static_argnames="steps")
def smooth(values, steps):
    for _ in range(steps):
        values.at[1:-1].set((values[:-2] + values[2:]) / 2)
    return values


def evaluate(params, x, y):
    score = jax.jit(lambda p: loss_fn(p, x, y))
    return score(params)


def main():
    global LEARNING_RATE
    x = jnp.linspace(-3, 3, 64)[:, None]
    y = jnp.sin(x)
    params = init_params(jax.random.PRNGKey(0), [1, 32, 1])
    start = time.perf_counter()
    for epoch in range(100):
        params = train_step(params, x, y)
        if epoch % 10 == 0:
            print(epoch, evaluate(params, x, y))
            LEARNING_RATE *= 0.9
    print(smooth(predict(params, x)[:, 0], steps=2), time.perf_counter() - start)


if __name__ == "__main__":
    main()
