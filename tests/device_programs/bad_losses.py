"""Losses of all pairs: each trigger with a mark returns the mean of n * n differences."""

import jax
import jax.numpy as jnp
import numpy as np
import optax


# https://github.com/jax-ml/jax/issues/2697
def mean_squared(params, x, y):
    prediction = x @ params
    return ((prediction - y) ** 2).mean()  # JXL312


def trigger_column():
    return jax.grad(mean_squared)(jnp.ones((3, 1)), jnp.ones((4, 3)), jnp.ones(4))


class Regression:
    """The linear model of tutorials."""

    def __init__(self, key, features):
        self.params = {"w": jax.random.normal(key, (features, 1)), "b": jnp.zeros(1)}

    def predict(self, params, x):
        return jnp.dot(x, params["w"]) + params["b"]

    def loss(self, params, x, y):
        residual = self.predict(params, x) - y  # JXL312
        return jnp.mean(jnp.square(residual))

    def fit(self, x, y, steps):
        grad = jax.jit(jax.grad(self.loss))
        for _ in range(steps):
            grads = grad(self.params, x, y)
            self.params = jax.tree.map(lambda p, g: p - 0.1 * g, self.params, grads)


def trigger_class():
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(100, 2)))
    model = Regression(jax.random.key(0), 2)
    model.fit(jnp.zeros((100, 2)), jnp.zeros(100), steps=3)
    return model.params, x.shape


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [
        (jax.random.normal(k, (m, n)), jnp.zeros((n,)))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:], strict=False)
    ]


def huber(params, batch):
    inputs, targets = batch
    w, b = params
    error = targets - (jnp.tanh(inputs @ w) + b)  # JXL312
    return jnp.where(jnp.abs(error) < 1.0, 0.5 * error**2, jnp.abs(error) - 0.5).mean()


def trigger_optimizer():
    params = (jnp.ones((5, 1)), jnp.zeros(()))
    optimizer = optax.adam(1e-2)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, batch):
        value, grads = jax.value_and_grad(huber)(params, batch)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, value

    for _ in range(2):
        batch = (jnp.ones((16, 5)), jnp.zeros(16))
        params, state, value = step(params, state, batch)
    return value


# Twins in which all is well.
def right(params, x, y):
    return jnp.mean((jnp.ravel(x @ params) - y) ** 2)


def trigger_right():
    return jax.grad(right)(jnp.ones((3, 1)), jnp.ones((4, 3)), jnp.ones(4))


def pairwise_energy(x):
    return jnp.sum(jnp.exp(-((x[:, None] - x) ** 2)))


def trigger_pairs():
    return jax.grad(pairwise_energy)(jnp.arange(4.0))


def per_example(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


def trigger_mapped():
    grads = jax.vmap(jax.grad(per_example), in_axes=(None, 0, 0))
    return grads(jnp.ones((3, 1)), jnp.ones((4, 3)), jnp.ones(4))


def basis(weights, x, centres):
    features = jnp.exp(-((x - centres) ** 2))
    return jnp.mean((features @ weights) ** 2)


def trigger_basis():
    return jax.grad(basis)(jnp.ones(6), jnp.ones((6, 1)), jnp.arange(6.0))


def bias_of_rows(w, x):
    return jnp.mean((x @ w + jnp.arange(4.0)) ** 2)


def trigger_square():
    return jax.grad(bias_of_rows)(jnp.ones((3, 4)), jnp.ones((4, 3)))
