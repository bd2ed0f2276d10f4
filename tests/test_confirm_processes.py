"""``jaxlint confirm PATHS --processes N -- COMMAND``: real processes of one cluster under JAX."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jaxlint.confirm.launchers import Launched, launched
from jaxlint.confirm.observer.callee import called_by
from jaxlint.confirm.observer.values import Values
from jaxlint.confirm.program.together import Together
from jaxlint.frontends.command_line import main
from tests.test_command import write

TRAIN = """\
import time

import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils

jax.distributed.initialize()
me = jax.process_index()


@jax.jit
def step(x):
    return x + time.time()


step(jnp.ones(3 + me))
print(f"process {me} of {jax.process_count()}")
if me == 0:
    multihost_utils.sync_global_devices("save")
"""

STEPS = """\
import signal

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

jax.distributed.initialize()
mesh = jax.make_mesh((2,), ("d",))
x = jax.make_array_from_process_local_data(NamedSharding(mesh, PartitionSpec("d")), np.ones(1))


@jax.jit
def step(x):
    return x + jnp.sum(x)


for n in range(2):
    x = step(x)
x.block_until_ready()
if jax.process_index() == 1:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Else it goes, and process 0 fails for that.
print("begins", flush=True)
while jax.process_index() == 0:
    x = step(x)
"""

ALONE = """\
import os
import sys

import jax

print(jax.process_count(), flush=True)
sys.stdout.write("no end of line")
sys.exit(3 * int(os.environ["JAX_PROCESS_ID"]))
"""


def confirm(*options: str) -> list[str]:
    return [sys.executable, "-m", "jaxlint", "confirm", "main.py", *options]


def run(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    write(folder, {"main.py": text})
    return subprocess.run(
        [*confirm("--processes", "2", *options), "--", sys.executable, "main.py"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_cluster_that_hangs_is_ended_and_told(tmp_path: Path) -> None:
    """Seven seconds, two of them for the patience."""
    pytest.importorskip("jax")
    outputs = ("--json", "o.json", "--html", "o.html")
    done = run(tmp_path, TRAIN, "--patience", "2", *outputs)
    assert done.returncode == 124
    assert sorted(done.stdout.splitlines()) == ["[0] process 0 of 2", "[1] process 1 of 2"]
    assert "the processes waited for others for 2 s and were ended" in done.stderr
    data: dict[str, Any] = json.loads((tmp_path / "o.json").read_text())
    findings = {each["code"]: (each["verdict"], each["evidence"]) for each in data["findings"]}
    told = "waited there for the others until it was ended (in process 0)"
    assert findings["JXL904"] == ("confirmed", told)
    assert findings["JXL306"][0] == "confirmed", findings
    assert findings["JXL306"][1].endswith("(in all 2)")
    texts = {each["what"]: each["text"] for each in data["differences"]}
    assert texts["waited"] == (
        "when they were ended: waited at main.py:19 in process 0; waited at its end in process 1"
    )
    assert texts["arguments"] == (
        "step got: x float32(3,) in process 0; x float32(4,) in process 1"
    )
    assert [each["stands"] for each in data["members"]] == ["at main.py:19", "at its end"]
    page = (tmp_path / "o.html").read_text()
    assert "What they did differently" in page
    assert "<b>process 1</b>" in page


def test_an_interrupt_ends_processes_that_wait_in_compiled_code(tmp_path: Path) -> None:
    """Seven seconds: such a process has no frame of JAX, and answers no signal.

    Process 1 waits for it at its end, which it does not leave for a signal either.
    """
    pytest.importorskip("jax")
    write(tmp_path, {"main.py": STEPS})
    options = ("--processes", "2", "--patience", "0", "--json", "o.json")
    process = subprocess.Popen(
        [*confirm(*options), "--", sys.executable, "main.py"], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    waiting = {"[0] begins\n", "[1] begins\n"}
    while waiting and (line := process.stdout.readline()):
        waiting.discard(line)
    assert not waiting, "they ended before"
    time.sleep(1)  # From what it prints to what is compiled is a step, longer on a busy machine.
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    members = json.loads((tmp_path / "o.json").read_text())["members"]
    assert [each["stands"] for each in members] == ["at main.py:25", "at its end"], said


STOPS = """\
import os
import subprocess
import time

subprocess.Popen(["sleep", "20"], start_new_session=True)
with open(os.path.join(os.environ["FOLDER"], "waiting.json"), "w") as stream:
    stream.write('{"in_jax": false}')
print("begins", flush=True)
try:
    time.sleep(60)
except KeyboardInterrupt:
    time.sleep(3)
    raise SystemExit(int(os.environ["NUMBER"]))
"""


def test_who_answers_a_signal_is_given_the_time_to(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Six seconds: three in which they save, two for the pipes, which children of theirs hold."""
    folders = [tmp_path / str(number) for number in range(2)]
    environments = [
        {**os.environ, "FOLDER": str(folder), "NUMBER": str(3 * number)}
        for number, folder in enumerate(folders)
    ]
    for folder in folders:
        folder.mkdir()
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    endings, ending = Together([sys.executable, "-c", STOPS], environments, folders, 0, None).run()
    assert [each.code for each in endings] == [0, 3]
    assert ending.code == 3
    assert time.monotonic() - began < 10, "the pipes were waited for one after the other"
    assert sorted(capfd.readouterr().out.splitlines()) == ["[0] begins", "[1] begins"]


def test_processes_that_never_initialize_are_alone(tmp_path: Path) -> None:
    """Three seconds; the exit code is that of the one that failed."""
    pytest.importorskip("jax")
    done = run(tmp_path, ALONE)
    assert done.returncode == 3
    lines = ["[0] 1", "[0] no end of line", "[1] 1", "[1] no end of line"]
    assert sorted(done.stdout.splitlines()) == lines
    note = "the processes never called jax.distributed.initialize(): each computed by itself"
    assert note in done.stderr
    assert "ended with exit code 0 in process 0; ended with exit code 3 in" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--processes", "1"), "--processes must be from 2 to 64"),
        (("--processes", "-3"), "--processes must be from 2 to 64"),
        (("--processes", "two"), "invalid int value: 'two'"),
        (("--patience", "3"), "--patience is for --processes N"),
        (("--processes", "2", "--patience", "nan"), "--patience must be a number of seconds"),
        (("--processes", "2", "--platform", "gpu"), "leave --platform out"),
    ],
)
def test_wrong_options(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    command = ["confirm", "tests", *options, "--", "true"]
    try:
        code = main(command)
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    assert code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": "import jax\n"})
    done = subprocess.run(
        [*confirm("--processes", "2"), "--", "./nothing"], cwd=tmp_path, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 127
    assert "cannot run './nothing': not found" in done.stderr


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, None),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, None),
        (
            {
                "SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_STEP_NODELIST": "n[1-2]",
                "SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0",
            },
            Launched(3, 4, "slurm 7 0"),
        ),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, Launched(1, 2)),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}, None),
        ({"PMI_RANK": "5", "PMI_SIZE": "4"}, None),
        ({"PMI_RANK": "-1", "PMI_SIZE": "4"}, None),
        ({"PMI_RANK": "1", "PMI_SIZE": "many"}, None),
        (
            {"TPU_WORKER_ID": "1", "TPU_WORKER_HOSTNAMES": "a,b"},
            Launched(1, 2, "tpu a,b"),
        ),
        ({"JOB_COMPLETION_INDEX": "2"}, Launched(2)),
    ],
)  # fmt: skip
def test_launchers(environment: dict[str, str], found: Launched | None) -> None:
    assert launched(environment) == found


def test_what_a_frame_calls() -> None:
    """Read from the source around the call; nothing of the program is run for it."""
    values = Values(SimpleNamespace(core=SimpleNamespace(Tracer=int), Array=float))  # type: ignore[arg-type]
    found = []

    def look(value: int) -> int:
        found.append(called_by(sys._getframe(1), values))
        return value

    class Sum:
        def __add__(self, other: int) -> int:
            found.append(called_by(sys._getframe(1), values))
            return other

    box, made = SimpleNamespace(look=look), Sum()
    box.look(1)
    [look][0](2)
    _ = made + max(3, 2)
    assert found == [[look], [], []]
