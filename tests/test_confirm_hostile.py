"""``jaxlint confirm`` changes nothing of the program that it watches, whatever goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_command import write

pytest.importorskip("jax")

PROGRAM = """\
import threading

import jax
import jax.numpy as jnp


@jax.jit
def loss(w, x):
    print("tracing", x)
    return jnp.sum(w * x)


def work(count):
    total = 0
    for number in range(count):
        total += number
    return total


found = []
thread = threading.Thread(target=lambda: found.append(work(20)))
thread.start()
thread.join()
loss(jnp.ones(3), jnp.ones(3))
work(20)
print("done", found)
"""


def confirm(
    folder: Path, *command: str, more: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jaxlint", "confirm", "program.py", *more, "--", *command],
        cwd=folder, capture_output=True, text=True, check=False, timeout=200,
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
    )  # fmt: skip


@pytest.mark.parametrize("core", ["ctrace", "pytrace"])
def test_coverage_is_what_it_is_without_us(tmp_path: Path, core: str) -> None:
    write(tmp_path, {"program.py": PROGRAM})
    report = [sys.executable, "-m", "coverage", "json", "-q", "--fail-under=100", "-o", "c.json"]
    command = [sys.executable, "-m", "coverage", "run", "--include=program.py", "program.py"]
    done = confirm(tmp_path, *command, COVERAGE_CORE=core)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "done [190]"), done.stderr
    assert subprocess.run(report, cwd=tmp_path, check=False).returncode == 0
    totals = json.loads((tmp_path / "c.json").read_text("utf-8"))["totals"]
    assert totals["percent_covered"] == 100
    if sys.version_info < (3, 12):
        assert "lines were not seen: another tool (a debugger, coverage)" in done.stderr


FULL = """\
import os, resource

# From here on every file is full.
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
descriptors = len(os.listdir("/proc/self/fd"))
import jax, jax.numpy as jnp

@jax.jit
def loss(x):
    print("tracing")
    return x

for size in range(1, 40):
    loss(jnp.ones(size))
print(len(os.listdir("/proc/self/fd")) - descriptors < 20)
"""


@pytest.mark.parametrize("size", [0, 150, 600])
def test_a_full_disk_is_not_the_programs_trouble(tmp_path: Path, size: int) -> None:
    write(tmp_path, {"program.py": FULL.replace("{size}", str(size))})
    done = confirm(tmp_path, sys.executable, "program.py")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "True"), done.stderr
    assert done.stdout.count("tracing") == 39
    assert "did not come to their end" in done.stderr or "could not" in done.stderr


DAEMON = """\
import jax, jax.numpy as jnp, os

@jax.jit
def loss(x):
    print("tracing")
    return x

loss(jnp.ones(1))
os.closerange(3, 256)
with open("data.txt", "wb", buffering=0) as ours:
    others = [os.dup(ours.fileno()) for _ in range(30)]
    for size in range(1, 40):
        loss(jnp.ones(size))
    ours.write(b"the program's own")
os._exit(0)
"""


def test_a_file_that_took_the_journals_number_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"program.py": DAEMON})
    confirm(tmp_path, sys.executable, "program.py")
    assert (tmp_path / "data.txt").read_bytes() == b"the program's own"
