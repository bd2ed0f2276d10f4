"""A script that asks for forks."""

from multiprocessing import Pool, set_start_method

import jax


def trigger():
    set_start_method("fork")
    key = jax.random.key(1)
    with Pool(1) as pool:  # JXL908
        return pool.map(abs, [-2]), key.shape
