"""The same modules of linen, applied with all that their layers ask for."""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp

X = jnp.ones((2, 8))


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

    def loss_fn(params, x, y, key):
        predicted = model.apply(params, x, training=True, rngs={"dropout": key})
        return jnp.mean((predicted - y) ** 2)

    return jax.value_and_grad(loss_fn)(params, X, jnp.zeros((2, 4)), jax.random.key(1))


def trigger_by_default():
    model = MLP()
    return model.apply(model.init(jax.random.key(0), X), X)


class ConvBlock(nn.Module):
    train: bool

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(4, (3,))(x)
        return nn.BatchNorm(use_running_average=not self.train, momentum=0.9)(x)


def trigger_module_that_trains():
    variables = ConvBlock(train=True).init(jax.random.key(0), X[None])
    trained = ConvBlock(train=True).apply(variables, X[None], mutable=["batch_stats", "sown"])
    return trained, ConvBlock(train=False).apply(variables, X[None])


class Encoder(nn.Module):
    dropout_rate: float = 0.0

    def setup(self):
        self.attention = nn.SelfAttention(
            num_heads=2, dropout_rate=self.dropout_rate, deterministic=False
        )

    def __call__(self, x):
        return self.attention(x)


def trigger_encoder_without_dropout():
    encoder = Encoder()
    variables = encoder.init(jax.random.key(0), X[None])
    return encoder.apply(variables, X[None])


class Autoencoder(nn.Module):
    def setup(self):
        self.drop = nn.Dropout(0.3)
        self.dense = nn.Dense(8)

    def encode(self, x, train):
        return self.drop(self.dense(x), deterministic=not train)

    def decode(self, x):
        return self.dense(x)

    def __call__(self, x, train):
        return self.decode(self.encode(x, train))


def trigger_method():
    model = Autoencoder()
    variables = model.init(jax.random.key(0), X, False)
    keys = {"dropout": jax.random.key(1)}
    encoded = model.apply(variables, X, True, method=model.encode, rngs=keys)
    return encoded, model.apply(variables, X, method="decode")


class VAE(nn.Module):
    @nn.compact
    def __call__(self, x):
        mean = nn.Dense(2)(x)
        return mean + jax.random.normal(self.make_rng("latent"), mean.shape)


def trigger_latent():
    model = VAE()
    keys = {"params": jax.random.key(0), "latent": jax.random.key(1)}
    params = model.init(keys, X)["params"]
    sample = jax.jit(lambda params, x, keys: model.apply({"params": params}, x, rngs=keys))
    return sample(params, X, {"latent": jax.random.key(2)})


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        norm = functools.partial(nn.BatchNorm, use_running_average=not train)
        return norm()(nn.Dense(4)(x))


def forward(model, variables, x, train, mutable=False):
    return model.apply(variables, x, train, mutable=mutable)


def trigger_statistics():
    model = Net()
    variables = model.init(jax.random.key(0), X, train=True)
    out, new = forward(model, variables, X, True, mutable=["batch_stats"])
    params = variables["params"]
    return out, forward(model, {"params": params, **new}, X, False)


def trigger_mutable_by_mode():
    model = Net()
    variables = model.init(jax.random.key(0), X, train=True)
    found = []
    for train in (True, False):
        collections = ["batch_stats"] if train else []
        found.append(model.apply(variables, X, train=train, mutable=collections))
    return found


class Decoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        index = self.variable("cache", "index", lambda: jnp.zeros((), jnp.int32))
        return x + index.value


def trigger_cache():
    model = Decoder()
    variables = model.init(jax.random.key(0), X)
    return model.apply(variables, X), model.apply({}, X, mutable=["cache"])


class Optional(nn.Module):
    rate: float | None = None

    @nn.compact
    def __call__(self, x, train=True):
        if self.rate is not None:
            x = nn.Dropout(self.rate)(x, deterministic=not train)
        return nn.Dense(2)(x)


def trigger_optional():
    model = Optional()
    return model.apply(model.init(jax.random.key(0), X), X)
