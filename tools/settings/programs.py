"""The programs that are run: one setting, changed at one moment, and what shows its effect."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Moment = Literal["first", "imported", "named", "started"]
"""Before JAX is imported, after that, after a platform was used by its name, after a device that
JAX chose was used."""

STARTED: tuple[Moment, ...] = ("named", "started")
"""The moments after which the backend has started."""

LIMIT = 600.0
_STAND_IN = Path(__file__).with_name("stand_in")
_NO_PLATFORM = "a platform that nobody has"
_PORT = "port = (s := socket.create_server(('localhost', 0))).getsockname()[1]; s.close()"
"""A port that is free."""

_PLUGIN = "import jax_plugins.stand_in as plugin; jax.devices(); print(plugin.OPTIONS)"


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting and what shows whether it has an effect.

    Attributes:
        change: the statement that changes it.
        show: statements that print something else when it works.
        early: the first moment at which it can be changed.
    """

    change: str
    show: str
    early: Moment = "first"


def variable(name: str, value: str, show: str) -> Trial:
    """A variable of the environment."""
    return Trial(f"os.environ[{name!r}] = {value!r}", show)


def option(name: str, value: object, show: str) -> Trial:
    """An option of ``jax.config``."""
    return Trial(f"jax.config.update({name!r}, {value!r})", show, "imported")


VARIABLES = {
    "XLA_FLAGS": variable(
        "XLA_FLAGS", "--xla_force_host_platform_device_count=3", "print(jax.device_count())"
    ),
    "XLA_PYTHON_CLIENT_MEM_FRACTION": variable("XLA_PYTHON_CLIENT_MEM_FRACTION", ".25", _PLUGIN),
    "XLA_CLIENT_MEM_FRACTION": variable("XLA_CLIENT_MEM_FRACTION", ".25", _PLUGIN),
    "XLA_PYTHON_CLIENT_PREALLOCATE": variable("XLA_PYTHON_CLIENT_PREALLOCATE", "false", _PLUGIN),
    "XLA_PYTHON_CLIENT_ALLOCATOR": variable("XLA_PYTHON_CLIENT_ALLOCATOR", "platform", _PLUGIN),
    "CUDA_VISIBLE_DEVICES": variable("CUDA_VISIBLE_DEVICES", "5", _PLUGIN),
    "JAX_PLATFORM_NAME": variable("JAX_PLATFORM_NAME", _NO_PLATFORM, "print(jax.devices())"),
}
"""Variables whose effect no option of ``jax.config`` shows. Those of GPUs are read by a plugin when
JAX starts it; a plugin that stands in for it reads them by the same function of jaxlib."""

OPTIONS = {
    "jax_platforms": option("jax_platforms", _NO_PLATFORM, "print(jax.devices())"),
    "jax_platform_name": option(
        "jax_platform_name", _NO_PLATFORM,
        "print(jax.devices(), jax.default_backend(), jax.numpy.zeros(3), jax.device_put(1.0))",
    ),
    "jax_num_cpu_devices": option("jax_num_cpu_devices", 3, "print(jax.device_count())"),
    "jax_enable_x64": option("jax_enable_x64", True, "print(jax.numpy.zeros(1).dtype)"),
    "jax_debug_nans": option("jax_debug_nans", True, "print(jax.numpy.log(-1.0))"),
    "jax_compilation_cache_dir": option(
        "jax_compilation_cache_dir", "/nowhere", "print(jax.config.jax_compilation_cache_dir)"
    ),
}  # fmt: skip
"""Options of ``jax.config`` that people set late, and some that may be."""

TEXTS = {
    "jax_compilation_cache_dir": "/nowhere", "jax_debug_log_modules": "jax",
    "jax_default_matmul_precision": "float32", "jax_default_prng_impl": "rbg",
    "jax_dump_ir_to": "/nowhere", "jax_logging_level": "ERROR",
    "jax_numpy_dtype_promotion": "strict", "jax_numpy_rank_promotion": "raise",
    "jax_platforms": "cpu", "jax_traceback_filtering": "off", "jax_transfer_guard": "log",
}  # fmt: skip
"""Options that are no numbers, and a value that they do not have of themselves."""

CALLS = {
    "jax.distributed.initialize": Trial(
        f"import socket; {_PORT}; jax.distributed.initialize(f'localhost:{{port}}', 1, 0)",
        "print('initialized')",
        "imported",
    ),
}
"""Functions that must come early."""


def program(trial: Trial, moment: Moment | None) -> str:
    """The trial's program; ``None``: the setting stays as it is."""
    steps: list[tuple[Moment, str]] = [
        ("first", "import os"), ("imported", "import jax"), ("named", "jax.devices('cpu')"),
        ("started", "jax.devices()"),
    ]  # fmt: skip
    lines = []
    for after, step in steps:
        if after in STARTED and after != moment:
            continue
        lines.append(step)
        if after == moment:
            lines.append(trial.change)
    return "\n".join([*lines, trial.show])


def outcome(text: str) -> str:
    """What a program prints in a process of its own, or the exception that ends it."""
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False,
        timeout=LIMIT, env=_environment(),
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["died"])[-1]
        return f"raises {last.split(':')[0]}"
    return done.stdout.strip()


def _environment() -> dict[str, str]:
    """This process's, with nothing in it that JAX reads."""
    prefixes = ("JAX_", "XLA_", "CUDA_")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(prefixes)}
    path = [str(_STAND_IN), *filter(None, [kept.get("PYTHONPATH")])]
    return kept | {"PYTHONPATH": os.pathsep.join(path)}
