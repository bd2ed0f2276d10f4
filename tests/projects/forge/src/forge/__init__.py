"""What is registered here is found by name; what tests are given comes from ``conftest``."""

from . import kernels, plugins, policies  # noqa: F401
from .plugin import Plugin
from .registry import KERNELS, POLICIES, kernel
from .trainer import Trainer

__all__ = ["KERNELS", "POLICIES", "Plugin", "Trainer", "kernel"]
