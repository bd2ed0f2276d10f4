"""The same programs mended, and optimizers that need neither parameters nor state."""

import jax
import jax.numpy as jnp
import optax

PARAMS = {"w": jnp.zeros(2)}


def loss(params, target=20.0):
    return ((params["w"] - jnp.array([1.0, -target])) ** 2).sum()


def trigger_weight_decay():
    tx = optax.chain(optax.sgd(0.1), optax.adamw(1e-3))
    opt_state = tx.init(PARAMS)
    updates, opt_state = tx.update(jax.grad(loss)(PARAMS), opt_state, PARAMS)
    return optax.apply_updates(PARAMS, updates)


def make_step(optimizer):
    @jax.jit
    def step(params, opt_state):
        updates, opt_state = optimizer.update(jax.grad(loss)(params), opt_state)
        return optax.apply_updates(params, updates), opt_state

    return step


def trigger_factory():
    optimizer = optax.radam(learning_rate=1e-4)
    return make_step(optimizer)(PARAMS, optimizer.init(PARAMS))


class Strategy:
    def __init__(self, lrate=0.1):
        self.tx = optax.adan(lrate)
        self.state = self.tx.init(PARAMS)

    def tell(self, grads):
        updates, self.state = self.tx.update(grads, self.state, PARAMS)
        return updates


def trigger_strategy():
    return Strategy().tell(jax.grad(loss)(PARAMS))


adam = optax.adam(0.1)


def trigger_tuple_of_both():
    params, state = PARAMS, adam.init(PARAMS)
    for _ in range(3):
        updates, new_state = adam.update(jax.grad(loss)(params), state)
        params, state = optax.apply_updates(params, updates), new_state
    return params


def trigger_inner_steps():
    gathered = []
    for target in (1.0, 2.0):
        state = adam.init(PARAMS)
        updates, _ = adam.update(jax.grad(loss)(PARAMS, target), state)
        gathered.append(optax.apply_updates(PARAMS, updates))
    return gathered


def trigger_sgd():
    sgd = optax.sgd(0.1)
    params, state = PARAMS, sgd.init(PARAMS)
    for _ in range(3):
        updates, _ = sgd.update(jax.grad(loss)(params), state)
        params = optax.apply_updates(params, updates)
    return params


def look_ahead(params, state):
    updates, _ = adam.update(jax.grad(loss)(params), state)
    return optax.apply_updates(params, updates)


def trigger_one_look_ahead():
    return look_ahead(PARAMS, adam.init(PARAMS))


def scanned(carry, target):
    params, state = carry
    updates, state = adam.update(jax.grad(loss)(params, target), state)
    return (optax.apply_updates(params, updates), state), target


def trigger_scan():
    return jax.lax.scan(scanned, (PARAMS, adam.init(PARAMS)), jnp.arange(3.0))


def trigger_chain_of_adam():
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))
    return tx.update(jax.grad(loss)(PARAMS), tx.init(PARAMS))
