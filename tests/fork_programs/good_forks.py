"""The same programs as their authors mended them."""

import concurrent.futures
import multiprocessing as mp
import os
import threading

import jax
import jax.numpy as jnp
import numpy as np


def work(*_):
    pass


def ended(process):
    process.join()
    return process.exitcode


EARLY = mp.Process(target=work)
EARLY.start()


def trigger_first():
    code = ended(EARLY)
    return code, jax.local_device_count()


def trigger_workers_before_the_model():
    context = mp.get_context("fork")
    workers = [context.Process(target=work, args=(rank,)) for rank in range(2)]
    for worker in workers:
        worker.start()
    params = jnp.ones((2, 2))
    return [ended(worker) for worker in workers], params.shape


def trigger_spawned():
    key = jax.random.PRNGKey(0)
    context = mp.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.map(abs, [-1, 2]), key.shape


def trigger_executor():
    params = jnp.ones(3)
    spawn = mp.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as executor:
        return list(executor.map(abs, [-1])), params.shape


def trigger_threads():
    params = jnp.ones(3)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        return list(executor.map(abs, [-1])), params.shape


def trigger_numpy_alone():
    table = np.arange(8)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1], table.shape


@jax.jit
def step(x):
    return x + 1


def trigger_nothing_ran_yet():
    wrapped = jax.jit(step)
    process = mp.get_context("fork").Process(target=work)
    process.start()
    return ended(process), wrapped(1.0).item()


def trigger_forkserver():
    mp.set_start_method("forkserver", force=True)
    x = jnp.ones(3)
    process = mp.Process(target=abs, args=(-1,))
    process.start()
    return ended(process), x.shape


def in_a_branch(warm):
    if warm:
        jnp.ones(3)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def trigger_branch():
    return in_a_branch(False)
