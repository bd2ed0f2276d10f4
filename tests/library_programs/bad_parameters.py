"""After google-deepmind/optax#145, RobertTLange/evosax#108 and google/brax#647."""

import jax
import jax.numpy as jnp
import optax

PARAMS = {"w": jnp.zeros(2)}


def loss(params, target=20.0):
    return ((params["w"] - jnp.array([1.0, -target])) ** 2).sum()


def trigger_weight_decay():
    schedule = optax.cosine_decay_schedule(1e-3, 100)
    tx = optax.chain(optax.sgd(0.1), optax.adamw(schedule))
    opt_state = tx.init(PARAMS)
    grads = jax.grad(loss)(PARAMS)
    updates, opt_state = tx.update(grads, opt_state)  # JXL804
    return optax.apply_updates(PARAMS, updates)


def trigger_clipped():
    tx = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(learning_rate=optax.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 100)),
    )
    return tx.update(jax.grad(loss)(PARAMS), tx.init(PARAMS))  # JXL804


def trigger_trust_ratio():
    tx = optax.chain(optax.scale_by_adam(), optax.scale_by_trust_ratio(), optax.scale(-1e-3))
    return tx.update(jax.grad(loss)(PARAMS), tx.init(PARAMS))  # JXL804


def make_step(optimizer):
    @jax.jit
    def step(params, opt_state):
        grads = jax.grad(loss)(params)
        updates, opt_state = optimizer.update(grads, opt_state)  # JXL804
        return optax.apply_updates(params, updates), opt_state

    return step


def trigger_factory():
    optimizer = optax.lion(learning_rate=1e-4)
    return make_step(optimizer)(PARAMS, optimizer.init(PARAMS))


class Strategy:
    def __init__(self, lrate=0.1):
        self.tx = optax.adan(lrate)
        self.state = self.tx.init(PARAMS)

    def tell(self, grads):
        updates, self.state = self.tx.update(grads, self.state)  # JXL804
        return updates


def trigger_strategy():
    return Strategy().tell(jax.grad(loss)(PARAMS))
