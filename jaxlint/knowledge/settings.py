"""Settings that JAX reads once: which they are, and what it is too late after.

``settings.json`` is written by ``python -m tools.settings``, which changes each setting at each
moment in a process of its own. A setting that works whenever it is changed has no row.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from jaxlint.knowledge import dtypes, jax_api, tables
from jaxlint.knowledge.measured import is_measured, usual_kind

Deadline = Literal["import", "start", "default", "arrays"]
"""JAX reads a setting when it is imported, when its backend starts (at the first use of a device),
when it chooses a device itself for the first time, or whenever it makes an array: those that exist
stay as they are."""

ENVIRON = "os.environ"
SETS_VARIABLES = frozenset({"os.environ.setdefault", "os.environ.update", "os.putenv"})
"""Functions that change the environment, besides ``os.environ[...] =``."""

SETS_OPTIONS = frozenset({"jax.config.update", "jax.config.config.update"})
"""Functions that change an option of JAX."""

X64 = "jax_enable_x64"
"""The option that arrays made before it is turned on do not follow."""

ASYNC_ON_CPU = "jax_cpu_enable_async_dispatch"
"""The option without which each program on the CPU has ended when its call returns."""

CHANGES = frozenset({"environ", "putenv", "config", "initialize"})
"""Names of which a file that changes settings reads at least one."""

OTHER_PROCESSES = frozenset(
    {"subprocess", "Popen", "multiprocessing", "Process", "Pool", "ProcessPoolExecutor", "spawn",
     "fork", "execv", "execve", "execvp", "execl", "system", "ray", "submitit", "tensorflow", "tf",
     "torch"}
)  # fmt: skip
"""Names whose use means that what a file puts into the environment may be meant for others."""

IMPORTS_JAX = frozenset({"jax", "flax", "optax", "equinox", "haiku", "chex"})
"""Packages whose import imports JAX."""

FOLLOWS_X64: dict[str, int] = {
    "jax.numpy.array": 1, "jax.numpy.asarray": 1, "jax.numpy.zeros": 1, "jax.numpy.ones": 1,
    "jax.numpy.empty": 1, "jax.numpy.full": 2, "jax.numpy.arange": 3, "jax.numpy.linspace": 3,
    "jax.numpy.eye": 3, "jax.numpy.identity": 1,
}  # fmt: skip
"""Functions whose arrays of numbers are as wide as the option says, and how many arguments come
before the one that says it for them."""

_STARTS = frozenset(
    f"jax.{name}"
    for name in (
        "devices", "device_count", "local_devices", "local_device_count", "default_backend",
        "process_index", "process_count", "device_put", "make_mesh", "live_arrays",
    )
)  # fmt: skip

_NAMES_DEVICES: dict[str, int] = {
    "jax.devices": 0, "jax.device_count": 0, "jax.local_devices": 1, "jax.local_device_count": 0,
    "jax.process_index": 0, "jax.process_count": 0, "jax.live_arrays": 0, "jax.device_put": 1,
}  # fmt: skip
"""Functions, and which of their arguments says which platform or device it is about."""

DEVICE_ARGUMENTS = frozenset({"backend", "platform", "device", "devices"})
"""What such an argument is called."""

_MAKERS = jax_api.KEY_MAKERS | dtypes.SCALAR_TYPES


def table() -> dict[str, Any]:
    """The file."""
    return tables.table("settings")


def deadline_of_variable(name: str) -> Deadline | None:
    """When JAX reads a variable of the environment; None when it does not, or each time."""
    found: Deadline | None = table()["variables"].get(name)
    return found


def deadline_of_option(name: str) -> Deadline | None:
    """When JAX reads an option of ``jax.config``; None when that is each time."""
    found: Deadline | None = table()["options"].get(name)
    return found


def deadline_of_call(name: str) -> Deadline | None:
    """What a function must come before; None when it may come any time."""
    found: Deadline | None = table()["calls"].get(name)
    return found


def names_devices(name: str) -> int | None:
    """Which argument of a function of JAX says which platform or device it is about."""
    return _NAMES_DEVICES.get(name)


@cache
def starts_backend(name: str) -> bool:
    """Whether a call of a function of JAX on the host starts the backend: every array needs it."""
    if name in _STARTS or name in FOLLOWS_X64 or name in _MAKERS:
        return True
    if not name.startswith(f"{jax_api.PACKAGE}."):
        return False  # NumPy's are measured, too.
    return is_measured(name) and usual_kind(name) in ("array", "tuple")
