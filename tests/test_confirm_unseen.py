"""What libraries and settings do to the user's own program, where no finding predicted it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax")

from tests.test_confirm_program import report_of, script

OPTIMIZER = """\
import jax
import jax.numpy as jnp
import optax

# Whatever comes out of a dictionary made like this is unknown to the linter.
made = {name: getattr(optax, "".join(name))(0.1) for name in ("adam",)}
opt = made["adam"]


@jax.jit
def step(params, state):
    updates, state = opt.update(2 * (params - 1), state, params)
    return optax.apply_updates(params, updates), state


class Trainer:
    def __init__(self):
        self.params = jnp.zeros(2)
        self.state = opt.init(self.params)

    def dropped(self):
        for _ in range(4):
            self.params, _ = step(self.params, self.state)

    def kept(self):
        for _ in range(4):
            self.params, self.state = step(self.params, self.state)


trainer = Trainer()
trainer.dropped()
trainer.kept()
params, state = trainer.params, trainer.state
for _ in range(4):
    params, new_state = step(params, state)
for _ in range(4):
    params, state = step(params, state)
for _ in range(4):
    trial, _ = step(params, state)
"""

COPIES = """\
import jax
import jax.numpy as jnp
from flax import nnx

jits = {name: getattr(module, "".join("jit")) for name, module in (("jax", jax), ("nnx", nnx))}


class Net(nnx.Module):
    def __init__(self):
        self.bn = nnx.BatchNorm(2, rngs=nnx.Rngs(0))

    def __call__(self, x):
        return self.bn(x)


def lost(net, x):
    y = net(x)
    return y.sum()


def returned(net, x):
    y = net(x)
    return y.sum(), net


def shared(net, x):
    y = net(x)
    return y.sum()


net, x = Net(), jnp.ones((3, 2))
jits["jax"](lost)(net, x)
jits["jax"](returned)(net, x)
jits["nnx"](shared)(net, x)
"""

SETTINGS = """\
import os
import sys

import jax
import jax.numpy as jnp


def put(name, value):
    os.environ[name] = value


put("HOME", "elsewhere")
put(sys.argv[1], "1")
os.environ.update({sys.argv[2]: "--xla_force_host_platform_device_count=2"})
jnp.ones(3)
os.environ.update({sys.argv[2]: "--xla_force_host_platform_device_count=4"})
os.environ.setdefault(sys.argv[1], "1")
"""


def missed(folder: Path, text: str, *words: str) -> list[tuple[str, int, str]]:
    """What a program did that nobody predicted: kind, line, name."""
    report = report_of(folder, *script(folder, text), *words)
    return [(each["kind"], each["line"], each["what"]) for each in report["missed"]]


def test_a_state_of_an_optimizer_that_nobody_keeps(tmp_path: Path) -> None:
    pytest.importorskip("optax")
    assert missed(tmp_path, OPTIMIZER) == [
        ("stale-optimizer", 23, "self.state"),
        ("stale-optimizer", 35, "state"),
    ]


def test_an_object_of_nnx_that_changes_in_a_copy(tmp_path: Path) -> None:
    pytest.importorskip("flax.nnx")
    assert missed(tmp_path, COPIES) == [("lost-state", 17, "net")]


def test_a_variable_that_jax_has_read_already(tmp_path: Path) -> None:
    assert missed(tmp_path, SETTINGS, "JAX_ENABLE_X64", "XLA_FLAGS") == [
        ("late-setting", 9, "JAX_ENABLE_X64"),
        ("late-setting", 16, "XLA_FLAGS"),
    ]


CHILDREN = """
import multiprocessing

multiprocessing.get_context("spawn").Process(target=print).run()
"""


def test_a_variable_for_other_processes(tmp_path: Path) -> None:
    assert missed(tmp_path, SETTINGS + CHILDREN, "JAX_ENABLE_X64", "XLA_FLAGS") == []
