"""A small regression with mistakes that raise nothing, or only when someone looks."""

import jax
import jax.numpy as jnp

RATE = 0.1
losses = []


@jax.jit
def loss_fn(w, x, y):
    pred = jnp.dot(x, w)
    return jnp.mean((pred - y) ** 2)


@jax.jit
def step(w, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(w, x, y)
    print("loss", loss)
    losses.append(loss)
    return w - RATE * grads


def clip(v, limit):
    if v > limit:
        return limit
    return v


@jax.jit
def guarded(w):
    return clip(jnp.sum(w), 3.0)


def evaluate(w, x):
    predict = jax.jit(lambda v: jnp.dot(v, w))
    return predict(x)


def main():
    global RATE
    key = jax.random.key(0)
    x = jax.random.normal(key, (32, 4))
    y = jax.random.normal(key, (32,))
    w = jnp.zeros(4)
    for i in range(5):
        w = step(w, x, y)
        evaluate(w, x)
    RATE = 0.01
    w = step(w, x, y)
    for n in range(12, 32):
        loss_fn(w, x[:n], y[:n])
    try:
        guarded(w)
    except jax.errors.JAXTypeError as error:
        print("no luck:", type(error).__name__)


if __name__ == "__main__":
    main()
