"""When JAX reads its settings: the table against the installed JAX, a few rows of it each time.

``python -m tools.settings --check`` asks them all.
"""

from __future__ import annotations

import ast

import pytest

pytest.importorskip("jax")

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge import settings
from jaxlint.knowledge.measured import signatures
from tools.settings.programs import OPTIONS, VARIABLES, outcome, program

SOME = (
    (VARIABLES["XLA_FLAGS"], "start"),
    (VARIABLES["XLA_PYTHON_CLIENT_MEM_FRACTION"], "start"),
    (OPTIONS["jax_platforms"], "start"),
    (OPTIONS["jax_platform_name"], "default"),
)


def test_the_table_has_the_settings_that_people_use() -> None:
    table = settings.table()
    assert len(table["variables"]) > 100
    for name in ("JAX_ENABLE_X64", "JAX_PLATFORMS", "JAX_DEBUG_NANS", "JAX_DISABLE_JIT"):
        assert table["variables"][name] == "import"
    assert {name for name, read in table["variables"].items() if read == "start"} == (
        VARIABLES.keys() - {"JAX_PLATFORM_NAME"}
    )
    assert "jax_enable_x64" not in table["options"]
    assert "jax_debug_nans" not in table["options"]


@pytest.mark.parametrize(("trial", "read"), SOME)
def test_a_setting_is_read_when_the_table_says(trial, read) -> None:  # type: ignore[no-untyped-def]
    usual = outcome(program(trial, None))
    assert outcome(program(trial, "imported")) != usual
    assert outcome(program(trial, "started")) == usual
    assert (outcome(program(trial, "named")) == usual) == (read == "start")


SAMPLED = 8
"""Of so many functions one is asked: each new start of the backend takes its time."""

OFTEN = ("jax.numpy.", "jax.random.", "jax.nn.")
"""Where the functions are that people call on the host."""


def starts(call) -> bool | None:  # type: ignore[no-untyped-def]
    """Whether a call starts the backend; None when it raises."""
    jax.extend.backend.clear_backends()
    try:
        call()
    except Exception:
        return None
    return bool(jax._src.xla_bridge.backends_are_initialized())


def function_of(name: str):  # type: ignore[no-untyped-def]
    found = jax
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def test_what_starts_the_backend_does() -> None:
    tried = 0
    for name in (*signatures()[::SAMPLED], *settings.FOLLOWS_X64):
        function = function_of(name)
        if function is None or not settings.starts_backend(name) or not name.startswith(OFTEN):
            continue
        for arguments in ((2,), (np.ones((2, 2)),), (np.ones((2, 2)), np.ones((2, 2)))):
            found = starts(lambda f=function, a=arguments: f(*a))
            assert found is not False, f"{name}{arguments}"
            tried += found is True
    assert tried > 30
    for call in (jax.devices, jax.process_index, jax.default_backend, jax.device_count):
        assert starts(call)


def test_what_only_describes_does_not() -> None:
    spec = jax.ShapeDtypeStruct((3,), "float32")
    for call in (
        lambda: jax.jit(lambda x: x), lambda: jax.eval_shape(lambda x: x + 1, spec),
        lambda: jax.sharding.PartitionSpec("x"), lambda: jnp.shape(np.ones(3)),
        lambda: jax.distributed.is_initialized(), lambda: jnp.dtype("float32"),
    ):  # fmt: skip
        assert starts(call) is False


def test_what_follows_x64_does() -> None:
    examples = {
        name: function_of(name)(*([2] * count))
        for name, count in settings.FOLLOWS_X64.items()
        if name != "jax.numpy.linspace"
    }
    with jax.enable_x64(True):
        for name, array in examples.items():
            wide = function_of(name)(*([2] * settings.FOLLOWS_X64[name]))
            assert wide.dtype.itemsize == 2 * array.dtype.itemsize, name


def test_libraries_that_are_installed_import_jax() -> None:
    for name in sorted(settings.IMPORTS_JAX):
        text = f"import importlib.util as u; print(u.find_spec({name!r}) is not None)"
        if ast.literal_eval(outcome(text)):
            assert outcome(f"import sys, {name}; print('jax' in sys.modules)") == "True"
