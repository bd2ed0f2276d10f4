"""What a trainer calls, within its compiled step or after it."""

import jax.numpy as jnp


class Watcher:
    def inside(self, value):
        pass

    def after(self, value):
        pass


class Stop(Watcher):
    def inside(self, value):
        if value < 0.0:  # here: stop
            raise RuntimeError("negative")


class Log(Watcher):
    def after(self, value):
        if value > 1.0:
            print(float(value))


class Keep(Watcher):
    def __init__(self):
        self.values = []

    def inside(self, value):
        self.values.append(value)  # here: keep


class Median(Watcher):
    def __init__(self):
        self.values = []

    def after(self, value):
        self.values.append(float(value))


LIMIT = 1.0


def clipped(weights, batch):
    return jnp.clip(square(weights, batch), 0.0, LIMIT)  # here: limit


def square(weights, batch):
    return jnp.mean((batch @ weights) ** 2)
