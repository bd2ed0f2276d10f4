"""Environments."""

from .base import Env
from .pole import Pole, SafePole

__all__ = ["Env", "Pole", "SafePole"]
