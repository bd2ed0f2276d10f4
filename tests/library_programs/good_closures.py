"""Objects that are passed, do not change, or are closed over on the host alone."""

import jax
import jax.numpy as jnp
from flax import nnx

X = jnp.arange(12.0).reshape(6, 2)


class Counter(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(jnp.array(0.0))

    def __call__(self):
        self.count.value += 1


def trigger_passed():
    counter = Counter()
    nnx.jit(lambda counter: counter())(counter)
    return counter.count.value


class Renderer(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def render(self, state):
        return self.linear(state)


def trigger_vmapped_method():
    return jax.vmap(Renderer(nnx.Rngs(0)).render)(X)


class Learner:
    def __init__(self):
        self.dropout = nnx.Dropout(0.1, rngs=nnx.Rngs(0))
        self.steps = 0

    def learn(self, batch):
        self.steps += 1
        return self._loss(self.dropout, batch)

    @staticmethod
    @nnx.jit
    def _loss(dropout, batch):
        return dropout(batch).mean()


def trigger_learner():
    return Learner().learn(X)


def trigger_key_drawn_before():
    rngs = nnx.Rngs(0)
    key = rngs()
    return jax.jit(lambda x: x + jax.random.uniform(key, x.shape))(X)


def trigger_nnx_scan():
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def body(norm, x):
        return norm, norm(x[None])

    return body(nnx.BatchNorm(2, rngs=nnx.Rngs(0)), X)[1]


def trigger_saliency():
    drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    drop.eval()
    return jax.grad(lambda x: drop(x).sum())(X)


def trigger_host_loop():
    counter = Counter()
    for _ in range(3):
        counter()
    return counter.count.value


def trigger_module_made_in_the_loss():
    def loss(x):
        drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
        return drop(x).sum()

    return jax.grad(loss)(X)
