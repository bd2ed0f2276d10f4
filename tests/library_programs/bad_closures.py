"""After google/flax#3997, #4713, #4720 and maxencefaldor/cax#17: objects of an outer trace."""

import jax
import jax.numpy as jnp
from flax import nnx

X = jnp.arange(12.0).reshape(6, 2)


class Count(nnx.Variable):
    pass


class Counter(nnx.Module):
    def __init__(self):
        self.count = Count(jnp.array(0.0))

    def __call__(self):
        self.count.value += 1  # JXL802


def trigger_jitted_module():
    counter = Counter()
    return nnx.jit(counter)()


class Renderer(nnx.Module):
    def __init__(self):
        self.frames = nnx.Variable(jnp.zeros(()))

    def render(self, state):
        self.frames[...] += 1  # JXL802
        return state * 2


def trigger_vmapped_method():
    renderer = Renderer()
    return jax.vmap(renderer.render)(X)


class Policy(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.dropout = nnx.Dropout(0.1, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.linear(x))  # JXL802


class Learner:
    def __init__(self):
        self.policy = Policy(nnx.Rngs(0))

    def learn(self, batch):
        @jax.jit
        def loss(batch):
            return self.policy(batch).mean()

        return loss(batch)


def trigger_learner():
    return Learner().learn(X)


rngs = nnx.Rngs(0)


@jax.jit
def add_noise(x):
    return x + jax.random.uniform(rngs(), x.shape)  # JXL802


def trigger_global_streams():
    return add_noise(X)


def trigger_scanned_norm():
    norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))

    def body(carry, x):
        return carry, norm(x[None])  # JXL802

    return jax.lax.scan(body, 0.0, X)


def trigger_gradient_of_inputs():
    drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    saliency = jax.grad(lambda x: drop(x).sum())  # JXL802
    return saliency(X)


def trigger_conditional():
    drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    return jax.lax.cond(True, lambda x: drop(x), lambda x: x, X)  # JXL802
