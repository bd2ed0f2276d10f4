"""Modules of linen applied without what their layers ask for, after reports."""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import linen
from flax.linen import BatchNorm, Dropout, compact

X = jnp.ones((2, 8))


# https://github.com/google/flax/issues/2631
class MLP(nn.Module):
    features: tuple = (8, 4)
    dropout: float = 0.1

    @nn.compact
    def __call__(self, x, training: bool = False):
        for size in self.features:
            x = nn.relu(nn.Dense(size)(x))
            x = nn.Dropout(rate=self.dropout)(x, deterministic=not training)
        return x


def trigger_loss_function():
    model = MLP()
    params = model.init(jax.random.key(0), X)

    def loss_fn(params, x, y):
        return jnp.mean((model.apply(params, x, training=True) - y) ** 2)  # JXL806

    return jax.value_and_grad(loss_fn)(params, X, jnp.zeros((2, 4)))


# https://github.com/google/flax/issues/2675
class ConvBlock(linen.Module):
    train: bool

    @compact
    def __call__(self, x):
        x = linen.Conv(4, (3,))(x)
        x = BatchNorm(use_running_average=not self.train, momentum=0.9)(x)
        return linen.relu(x)


def trigger_module_that_trains():
    variables = ConvBlock(train=False).init(jax.random.key(0), X[None])
    return ConvBlock(train=True).apply(variables, X[None])  # JXL806


class Encoder(nn.Module):
    deterministic: bool = False

    def setup(self):
        self.attention = nn.SelfAttention(
            num_heads=2, dropout_rate=0.2, deterministic=self.deterministic
        )
        self.norm = nn.LayerNorm()

    def __call__(self, x):
        return self.norm(x + self.attention(x))


def trigger_encoder():
    variables = Encoder(deterministic=True).init(jax.random.key(0), X[None])
    encoder = Encoder()
    return encoder.apply(variables, X[None])  # JXL806


class Autoencoder(nn.Module):
    def setup(self):
        self.drop = Dropout(0.3)
        self.dense = nn.Dense(8)

    def encode(self, x, train):
        return self.drop(self.dense(x), deterministic=not train)

    def __call__(self, x, train):
        return self.encode(x, train)


def trigger_method():
    model = Autoencoder()
    variables = model.init(jax.random.key(0), X, False)
    return model.apply(variables, X, True, method=model.encode)  # JXL806


def trigger_method_by_name():
    model = Autoencoder()
    variables = model.init(jax.random.key(0), X, False)
    return model.apply(variables, X, train=True, method="encode")  # JXL806


class VAE(nn.Module):
    @nn.compact
    def __call__(self, x):
        mean, logvar = nn.Dense(2)(x), nn.Dense(2)(x)
        key = self.make_rng("latent")
        return mean + jnp.exp(logvar / 2) * jax.random.normal(key, mean.shape)


def trigger_latent():
    model = VAE()
    keys = {"params": jax.random.key(0), "latent": jax.random.key(1)}
    params = model.init(keys, X)["params"]

    @jax.jit
    def sample(params, x, key):
        return model.apply({"params": params}, x, rngs={"dropout": key})  # JXL806

    return sample(params, X, jax.random.key(2))


def evaluate(model, params, batch, train):
    return model.apply({"params": params}, batch, train)  # JXL806


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        norm = functools.partial(nn.BatchNorm, use_running_average=not train)
        return norm()(nn.Dense(4)(x))


def trigger_statistics_forgotten():
    model = Net()
    variables = model.init(jax.random.key(0), X, train=True)
    return evaluate(model, variables["params"], X, False)


def trigger_not_mutable():
    model = Net()
    variables = model.init(jax.random.key(0), X, train=True)
    step = jax.jit(lambda variables, x: model.apply(variables, x, train=True))  # JXL806
    return step(variables, X)


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        index = self.variable("cache", "index", lambda: jnp.zeros((), jnp.int32))
        return x + index.value


def trigger_cache():
    model = Decoder()
    model.init(jax.random.key(0), X)
    return model.apply({}, X, mutable=False)  # JXL806


class Deep(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        for _ in range(2):
            x = MLP(features=(8,))(x, training=train)
        return nn.Dense(1)(x)


def trigger_deep():
    model = Deep()
    variables = model.init({"params": jax.random.key(0)}, X, train=False)
    return model.apply(variables, X, train=True, mutable=["batch_stats"])  # JXL806
