"""After google/flax#4539, #4847, #5116 and users' training loops: state that changes in a copy."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx

X = jnp.arange(12.0).reshape(6, 2)


class MLP(nnx.Module):
    def __init__(self, din, dhidden, rngs):
        self.linear1 = nnx.Linear(din, dhidden, rngs=rngs)
        self.dropout = nnx.Dropout(rate=0.5, rngs=rngs)
        self.linear2 = nnx.Linear(dhidden, din, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.linear1(x))
        return self.linear2(self.dropout(x))


@jax.jit
def forward(module, x):
    return module(x)  # JXL801


def trigger_dropout_under_jit():
    module = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    return [forward(module, jnp.ones((3, 5))) for _ in range(3)]


@partial(jax.jit, static_argnames=("scale",))
def predict(model, x, scale=1.0):
    hidden = model(x)  # JXL801
    return hidden * scale


def trigger_mlp():
    model = MLP(2, 4, nnx.Rngs(0))
    return [predict(model, X, scale=2.0) for _ in range(3)]


class RunningMean(nnx.Module):
    def __init__(self, size):
        self.mean = nnx.Variable(jnp.zeros(size))
        self.n = nnx.Variable(jnp.zeros(()))

    def update(self, x):
        self.n.value += 1
        self.mean.value = self.mean.value + (x - self.mean.value) / self.n.value

    def __call__(self, x):
        self.update(x)
        return x - self.mean.value


@jax.jit
def normalize(stats, x):
    return stats(x)  # JXL801


def trigger_running_mean():
    stats = RunningMean(2)
    return [normalize(stats, row) for row in X]


class ConvBlock(nnx.Module):
    def __init__(self, rngs):
        self.conv = nnx.Conv(1, 2, kernel_size=(3, 3), rngs=rngs)
        self.bn = nnx.BatchNorm(2, momentum=0.9, rngs=rngs)

    def __call__(self, x):
        return nnx.relu(self.bn(self.conv(x)))


def mse(model, images):
    out = model(images)  # JXL801
    return (out**2).mean()


@nnx.jit
def train_step(model, images):
    loss, grads = jax.value_and_grad(mse)(model, images)
    return loss, grads


def trigger_batch_norm():
    block = ConvBlock(nnx.Rngs(0))
    for _ in range(3):
        train_step(block, jnp.ones((2, 4, 4, 1)))
    return block.bn.var[...]


def sample(rngs, shape):
    return jax.random.normal(rngs.sample(), shape)


@jax.jit
def rollout(rngs, x):
    noise = sample(rngs, x.shape)  # JXL801
    return x + noise


def trigger_rollout():
    rngs = nnx.Rngs(sample=0)
    return [rollout(rngs, X) for _ in range(3)]


class Encoder(nnx.Module):
    def __init__(self, rngs):
        self.mean = nnx.Linear(2, 2, rngs=rngs)
        self.rngs = rngs

    def __call__(self, x):
        return self.mean(x) + jax.random.normal(self.rngs.noise(), x.shape)


class VAE(nnx.Module):
    def __init__(self, rngs):
        self.encoder = Encoder(rngs)
        self.decoder = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.decoder(self.encoder(x))


reconstruct = jax.jit(lambda vae, x: vae(x))  # JXL801


def trigger_vae():
    vae = VAE(nnx.Rngs(0, noise=1))
    return [reconstruct(vae, X) for _ in range(3)]


def train(cell, xs):
    @jax.jit
    def step(cell, x):
        cell.steps[...] += 1  # JXL801
        return x * cell.scale

    for x in xs:
        step(cell, x)
    return cell.steps[...]


class Cell(nnx.Module):
    def __init__(self):
        self.steps = nnx.Variable(jnp.zeros(()))
        self.scale = 2.0


def trigger_local_step():
    return train(Cell(), X)


class Cached(nnx.Module):
    def __init__(self):
        self.cache = nnx.Cache(jnp.zeros(2))

    def decode(self, x):
        self.cache.value = x
        return x + 1


@jax.checkpoint
def block(model, x):
    return model.decode(x)  # JXL801


def trigger_checkpoint():
    model = Cached()
    block(model, X[1])
    return model.cache.value


def trigger_vmapped():
    model = Cell()
    jax.vmap(lambda model, x: counted(model, x), in_axes=(None, 0))(model, X)  # JXL801
    return model.steps[...]


def counted(model, x):
    model.steps[...] += 1
    return x


class Agent(nnx.Module):
    def __init__(self, rngs):
        self.policy = nnx.Linear(2, 2, rngs=rngs)
        self.rngs = rngs

    @jax.jit
    def act(self, observation):
        key = self.rngs.action()  # JXL801
        return jax.random.categorical(key, self.policy(observation))


def trigger_agent():
    agent = Agent(nnx.Rngs(0, action=1))
    return [agent.act(jnp.zeros((40, 2))) for _ in range(3)]
