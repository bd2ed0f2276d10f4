"""JAX as the matrix wants it: on the CPU, with devices for ``pmap``, quick to compile."""

from __future__ import annotations

import logging
import os

import jax

DEVICES = 3


def start() -> None:
    """Set JAX up; must come before anyone computes anything, for the devices to be there."""
    flags = os.environ.get("XLA_FLAGS", "")
    wanted = f"--xla_force_host_platform_device_count={DEVICES} --xla_backend_optimization_level=0"
    os.environ["XLA_FLAGS"] = f"{flags} {wanted}".strip()
    logging.disable()  # What a callback raises is logged besides.
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_traceback_filtering", "off")
