"""Processes forked where JAX runs, after reports."""

import multiprocessing as mp
import os

import jax
import jax.numpy as jnp
from jax import random


def work(*_):
    pass


def ended(process):
    process.join()
    return process.exitcode


# https://github.com/jax-ml/jax/issues/3382
def trigger_devices():
    print(jax.local_device_count(), "devices")
    process = mp.get_context("fork").Process(target=work)
    process.start()  # JXL908
    return ended(process)


# https://github.com/NVIDIA/TransformerEngine/issues/1394
def trigger_loader():
    params = {"w": random.normal(random.key(0), (2, 2))}
    context = mp.get_context("fork")
    workers = [context.Process(target=work, args=(rank,)) for rank in range(2)]
    for worker in workers:
        worker.start()  # JXL908
    return [ended(worker) for worker in workers], params["w"].shape


class Environments:
    def __init__(self, count):
        self.context = mp.get_context("fork")
        self.count = count

    def run(self):
        with self.context.Pool(self.count) as pool:  # JXL908
            return pool.map(abs, [-1, 2])


def trigger_environments():
    key = jax.random.PRNGKey(0)
    return Environments(2).run(), key.shape


def trigger_daemon():
    state = jax.device_put(jnp.zeros(4))
    pid = os.fork()  # JXL908
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1], state.shape


def evaluate(params):
    with mp.get_context("fork").Manager() as manager:  # JXL908
        return list(manager.list([1, 2])), params.sum().item()


def trigger_manager():
    return evaluate(jnp.ones(3))


def trigger_after_a_step():
    step = jax.jit(lambda x: x * 2)
    step(1.0)
    if (pid := os.fork()) == 0:  # JXL908
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def trigger_every_epoch():
    params = jnp.zeros(2)
    codes = []
    for epoch in range(2):
        process = mp.get_context("fork").Process(target=work, args=(epoch,))
        process.start()  # JXL908
        codes.append(ended(process))
        params = params + 1
    return codes, params.tolist()
