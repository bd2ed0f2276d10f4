"""``jaxlint confirm`` changes nothing of the program that it watches, whatever goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint.config import Options
from jaxlint.confirm.program.linted import lint
from tests.test_command import write

pytest.importorskip("jax")

REPOSITORY = Path(__file__).parents[1]

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
    command = [sys.executable, "-m", "coverage", "run", "program.py"]
    done = confirm(tmp_path, *command, COVERAGE_CORE=core)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "done [190]"), done.stderr
    assert subprocess.run(report, cwd=tmp_path, check=False).returncode == 0
    found = json.loads((tmp_path / "c.json").read_text("utf-8"))
    # The observer is no part of the program, wherever it is installed.
    assert list(found["files"]) == ["program.py"]
    assert found["totals"]["percent_covered"] == 100
    if sys.version_info < (3, 12):
        assert "lines were not seen: another tool (a debugger, coverage)" in done.stderr


def test_a_debugger_stops_where_it_stops_without_us(tmp_path: Path) -> None:
    write(tmp_path, {"program.py": PROGRAM, ".pdbrc": "b 9\nc\np 'stopped'\nc\nq\n"})
    command = [sys.executable, "-m", "pdb", "program.py"]
    alone = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200,
        stdin=subprocess.DEVNULL, env={**os.environ, "JAX_PLATFORMS": "cpu"},
    )  # fmt: skip
    done = confirm(tmp_path, *command)
    assert "'stopped'" in alone.stdout
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout)


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


# --------------------------------------------------------------- how the command ends

LINTED = "import jax\n\n\n@jax.jit\ndef f(x):\n    print(x)\n    return x\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with something to lint, and a place for what the command writes."""
    return write(tmp_path, {"program.py": LINTED})


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=100
    )


JAXLINT = f"{sys.executable} -m jaxlint confirm program.py"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, 37, signal.SIGRTMAX])
def test_a_signal_that_kills_is_the_exit_code(folder: Path, number: int) -> None:
    done = confirm(folder, "sh", "-c", f"kill -{int(number)} $$")
    assert done.returncode == 128 + number
    assert f"exit code {128 + number}" in done.stderr
    assert "killed by " in done.stderr


@pytest.mark.parametrize(
    "redirection",
    ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>&1"],
)
@pytest.mark.parametrize("code", [0, 7])
def test_streams_are_the_commands(folder: Path, redirection: str, code: int) -> None:
    text = "import os, sys\nopen('ran', 'a').write('ran')\nfor n in 0, 1, 2:\n    try:\n"
    text += "        os.fstat(n)\n    except OSError:\n        open('closed', 'a').write(str(n))\n"
    text += f"print('out')\nprint('err', file=sys.stderr)\nos._exit({code})\n"
    write(folder, {"command.py": text})
    found = []
    for start in ("", f"{JAXLINT} --json report.json -- "):
        done = shell(folder, f"{start}{sys.executable} command.py {redirection}")
        closed = folder / "closed"
        told = closed.read_text("utf-8") if closed.exists() else ""
        found.append((done.returncode, done.stdout, told, (folder / "ran").read_text("utf-8")))
        closed.unlink(missing_ok=True)
        (folder / "ran").unlink()
    assert found[0] == found[1]
    assert json.loads((folder / "report.json").read_text("utf-8"))["exit_code"] == found[0][0]


def test_what_is_handed_down_reaches_the_command(folder: Path) -> None:
    """Open files of other numbers, and the signals that are ignored."""
    command = "sh -c 'cat <&7; grep SigIgn /proc/self/status'"
    done = [
        shell(folder, f"trap '' HUP INT USR2; {start}{command} 7<program.py")
        for start in ("", f"{JAXLINT} -- ")
    ]
    assert done[0].stdout.startswith(LINTED)
    assert done[0].stdout == done[1].stdout


GETS = """\
import os, signal, sys, time

got = []
for name in ("INT", "QUIT", "TERM", "HUP", "USR1", "USR2"):
    number = getattr(signal, "SIG" + name)
    signal.signal(number, lambda number, frame: got.append(signal.Signals(number).name))
print("ready", flush=True)
while not got:
    time.sleep(0.01)
time.sleep(0.3)
print(*got)
sys.exit(5)
"""


@pytest.mark.parametrize("name", ["INT", "QUIT", "TERM", "HUP", "USR1", "USR2"])
@pytest.mark.parametrize("to_the_group", [True, False])
def test_a_signal_reaches_the_command_once(folder: Path, name: str, to_the_group: bool) -> None:
    number = getattr(signal, f"SIG{name}")
    write(folder, {"command.py": GETS})
    process = subprocess.Popen(
        f"exec {JAXLINT} -- {sys.executable} command.py",
        shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    (os.killpg if to_the_group else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (5, f"SIG{name}\n")
    assert "exit code 5" in err


JUNK = """\
import os, sys
folder = os.environ["JAXLINT_CONFIRM_RUN"]
os.mkdir(f"{folder}/a.jsonl")
os.mkfifo(f"{folder}/b.jsonl")
os.symlink("/dev/zero", f"{folder}/c.jsonl")
lines = ["\\0\\udcff", "5", "[]", "{}", "{", "[" * 50_000, "9" * 5000, '{"is": 5}', '{"is": []}',
         '{"is": "process"}', '{"is": "count", "of": 5, "n": "x"}', '{"is": "trouble"}',
         '{"is": "count", "of": [], "n": 1}', '{"is": "count", "of": ["hit"], "n": 1}',
         '{"is": "count", "of": ["nothing", {}], "n": 1}',
         '{"is": "trace", "file": 99, "line": 1}', '{"is": "end"}']
with open(f"{folder}/d.jsonl", "w", errors="surrogateescape") as stream:
    stream.write("\\n".join(lines))
if sys.argv[1] == "text":
    open(f"{folder}/trouble.txt", "wb").write(b"\\xff\\n")
else:
    {"pipe": os.mkfifo, "folder": os.mkdir}[sys.argv[1]](f"{folder}/trouble.txt")
os._exit(3)
"""


@pytest.mark.parametrize("trouble", ["pipe", "folder", "text"])
def test_junk_in_the_folder_of_the_run_costs_a_remark(folder: Path, trouble: str) -> None:
    write(folder, {"command.py": JUNK})
    done = confirm(folder, sys.executable, "command.py", trouble)
    assert done.returncode == 3
    assert "exit code 3" in done.stderr
    assert "could not be read: did something write there?" in done.stderr


def test_a_run_whose_folder_is_deleted(folder: Path) -> None:
    text = "import os, shutil\nshutil.rmtree(os.environ['JAXLINT_CONFIRM_RUN'])\nimport jax\n"
    write(folder, {"command.py": text + "os._exit(3)\n"})
    done = confirm(folder, sys.executable, "command.py")
    assert done.returncode == 3
    assert "note: the folder of the run was deleted: what was observed is lost" in done.stderr


@pytest.mark.parametrize("name", ["\udcff\n\x1b[31m.html", "-x.html", "a b'\"<>&.html", "é" * 100])
def test_the_page_may_be_called_anything(folder: Path, name: str) -> None:
    done = confirm(folder, "sh", "-c", "exit 4", more=(f"--html={name}",))
    assert done.returncode == 4
    assert "exit code 4" in done.stderr
    assert (folder / name).read_text("utf-8").startswith("<!doctype html>")


def test_linted_files_may_be_called_anything(folder: Path) -> None:
    name = "\udcff\ufffe\x1b[31m</script>.py"
    write(folder, {name: LINTED})
    done = confirm(folder, "true", more=(name, "--html", "a.html", "--json", "a.json"))
    assert done.returncode == 0
    assert "JXL301" in done.stderr
    assert "JXL301" in (folder / "a.html").read_text("utf-8")
    files = {each["file"] for each in json.loads((folder / "a.json").read_text())["findings"]}
    assert files == {"program.py", name}


@pytest.mark.parametrize("code", [0, 4])
@pytest.mark.parametrize("name", [".", "/dev/full", "/proc/self/\x1b.html", "a" * 300])
def test_a_page_that_cannot_be_written_is_said(folder: Path, name: str, code: int) -> None:
    done = confirm(folder, "sh", "-c", f"exit {code}", more=("--html", name))
    assert done.returncode == (code or 2)
    assert f"exit code {code}" in done.stderr
    assert "jaxlint: cannot write " in done.stderr.splitlines()[-1]
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("name", ["no/such/a.html", "a" * 5000 + "/a.html", "program.py/a.html"])
def test_a_page_without_a_folder_is_said_at_once(folder: Path, name: str) -> None:
    done = confirm(folder, "touch", "ran", more=("--html", name))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.endswith(": its folder does not exist\n")
    assert not (folder / "ran").exists()


def test_without_a_temporary_folder_nothing_is_run(folder: Path) -> None:
    limit = "ulimit -f 0; trap '' XFSZ"
    done = shell(folder, f"{limit}; {JAXLINT} -- touch ran")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.startswith("jaxlint: no folder for what is observed: ")
    assert done.stderr.endswith("; nothing was run\n")
    assert not (folder / "ran").exists()


def test_a_report_that_fails_leaves_the_exit_code(folder: Path) -> None:
    write(folder, {
        "site/sitecustomize.py": "import jaxlint.confirm.program.report as report\n"
        "def broken(*what):\n    raise KeyError('a\\nb')\nreport.conclude = broken\n",
    })  # fmt: skip
    for code in (0, 4):
        done = confirm(
            folder, "sh", "-c", f"exit {code}", PYTHONPATH=f"site{os.pathsep}{REPOSITORY}"
        )
        assert done.returncode == (code or 2)
        assert done.stderr.startswith("jaxlint: failed: KeyError: ")
        assert len(done.stderr.splitlines()) == 1


def test_what_the_command_says_does_not_steer_the_terminal(folder: Path) -> None:
    text = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n\n\n"
    text += "class Odd(Exception):\n    pass\n\n\nOdd.__name__ = '\\x1b[31m\\n::error::'\n\n\n"
    text += "def g(x):\n    return 1\n\n\ng.__name__ = '\\x1b]0;a\\n::error::'\n"
    text += "jax.jit(g)(1.0)\nf(1.0)\n"
    write(folder, {"program.py": text, "x\n::error::\x1b[32m.py": LINTED})
    done = confirm(folder, sys.executable, "program.py", "\x1b[33m", more=(".",))
    report = done.stderr.partition("jaxlint confirm: ")[2]
    assert "JXL101" in report
    assert "\x1b" not in report
    assert not any(line.startswith("::error::") for line in report.splitlines())


def test_a_file_that_was_not_followed_to_its_end_is_said(folder: Path) -> None:
    few = "import jaxlint.tracer.tracer as t\nt._LEAST_STEPS = t._STEPS_PER_NODE = 0\n"
    write(folder, {"site/sitecustomize.py": few})
    done = confirm(folder, "true", PYTHONPATH=f"site{os.pathsep}{REPOSITORY}")
    assert "note: not linted to its end: program.py:" in done.stderr


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
def test_a_file_that_this_python_cannot_read_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import jax\n", "b.py": "import jax\n\n\nclass Box[T]:\n    pass\n"})
    linted = lint([tmp_path], Options(), lambda done, total: None)
    assert [Path(path).name for path in linted.watchlist.paths] == ["a.py"]
    (problem,) = linted.problems
    assert "b.py: Python 3.1" in problem
    assert "install jaxlint where the command runs" in problem
