"""JAX as the matrix wants it: on the CPU, with devices for ``pmap``, quick to compile."""

from __future__ import annotations

import os
from types import ModuleType

DEVICES = 3


def start() -> ModuleType:
    """Import JAX; must come before anyone else does, for the devices to be there."""
    flags = os.environ.get("XLA_FLAGS", "")
    wanted = f"--xla_force_host_platform_device_count={DEVICES} --xla_backend_optimization_level=0"
    os.environ["XLA_FLAGS"] = f"{flags} {wanted}".strip()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    jax.config.update("jax_traceback_filtering", "off")
    return jax
