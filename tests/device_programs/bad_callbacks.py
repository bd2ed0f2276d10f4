"""JAX in a callback on the host, after reports: each trigger with a mark never comes back."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

LIKE = jax.ShapeDtypeStruct((500, 500), jnp.float32)
history = []

# https://github.com/jax-ml/jax/issues/24255
eig_jax = jax.jit(jnp.linalg.eigh)


def eig_cpu(matrix):
    values, vectors = eig_jax(matrix)  # JXL907
    return np.asarray(values), np.asarray(vectors)


def trigger_compiled():
    like = (jax.ShapeDtypeStruct((50,), jnp.float32), jax.ShapeDtypeStruct((50, 50), jnp.float32))
    x = jnp.eye(50)
    for _ in range(100):
        _, x = jax.pure_callback(eig_cpu, like, x @ jnp.ones((50, 50)))
    return x


# https://github.com/jax-ml/jax/issues/24720
class Processor:
    def __init__(self, key):
        self.key = key

    def sample(self, logits):
        return np.asarray(jax.random.categorical(self.key, logits))  # JXL907

    def token(self, logits):
        return jax.pure_callback(self.sample, jax.ShapeDtypeStruct((500,), jnp.int32), logits)


def trigger_random():
    processor, logits = Processor(jax.random.key(0)), jnp.ones((500, 500))
    tokens = [processor.token(logits * i) for i in range(200)]
    return np.asarray(tokens)


# https://github.com/jax-ml/jax/issues/25861
def log(arg):
    if arg["step"] % 100 == 0:  # JXL907
        history.append(float(arg["loss"]))


@jax.jit
def step(state, batch):
    w, i = (state["w"] + batch) @ state["w"] / 1000, state["i"] + 1
    jax.debug.callback(log, {"step": i, "loss": w.sum()})
    return {"w": w, "i": i}


def trigger_operator():
    state = {"w": jnp.ones((500, 500)), "i": jnp.int32(0)}
    step(state, jnp.ones((500, 500)))
    for epoch in range(10):
        for _ in range(100):
            state = step(state, np.ones((500, 500), np.float32))
    return state["w"]


# https://github.com/pasteurlabs/tesseract-jax/pull/177
def served(x):
    return {"y": jnp.zeros(x.shape) + np.asarray(x)}  # JXL907


def apply(x):
    return io_callback(served, {"y": LIKE}, x)["y"]


def trigger_made():
    x = jnp.ones((500, 500))
    while True:
        x = apply(x + 1)


@jax.jit
def centred(x):
    return jax.pure_callback(lambda a: np.asarray(a) - np.mean(a), LIKE, x)  # JXL907


def trigger_numpy_asks_the_array():
    x = jnp.ones((500, 500))
    centres = [centred(x * i) for i in range(200)]
    return np.asarray(centres).shape


@jax.jit
def logged(x):
    jax.debug.callback(lambda a: history.append(np.asarray(a).mean()), x)
    return x @ x / 500


def trigger_numpy():
    x = jnp.ones((500, 500))
    for _ in range(200):
        x = logged(x)
    return x


@jax.jit
def peeked(x):
    jax.debug.callback(lambda a: history.append(jnp.mean(a)), x)
    return x @ x / 500


def trigger_looked_at():
    x = jnp.ones((500, 500))
    for i in range(100):
        x = peeked(x)
        print(i, x[0, 0])
    return x


def trigger_once():
    x = peeked(jnp.ones((500, 500)))
    return np.asarray(x)
