"""Registries: a dict with a decorator, and an object that keeps what it is handed."""

KERNELS = {}


def register(name):
    def add(function):
        KERNELS[name] = function
        return function

    return add


def kernel(name):
    return KERNELS[name]


class Table:
    def __init__(self):
        self.entries = {}

    def register(self, cls):
        self.entries[cls.__name__] = cls
        return cls

    def build(self, name, *args):
        return self.entries[name](*args)


POLICIES = Table()
