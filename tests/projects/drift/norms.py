"""Lengths of vectors, on the host."""

import numpy as np


def length(x):
    return float(np.sqrt((x**2).sum()))


def unit(x):
    return x / length(x)
