"""Train a small classifier on two spirals. It runs to its end, and is wrong in four places."""

import time

import jax
import jax.numpy as jnp

RATE = 0.5


def spirals(key, count):
    """Points on two arms, and which arm each is on."""
    turns = jax.random.uniform(key, (count,), minval=0.5, maxval=2.0)
    arms = jax.random.bernoulli(key, 0.5, (count,))
    angles = 2 * jnp.pi * turns + jnp.pi * arms
    return turns[:, None] * jnp.stack([jnp.cos(angles), jnp.sin(angles)], 1), arms


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (n_in, n_out)) / jnp.sqrt(n_in), jnp.zeros(n_out))
        for k, n_in, n_out in zip(keys, sizes[:-1], sizes[1:])
    ]


def logits(params, x):
    for weights, bias in params[:-1]:
        x = jnp.tanh(x @ weights + bias)
    weights, bias = params[-1]
    return (x @ weights + bias)[:, 0]


def loss_fn(params, x, arms):
    score = logits(params, x)
    return jnp.mean(jnp.logaddexp(0, score) - arms * score)


@jax.jit
def train_step(params, x, arms):
    loss, gradients = jax.value_and_grad(loss_fn)(params, x, arms)
    print("loss", loss)
    return jax.tree.map(lambda p, g: p - RATE * g, params, gradients)


def accuracy(params, x, arms):
    correct = jax.jit(lambda p: jnp.mean((logits(p, x) > 0) == arms))
    return correct(params)


def main(steps=60):
    global RATE
    key = jax.random.key(0)
    x, arms = spirals(key, 256)
    params = init(jax.random.key(1), [2, 32, 32, 1])
    start = time.perf_counter()
    for step in range(steps):
        params = train_step(params, x, arms)
        if step % 20 == 19:
            print(step, accuracy(params, x, arms))
            RATE = RATE / 2
    jax.block_until_ready(params)
    print("seconds", time.perf_counter() - start)


if __name__ == "__main__":
    main()
