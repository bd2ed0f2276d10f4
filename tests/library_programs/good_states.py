"""New states that are returned or read, masks that another link completes, states made once."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx

X, Y = jnp.ones((4, 3)), jnp.zeros((4, 1))
tx = optax.adam(0.1)


def loss_fn(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)


def trigger_frozen_statistics():
    """A step that is told not to train."""

    def evaluate(state, x):
        new_state = {"count": state["count"] + 1}
        return state, new_state["count"]

    return evaluate({"count": jnp.zeros(())}, X)


def trigger_line_search():
    """Each try begins from the same state, and the best one is kept."""
    w, best = jnp.ones(3), None
    state = tx.init(w)
    for scale in (0.1, 1.0):
        updates, new_state = tx.update(jax.grad(loss_fn)(w, X * scale), state)
        tried = optax.apply_updates(w, updates)
        if best is None or loss_fn(tried, X) < best[0]:
            best = loss_fn(tried, X), tried, new_state
    return best


def adapt(w, x):
    """The inner loop of a meta-learner makes its own state, for several updates."""
    state = tx.init(w)
    for _ in range(2):
        updates, state = tx.update(jax.grad(loss_fn)(w, x), state)
        w = optax.apply_updates(w, updates)
    return w


def trigger_meta():
    w = jnp.ones(3)
    for i in range(2):
        w = w - 0.1 * jax.grad(lambda w: loss_fn(adapt(w, X * i), X))(w)
    return w


def trigger_each_task_anew():
    found = []
    for i in range(2):
        w = jnp.full(3, float(i))
        state = tx.init(w)
        updates, _ = tx.update(jax.grad(loss_fn)(w, X), state)
        found.append(optax.apply_updates(w, updates))
    return found


def trigger_labels():
    labels = {"body": "freeze", "head": "train"}
    both = optax.multi_transform({"train": optax.sgd(0.1), "freeze": optax.set_to_zero()}, labels)
    params = {"body": jnp.ones(2), "head": jnp.ones(2)}
    state = both.init(params)
    grads = jax.grad(lambda p: jnp.sum(p["body"] ** 2) + jnp.sum(p["head"] ** 2))(params)
    updates, state = both.update(grads, state)
    return optax.apply_updates(params, updates)


def trigger_merged():
    model = nnx.Linear(3, 1, rngs=nnx.Rngs(0))
    graph, state = nnx.split(model)

    @jax.jit
    def forward(state, x):
        merged = nnx.merge(graph, state)
        return merged(x), nnx.state(merged)

    return forward(state, X)


class Shared(nn.Module):
    @nn.compact
    def __call__(self, xs):
        cells = nn.scan(
            nn.LSTMCell, variable_broadcast="params", split_rngs={"params": False}, in_axes=0
        )
        cell = cells(2)
        carry = cell.initialize_carry(jax.random.key(0), xs[0].shape)
        return cell(carry, xs)[1]


def trigger_shared():
    return Shared().init(jax.random.key(0), jnp.ones((2, 1, 3)))
