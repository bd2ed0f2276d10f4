"""Odds and ends."""

import functools
import time

CALLS = {}


def jit(function):
    """Just in time for the report: counts calls. It compiles nothing."""

    @functools.wraps(function)
    def counted(*args):
        CALLS[function.__name__] = CALLS.get(function.__name__, 0) + 1
        return function(*args)

    return counted


class Timer:
    def __enter__(self):
        self.before = time.perf_counter()
        return self

    def __exit__(self, *error):
        self.seconds = time.perf_counter() - self.before
