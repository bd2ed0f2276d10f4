"""Agents. `fit` is the function here, not the module that it is in."""

from .fit import *
from .policy import Greedy, act
