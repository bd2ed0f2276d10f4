"""After google-deepmind/optax#145, RobertTLange/evosax#108 and google/brax#647."""

import jax
import jax.numpy as jnp
import optax

PARAMS = {"w": jnp.zeros(2)}


def loss(params, target=20.0):
    return ((params["w"] - jnp.array([1.0, -target])) ** 2).sum()


def trigger_dropped_in_a_loop():
    tx = optax.rmsprop(0.1)
    params, state = PARAMS, tx.init(PARAMS)
    for _ in range(5):
        grads = jax.grad(loss)(params)
        updates, _ = tx.update(grads, state, params)  # JXL805
        params = optax.apply_updates(params, updates)
    return params


def trigger_clipped_momentum():
    tx = optax.chain(optax.clip(1.0), optax.sgd(0.1, momentum=0.9, nesterov=True))
    params, state = PARAMS, tx.init(PARAMS)
    for _ in range(5):
        updates, _ = tx.update(jax.grad(loss)(params), state)  # JXL805
        params = optax.apply_updates(params, updates)
    return params


adam = optax.adam(0.1)


@jax.jit
def update(params, opt_state, target):
    grads = jax.grad(loss)(params, target)
    updates, _new_state = adam.update(grads, opt_state)  # JXL805
    params = optax.apply_updates(params, updates)
    return params, opt_state


def trigger_returns_the_old_state():
    params, opt_state = PARAMS, adam.init(PARAMS)
    for target in (1.0, 2.0, 3.0):
        params, opt_state = update(params, opt_state, target)
    return params


def trigger_while():
    params, state, n = PARAMS, adam.init(PARAMS), 0
    while n < 4:
        updates, _ignored = adam.update(jax.grad(loss)(params), state)  # JXL805
        params = optax.apply_updates(params, updates)
        n += 1
    return params


def fit(params, steps):
    optimizer = optax.adamw(0.1)
    opt_state = optimizer.init(params)
    for _step in range(steps):
        updates, _ = optimizer.update(jax.grad(loss)(params), opt_state, params)  # JXL805
        params = optax.apply_updates(params, updates)
    return params


def trigger_fit():
    return fit(PARAMS, 4)
