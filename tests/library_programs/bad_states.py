"""After google/flax#2467 and #4045, google-deepmind/optax#159, #424 and #1036."""

import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training import train_state

X, Y = jnp.ones((4, 3)), jnp.zeros((4, 1))


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.BatchNorm(use_running_average=not train)(nn.Dense(2)(x))
        return nn.Dense(1)(x)


class TrainState(train_state.TrainState):
    batch_stats: dict


@jax.jit
def old_collection(params, opt_state, batch_stats):
    def loss(params):
        variables = {"params": params, "batch_stats": batch_stats}
        out, changed = Net().apply(variables, X, train=True, mutable=["batch_stats"])
        return jnp.mean((out - Y) ** 2), changed["batch_stats"]

    (_, updated_batch_stats), grads = jax.value_and_grad(loss, has_aux=True)(params)
    updates, opt_state = optax.adam(0.1).update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, batch_stats  # JXL811


def trigger_old_collection():
    variables = Net().init(jax.random.key(0), X, train=False)
    params, stats = variables["params"], variables["batch_stats"]
    opt_state = optax.adam(0.1).init(params)
    for _ in range(2):
        params, opt_state, stats = old_collection(params, opt_state, stats)
    return stats


def trigger_epoch():
    """The carry of a scan over batches."""

    def body(carry, x):
        next_carry = jax.tree.map(lambda c: 0.9 * c + 0.1 * x.mean(), carry)
        return carry, x.max()  # JXL811

    return jax.lax.scan(body, {"mean": jnp.zeros(())}, X)


def fit(tx, steps=3):
    def loss_fn(p):
        return jnp.sum(p["body"] ** 2) + jnp.sum(p["head"] ** 2)

    params = {"body": jnp.ones(2), "head": jnp.ones(2)}
    state = tx.init(params)

    @jax.jit
    def step(params, state):
        grads = jax.grad(loss_fn)(params)
        updates, state = tx.update(grads, state, params)  # JXL809
        return optax.apply_updates(params, updates), state

    for _ in range(steps):
        params, state = step(params, state)
    return params


def trigger_only_the_head():
    return fit(optax.masked(optax.adamw(1e-2), mask={"body": False, "head": True}))


def trigger_two_that_leave_one_out():
    one = {"body": False, "head": True}
    return fit(optax.chain(optax.masked(optax.adam(0.1), one), optax.masked(optax.clip(1.0), one)))


class Trainer:
    def __init__(self):
        self.tx = optax.adam(0.1)
        self.w = jnp.zeros(3)

    def gradient(self, w, x):
        return jax.grad(lambda w: jnp.mean((x @ w - 1.0) ** 2))(w)

    def step(self, w, x):
        opt_state = self.tx.init(w)
        updates, opt_state = self.tx.update(self.gradient(w, x), opt_state, w)  # JXL805
        return optax.apply_updates(w, updates), opt_state


def trigger_in_a_method():
    trainer = Trainer()
    w = trainer.w
    for i in range(3):
        w, opt_state = trainer.step(w, X * i)
    return w, opt_state


@functools.partial(jax.jit, static_argnums=0)
def merged_step(graph, state, x, y):
    model, optimizer, metrics = nnx.merge(graph, state)
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
    metrics.update(loss=loss)  # JXL803
    optimizer.update(model, grads)  # JXL803
    return loss


def trigger_merged():
    model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    graph, state = nnx.split((model, optimizer, nnx.MultiMetric(loss=nnx.metrics.Average("loss"))))
    return [merged_step(graph, state, X, Y) for _ in range(3)]
