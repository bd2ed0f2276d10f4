"""Programs of several processes after reports of hangs: what is found is exactly what is marked.

They are written as fixtures are, and two processes have run them as they run those: copy one into
``fixtures/JXL904_gated_collective`` and ``jaxlint confirm --rule JXL904`` does so again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.cluster import free_port
from jaxlint.confirm.fixtures.find import read_marks
from jaxlint.confirm.fixtures.together import run_together
from jaxlint.knowledge.processes import COLLECTIVES

PROGRAMS = sorted((Path(__file__).parent / "process_programs").glob("*.py"))
MISSED = ("trigger_match", "trigger_jit_identity_replicate")


def found(text: str, code: str = "JXL904") -> set[int]:
    """Where a rule speaks."""
    return {finding.line for finding in check_source(text, "x.py", Options(select=(code,)))}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_findings_are_the_marks(path: Path) -> None:
    text = path.read_text("utf-8")
    assert found(text) <= set(read_marks(text))
    missed = len(MISSED) if path.stem == "bad_programs" else 0
    assert len(set(read_marks(text)) - found(text)) == missed


TIMED = """
import time

import jax
import numpy as np
from jax.experimental import multihost_utils

jax.distributed.initialize()
CALLS = {
    "sync_global_devices": lambda f: f("name"),
    "assert_equal": lambda f: f(np.ones(2), "message"),
}


def trigger():
    waited = {}
    for name in NAMES:
        multihost_utils.sync_global_devices(name)
        if jax.process_index() == 1:
            time.sleep(0.4)
        call = CALLS.get(name, lambda f: f(np.ones(2)))
        start = time.perf_counter()
        call(getattr(multihost_utils, name))
        waited[name] = time.perf_counter() - start > 0.3
    return waited
"""


def test_a_process_waits_for_the_others_in_every_collective(tmp_path: Path) -> None:
    names = sorted(name.rpartition(".")[2] for name in COLLECTIVES)
    program = tmp_path / "program.py"
    program.write_text(TIMED.replace("NAMES", repr(names)))
    task = {"path": str(program), "trigger": "trigger", "stays": True, "without": [], "first": []}
    first, second = run_together(task, 2)
    assert first.result == repr(dict.fromkeys(names, True))
    assert not second.failed


def test_a_port_is_free() -> None:
    assert free_port() != free_port()


GATED = """
import jax
from jax.experimental.multihost_utils import sync_global_devices

def save():
{lines}
"""


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("    if jax.process_index() == 0:\n        sync_global_devices('x')", 7),
        (
            "    if jax.process_index() != 0:\n        raise OSError\n    sync_global_devices('x')",
            0,
        ),
        ("    if jax.process_index() >= 0:\n        sync_global_devices('x')", 0),
        ("    if jax.process_index() % 8 == 0:\n        sync_global_devices('x')", 0),
        ("    if jax.process_count() > 1:\n        sync_global_devices('x')", 0),
        (
            "    if jax.process_index() == 0:\n        sync_global_devices('x')\n"
            "    else:\n        unseen()",
            0,
        ),
        (
            "    if jax.process_count() > 1 and jax.process_index() == 0:\n"
            "        sync_global_devices('x')",
            7,
        ),
        (
            "    if jax.process_count() == 1 and jax.process_index() == 0:\n"
            "        sync_global_devices('x')",
            0,
        ),
    ],
)
def test_which_processes_get_there(lines: str, line: int) -> None:
    assert found(GATED.replace("{lines}", lines)) == ({line} if line else set())


MESH = """
import jax
import numpy as np

def save(shape):
    mesh = jax.make_mesh(axis_names=("data",), axis_shapes=SIZES)
    if jax.process_index() == 0:
        jax.device_put(np.ones(8), jax.NamedSharding(mesh, jax.P("data")))
"""


@pytest.mark.parametrize(
    ("sizes", "line"),
    [
        ("(jax.device_count(),)", 8),
        ("(4,)", 0),
        ("shape", 0),
        ("(jax.device_count(),), devices=jax.local_devices()", 0),
    ],
)
def test_a_mesh_may_be_of_the_devices_of_one_process(sizes: str, line: int) -> None:
    assert found(MESH.replace("SIZES", sizes)) == ({line} if line else set())


UNEQUAL = """
import os, time
import jax
import numpy as np

mesh = jax.make_mesh((jax.device_count(),), ("data",))
whole, cut = jax.NamedSharding(mesh, jax.P()), jax.NamedSharding(mesh, jax.P("data"))
init = lambda key: jax.random.normal(key, (4,))
rank = jax.process_index()

def begin(key, seen, seed=None):
{lines}
"""


def given(key: str, where: str) -> str:
    """A function that draws with a key, on devices that ``where`` says."""
    return f"key = jax.random.key({key})\nreturn jax.jit(init, {where})(key)"


def split(test: str) -> str:
    """The same where the key has been split behind a test."""
    before = f"key = jax.random.key(1)\nif {test}:\n    key, _ = jax.random.split(key)"
    return f"{before}\nreturn jax.jit(init, out_shardings=whole)(key)"


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (given("int(time.time())", "out_shardings=whole"), 13),
        (given("int(time.time())", "in_shardings=whole"), 13),
        (given("int(time.time())", "out_shardings=cut"), 13),
        (given("int(time.time())", "keep_unused=True"), 0),
        (given("rank", "out_shardings=whole"), 13),
        (given("rank", "out_shardings=cut"), 0),
        (given("seen", "out_shardings=whole"), 0),
        ("seed = seen or os.getpid()\nreturn jax.device_put(seed, whole)", 0),
        ("seed = os.getpid() % 7\nreturn jax.device_put(seed, whole)", 13),
        ("seed = -abs(os.getpid())\nreturn jax.device_put({'seed': np.array(seed)}, whole)", 13),
        (
            "weight = jax.device_put(np.ones(4), whole)\n"
            "return jax.jit(lambda w, batch: w * batch)(weight, np.ones(4) * rank)",
            13,
        ),
        (
            "weight = jax.device_put(np.ones(4), whole)\n"
            "return jax.jit(lambda w, key: w + init(key))(weight, jax.random.key(rank))",
            0,
        ),
        (
            "if rank == 0:\n    key = jax.random.key(os.getpid())\n"
            "    return jax.jit(init, out_shardings=whole)(key)",
            0,
        ),
        (split("rank == 0"), 15),
        (split("seen and rank == 0"), 15),
        (split("rank >= 0"), 0),
        (split("seen"), 0),
        (split("jax.process_count() > 1"), 0),
        (split("jax.process_count() == 1 and rank == 0"), 0),
        (
            "shard = jax.shard_map(init, mesh=mesh, in_specs=jax.P(), out_specs=jax.P())\n"
            "return shard(jax.random.key(os.getpid()))",
            13,
        ),
    ],
)
def test_what_is_another_value_in_each_process(lines: str, line: int) -> None:
    text = UNEQUAL.replace("{lines}", "    " + lines.replace("\n", "\n    "))
    assert found(text, "JXL909") == ({line} if line else set())
