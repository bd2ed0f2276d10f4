"""A script that starts workers by default, with a model in memory."""

import concurrent.futures
import multiprocessing

import jax.numpy as jnp


def load(number):
    return abs(number)


TABLE = jnp.arange(8)


def main():
    queue = multiprocessing.SimpleQueue()
    worker = multiprocessing.Process(target=queue.put, args=(1,), daemon=True)
    worker.start()  # JXL908
    worker.join()
    with concurrent.futures.ProcessPoolExecutor(max_workers=1) as executor:
        future = executor.submit(abs, -3)  # JXL908
    return queue.get(), future.result()


RESULT = main()


def trigger():
    return RESULT, TABLE.shape
