"""Agents in environments."""

from . import config
from .core import *
from .core import __all__ as _core

__all__ = ["config", *_core]
