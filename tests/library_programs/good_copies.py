"""The same programs as their authors mended them, and what looks alike."""

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


@nnx.jit
def forward(module, x):
    return module(x)


def trigger_dropout_under_nnx_jit():
    module = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    first, second = forward(module, jnp.ones((3, 5))), forward(module, jnp.ones((3, 5)))
    assert (first != second).any()


@partial(jax.jit, static_argnames=("scale",))
def predict(model, x, scale=1.0):
    return model(x) * scale


def trigger_eval_mode():
    model = MLP(2, 4, nnx.Rngs(0))
    model.eval()
    return [predict(model, X, scale=2.0) for _ in range(3)]


def trigger_switched_off_by_hand():
    model = MLP(2, 4, nnx.Rngs(0))
    model.set_attributes(deterministic=True)
    return predict(model, X)


class Cell(nnx.Module):
    def __init__(self):
        self.steps = nnx.Variable(jnp.zeros(()))
        self.scale = 2.0

    def __call__(self, x):
        self.steps[...] += 1
        return x * self.scale


@jax.jit
def functional(graphdef, state, x):
    cell = nnx.merge(graphdef, state)
    y = cell(x)
    _, state = nnx.split(cell)
    return y, state


def trigger_functional():
    graphdef, state = nnx.split(Cell())
    for x in X:
        _, state = functional(graphdef, state, x)
    return nnx.merge(graphdef, state).steps[...]


@jax.jit
def returned(cell, x):
    y = cell(x)
    return cell, y


def trigger_returned():
    cell = Cell()
    for x in X:
        cell, _ = returned(cell, x)
    return cell.steps[...]


@jax.jit
def in_a_dict(cell, x):
    y = cell(x)
    return {"y": y, "cell": cell}


def trigger_in_a_dict():
    return in_a_dict(Cell(), X)["cell"].steps[...]


def carried(cell, x):
    y = cell(x)
    return cell, y


def trigger_carried():
    return jax.lax.scan(carried, Cell(), X)[0].steps[...]


def loss_fn(params, graphdef, rest, x):
    model = nnx.merge(graphdef, params, rest, copy=True)
    loss = (model(x) ** 2).mean()
    return loss, nnx.state(model, nnx.BatchStat)


class Normed(nnx.Module):
    def __init__(self, rngs):
        self.bn = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.bn(x)


def trigger_split_gradient():
    graphdef, params, rest = nnx.split(Normed(nnx.Rngs(0)), nnx.Param, ...)
    (_, stats), _ = jax.value_and_grad(loss_fn, has_aux=True)(params, graphdef, rest, X)
    return stats


@nnx.jit
def train_step(model, x):
    return nnx.value_and_grad(lambda model: (model(x) ** 2).mean())(model)


def trigger_train_step():
    model = Normed(nnx.Rngs(0))
    train_step(model, X)
    return model.bn.mean[...]


@jax.jit
def draw(key, x):
    rngs = nnx.Rngs(key)
    return x + jax.random.normal(rngs.noise(), x.shape)


def trigger_draw():
    return [draw(jax.random.key(i), X) for i in range(3)]


class Frozen(nnx.Module):
    def __init__(self, rngs):
        self.bn = nnx.BatchNorm(2, use_running_average=True, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, deterministic=True, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.bn(x))


def trigger_frozen():
    frozen = Frozen(nnx.Rngs(0))
    return jax.jit(lambda model, x: model(x))(frozen, X), jax.jit(lambda x: frozen(x))(X)


def trigger_create():
    @nnx.jit
    def create():
        return MLP(2, 4, nnx.Rngs(0))

    return create()(X)


def trigger_vmapped_weights():
    @nnx.vmap
    def create(key):
        return nnx.Linear(2, 2, rngs=nnx.Rngs(key))

    models = create(jax.random.split(jax.random.key(0), 3))
    return jax.vmap(lambda model: model(X))(models)
