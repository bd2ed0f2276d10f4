"""``jaxlint confirm PATHS -- COMMAND``, end to end, on small real projects under real JAX."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.confirm.fixtures.find import Fixture
from jaxlint.knowledge.packages import KNOWN_LIBRARIES
from jaxlint.rules.registry import all_rules, find_rule
from tools.pythons import SUPPORTED, version_of, with_jax

pytest.importorskip("jax")

MODEL = """\
import jax
import jax.numpy as jnp

SCALE = 2.0
history = []


@jax.jit
def loss(w, x):
    print("loss", x)
    history.append(x)
    return jnp.sum(w * x) * SCALE


def clip(x, limit):
    if x > limit:
        return limit
    return x


@jax.jit
def clipped(x):
    return clip(x, 1.0)


def evaluate(x):
    double = jax.jit(lambda v: v * 2)
    return double(x)


def evaluate_all(xs):
    return [evaluate(x) for x in xs]


@jax.jit
def never_called(x):
    while x > 0:
        x = x - 1
    return x


def sample(key):
    return jax.random.normal(key) + jax.random.normal(key)


@jax.jit
def careful(x):
    try:
        return float(x)
    except jax.errors.ConcretizationTypeError:
        return x


def from_outside(function, x):
    return jax.jit(function)(x)
"""

TESTS = """\
import jax
import jax.numpy as jnp
import pytest

import model


def test_loss():
    for _ in range(3):
        model.loss(jnp.ones(3), jnp.ones(3))
    model.SCALE = 3.0
    assert model.loss(jnp.ones(3), jnp.ones(3)) == 6.0


def test_clip():
    with pytest.raises(jax.errors.TracerBoolConversionError):
        model.clipped(2.0)


def test_evaluate():
    for _ in range(4):
        model.evaluate(1.0)


def test_sample():
    model.sample(jax.random.key(0))


def test_careful():
    assert model.careful(1.0) == 1.0


def test_missed():
    def late(x):
        return bool(x)

    with pytest.raises(jax.errors.TracerBoolConversionError):
        model.from_outside(model.__dict__.get("late", late), 1.0)
"""


def confirm(
    folder: Path, *arguments: str, python: str = sys.executable, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run jaxlint's own command; the command behind ``--`` is part of the arguments."""
    variables = {**os.environ, "JAX_PLATFORMS": "cpu", **environment}
    root = str(Path(__file__).parents[1])
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "jaxlint", "confirm", *arguments],
        cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def report_of(
    folder: Path, *command: str, paths: tuple[str, ...] = (".",), **environment: str
) -> dict[str, Any]:
    """The JSON report of a run, with its result and text."""
    result = confirm(folder, *paths, "--json", "report.json", "--", *command, **environment)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    report["stdout"], report["stderr"] = result.stdout, result.stderr
    report["returncode"] = result.returncode
    return report


def script(folder: Path, text: str) -> tuple[str, str]:
    """Write a program; returns the command that runs it."""
    (folder / "program.py").write_text(text)
    return sys.executable, "program.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "test_model.py").write_text(TESTS)
    return tmp_path


def verdicts(report: dict[str, Any]) -> dict[tuple[str, int], str]:
    return {(f["code"], f["line"]): f["verdict"] for f in report["findings"]}


EXPECTED = {
    ("JXL301", 10): "confirmed",
    ("JXL302", 11): "confirmed",
    ("JXL304", 12): "confirmed",
    ("JXL101", 16): "confirmed",
    ("JXL202", 27): "confirmed",
    ("JXL102", 37): "not reached",
    ("JXL401", 43): "confirmed",
}


@pytest.mark.parametrize("version", SUPPORTED)
def test_a_pytest_run_settles_the_findings(project: Path, version: str) -> None:
    """On every Python that is installed, without jaxlint in its environment."""
    python, why_not = with_jax(version) if version_of(sys.executable) != version else ("", "")
    if why_not:
        pytest.skip(why_not)
    static = (project / "model.py").read_text()
    # Nobody rebinds SCALE in model.py itself: tell the linter what the test does.
    (project / "model.py").write_text(
        static + "\n\ndef tune():\n    global SCALE\n    SCALE = 3.0\n"
    )
    command = (python or sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    report = report_of(project, *command, paths=("model.py",))
    assert "6 passed" in report["stdout"]
    assert report["exit_code"] == report["returncode"] == 0
    assert report["remarks"] == []
    assert verdicts(report) == EXPECTED
    engine = "sys.monitoring" if version >= "3.12" else "sys.settrace"
    assert [process["engine"] for process in report["processes"]] == [engine]
    assert [(s["line"], s["expected_because"]) for s in report["expected"]] == [
        (49, "the code around it expects it")
    ]
    functions = {function["name"]: function for function in report["functions"]}
    assert functions["loss"]["traces"] == 1
    assert functions["evaluate.<lambda>"]["reasons"] == {
        "first trace": 1,
        "new function object": 3,
    }


REPOSITORY = Path(__file__).parents[1]
SECONDS = re.compile(r"[\d.]+ s$", re.MULTILINE)


def shown(page: str, block: str) -> str:
    """A block of a page of the documents."""
    text = (REPOSITORY / "docs" / page).read_text("utf-8")
    found = re.search(rf"<!-- {block} -->\n```\n(.*?)\n```", text, re.DOTALL)
    assert found is not None
    return found[1]


def verdicts_of(script: str) -> tuple[str, str]:
    """What the report says of the findings in an example, and what the example writes."""
    done = confirm(REPOSITORY, script, "--", sys.executable, script)
    found = re.search(r"\n\n(examples.*?)\n\n", done.stderr, re.DOTALL)
    assert found is not None
    return found[1], done.stdout


def test_the_page_of_confirm_shows_a_real_run() -> None:
    said, _ = verdicts_of("examples/observe.py")
    assert SECONDS.sub("", said) == SECONDS.sub("", shown("confirm.md", "observed"))


def numbers(output: str) -> list[list[float]]:
    return [
        [float(word) for word in line.split()]
        for line in output.splitlines() if re.match(r"\d", line)
    ]  # fmt: skip


def test_the_first_run_is_a_real_one() -> None:
    said, out = verdicts_of("examples/first_run.py")
    assert SECONDS.sub("", said) == SECONDS.sub("", shown("first-run.md", "first run: confirmed"))
    first, *_ = shown("first-run.md", "first run: output").splitlines()
    assert out.startswith(first)
    mended = subprocess.run(
        [sys.executable, "examples/first_run_mended.py"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for output, block in ((out, "output"), (mended.stdout, "mended")):
        expected = numbers(shown("first-run.md", f"first run: {block}"))
        for line, wanted in zip(numbers(output), expected, strict=True):
            assert line == pytest.approx(wanted, abs=0.02)


def test_what_nobody_predicted_is_reported(project: Path) -> None:
    command = (sys.executable, "-m", "pytest", "-q", "test_model.py::test_missed")
    report = report_of(project, *command)
    assert [(s["file"], s["line"], s["what"]) for s in report["missed"]] == [
        ("test_model.py", 35, "TracerBoolConversionError")
    ]
    assert "What JAX did and no finding predicted" in report["stderr"]


def test_a_finding_that_does_not_come_true_is_refuted(tmp_path: Path) -> None:
    text = """\
import jax
import jax.numpy as jnp

# Nobody can see this coming: the program changes what jnp.sum does.
setattr(jnp, "s" + "um", lambda values: 0)


def total():
    return jnp.sum([1, 2])


total()
"""
    report = report_of(tmp_path, *script(tmp_path, text))
    assert [(f["code"], f["verdict"], f["evidence"]) for f in report["findings"]] == [
        ("JXL119", "refuted", "ran once, and nothing was raised")
    ]
    assert "1 refuted" in report["stderr"]


UNSEEN = """\
import jax
import jax.numpy as jnp
import os

# Whatever comes out of a dictionary made like this is unknown to the linter.
tools = {name: getattr(jax, os.environ.get("TOOL", name)) for name in ("jit",)}
numpy = {name: getattr(jnp, os.environ.get("TOOL", name)) for name in ("zeros", "ones")}
random = {name: getattr(jax.random, os.environ.get("TOOL", name)) for name in ("normal", "key")}
kept = {}


def stash(value):
    getattr(kept, "up" + "date")(value=value)
    return value


tools["jit"](stash)(1.0)
key = random["key"](0)
random["normal"](key)
random["normal"](key)
numpy["zeros"](3, dtype="float64")
for n in range(15):
    tools["jit"](lambda v: v + n)(1.0)
add = tools["jit"](lambda v: v + 1, donate_argnums=0)
given = numpy["ones"](3)
add(given)
try:
    given + 1
except RuntimeError:
    pass
system = {name: getattr(os, "".join(name)) for name in ("fork", "_exit", "waitpid")}
child = system["fork"]()
if child == 0:
    system["_exit"](0)
system["waitpid"](child, 0)
"""


def test_all_kinds_of_surprise_are_reported(tmp_path: Path) -> None:
    report = report_of(tmp_path, *script(tmp_path, UNSEEN))
    assert report["findings"] == []
    seen = {(s["kind"], s["line"], s["what"]) for s in report["missed"]}
    assert seen >= {
        ("kept-tracer", 1, "kept['value']"),
        ("key-reuse", 20, "normal"),
        ("wide-dtype", 21, "float64"),
        ("retrace", 23, "<lambda>"),
        ("donated-use", 28, "RuntimeError"),
        ("fork-after-start", 32, "RuntimeWarning"),
    }, seen


def test_a_project_below_a_folder_of_tests_is_no_test(tmp_path: Path) -> None:
    """Tests are known by the path that the user gave, not by where the checkout lies."""
    folder = tmp_path / "tests" / "project"
    folder.mkdir(parents=True)
    report = report_of(folder, *script(folder, UNSEEN))
    assert "key-reuse" in {s["kind"] for s in report["missed"]}


def test_nothing_thrown_away_is_claimed_for_a_line_that_raises(tmp_path: Path) -> None:
    text = """\
import jax.numpy as jnp


def clear(x, i):
    x.at[i].set(0.0)
    return x


clear(jnp.ones(3), 0)
try:
    clear(jnp.ones(3), "first")
except TypeError:
    pass
"""
    report = report_of(tmp_path, *script(tmp_path, text))
    assert [(f["code"], f["evidence"]) for f in report["findings"]] == [
        ("JXL308", "ran once, and left its names as they were")
    ]


SCOPES = """\
import jax

history = []


def remember(log, x):
    log.append(x)


@jax.jit
def passed_on(x):
    remember(history, x)
    return x


@jax.jit
def by_another_name(x):
    alias = history
    alias.append(x)
    return x


def evaluate(x):
    @jax.jit
    def double(v):
        return v * 2

    return double(x)


passed_on(1.0)
by_another_name(1.0)
for n in range(4):
    evaluate(1.0)
"""


def test_a_change_outside_is_seen_by_whatever_name(tmp_path: Path) -> None:
    report = report_of(tmp_path, *script(tmp_path, SCOPES))
    outside = "changed once while JAX was tracing and a tracer got out"
    assert [(f["line"], f["evidence"]) for f in report["findings"] if f["code"] == "JXL302"] == [
        (7, outside),
        (19, outside),
    ]


def test_a_decorated_definition_is_counted_once_a_run(tmp_path: Path) -> None:
    """Python comes to the line of a decorator before and after it makes the function."""
    report = report_of(tmp_path, *script(tmp_path, SCOPES))
    (finding,) = [f for f in report["findings"] if f["code"] == "JXL202"]
    assert finding["evidence"].startswith("4 traces of evaluate.double in 4 runs of the line")


REASONS = """\
import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnames="n")
def f(x, n=1):
    return x * n


f(jnp.ones(3))
f(jnp.ones(4))
f(jnp.ones(4, int))
f(jnp.ones(4), n=2)
f(1.0)
f(jnp.float32(1))
f((jnp.ones(3),)[0:1], n=2)
f(jnp.ones(4))
"""


def test_each_cache_miss_has_its_reason(tmp_path: Path) -> None:
    report = report_of(tmp_path, *script(tmp_path, REASONS))
    (f,) = [function for function in report["functions"] if function["name"] == "f"]
    assert f["traces"] == f["compilations"] == 7
    assert f["reasons"] == {
        "first trace": 1,
        "shape": 2,
        "dtype": 1,
        "static value": 1,
        "weak type": 2,
        "tree structure": 1,
    }
    assert f["examples"]["static value"] == "n is 2, and was not passed before"
    assert f["trace_seconds"] > 0
    assert f["compile_seconds"] > 0


BAD_END = {
    "exit": ("import sys; sys.exit(7)", 7, ""),
    "exception": ("raise ValueError('mine')", 1, ""),
    "killed": ("import os; os.kill(os.getpid(), 9)", 137, "killed by SIGKILL"),
    "_exit": ("import os; os._exit(4)", 4, "did not come to their end"),
    "exec": ("import os, sys; os.execv(sys.executable, [sys.executable, '-c', ''])", 0, ""),
    "closed files": ("import os; os.closerange(3, 100); f((1.0,))", 0, ""),
    "fork": ("import os\npid = os.fork()\nif not pid: work(); os._exit(0)\n"
             "os.waitpid(pid, 0)", 0, "did not come to their end"),
    "threads": ("import threading\nt = threading.Thread(target=work)\n"
                "t.start(); t.join()", 0, ""),
    "spawn": ("import multiprocessing as mp\np = mp.get_context('spawn').Process(target=work)\n"
              "p.start(); p.join()", 0, ""),
    "deep recursion": ("def g(n): return g(n + 1)\ntry: g(0)\nexcept RecursionError: pass", 0,
                       "" if sys.version_info >= (3, 12) else "using up the stack"),
}  # fmt: skip


KEYS = """\
import jax
import jax.numpy as jnp


@jax.jit
def compiled(key):
    return jax.random.normal(key)


def unseen(key):
    return compiled(key) + jax.random.uniform(key)


def seen(key):
    a = jax.random.normal(key)
    return a + jax.random.uniform(key)


unseen(jax.random.key(0))
seen(jax.random.key(1))
"""


def test_a_key_that_cannot_be_followed_refutes_nothing(tmp_path: Path) -> None:
    report = report_of(tmp_path, *script(tmp_path, KEYS))
    assert verdicts(report) == {("JXL401", 11): "not reached", ("JXL401", 16): "confirmed"}
    assert "as far as can be seen" in report["findings"][0]["evidence"]


def test_a_hot_line_stops_being_counted(tmp_path: Path) -> None:
    text = """\
import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    if x > 0:
        return x
    return -x


with jax.disable_jit():
    for n in range(12_000):
        f(1.0)
try:
    f(1.0)
except jax.errors.TracerBoolConversionError:
    pass
"""
    report = report_of(tmp_path, *script(tmp_path, text))
    assert verdicts(report) == {("JXL101", 7): "confirmed"}


@pytest.mark.parametrize("name", BAD_END)
def test_the_report_is_written_however_the_command_ends(tmp_path: Path, name: str) -> None:
    end, code, remark = BAD_END[name]
    (tmp_path / "lib.py").write_text(
        "import jax\n\n@jax.jit\ndef f(x):\n    print('traced', x, flush=True)\n    return x\n\n\n"
        "def work():\n    f(1.0)\n"
    )
    body = end if "fork" in end else "work()\n" + end
    text = "from lib import f, work\n\nif __name__ == '__main__':\n"
    text += "".join(f"    {line}\n" for line in body.splitlines())
    report = report_of(tmp_path, *script(tmp_path, text))
    assert report["returncode"] == report["exit_code"] == code
    assert "traced" in report["stdout"]
    assert verdicts(report) == {("JXL301", 5): "confirmed"}
    assert remark in " ".join(report["remarks"])
    if not remark:
        assert report["remarks"] == []


FORKS = """\
import multiprocessing
import os

import jax

kept = {}
keep = getattr(kept, "update")
jax.jit(lambda x: keep(value=x))(1.0)
if not (child := os.fork()):
    os._exit(0)
os.waitpid(child, 0)
process = multiprocessing.get_context("fork").Process(target=print)
process.start()
process.join()
with multiprocessing.get_context("fork").Pool(1) as pool:
    pool.map(abs, [-1, 2])
"""


def test_forked_processes_in_which_nothing_happens_add_nothing(tmp_path: Path) -> None:
    report = report_of(tmp_path, *script(tmp_path, FORKS))
    assert len([process for process in report["processes"] if process["jax"]]) == 4
    assert report["remarks"] == []
    kept = [(s["what"], s["count"]) for s in report["missed"] if s["kind"] == "kept-tracer"]
    assert kept == [("kept['value']", 1)]


def test_xdist_workers_are_observed(project: Path) -> None:
    pytest.importorskip("xdist")
    command = (sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    report = report_of(project, *command)
    assert verdicts(report)["JXL101", 16] == "confirmed"
    assert len([process for process in report["processes"] if process["jax"]]) >= 2


def test_the_output_of_the_command_is_its_own(tmp_path: Path) -> None:
    text = (
        "import jax, sys\nfor i in range(200_000): print('x' * 50)\nprint('end', file=sys.stderr)\n"
    )
    report = report_of(tmp_path, *script(tmp_path, text))
    assert report["stdout"] == ("x" * 50 + "\n") * 200_000
    assert report["stderr"].startswith("end\n")


def test_standard_input_reaches_the_command(tmp_path: Path) -> None:
    script(tmp_path, "import jax\nprint(input())\n")
    command = [sys.executable, "-m", "jaxlint", "confirm", ".", "--", sys.executable, "program.py"]
    result = subprocess.run(
        command, cwd=tmp_path, input="hello\n", capture_output=True, text=True, check=True
    )
    assert result.stdout == "hello\n"


def test_a_program_without_jax(tmp_path: Path) -> None:
    report = report_of(tmp_path, *script(tmp_path, "print('hello')\n"))
    assert report["remarks"] == ["jax was never imported: nothing could be observed"]
    assert report["stdout"] == "hello\n"


def test_a_program_without_python(tmp_path: Path) -> None:
    script(tmp_path, "import jax\n")
    report = report_of(tmp_path, "true")
    assert report["returncode"] == 0
    assert "the observer was not loaded" in report["remarks"][0]
    report = report_of(tmp_path, sys.executable, "-I", "-c", "import jax")
    assert "the observer was not loaded" in report["remarks"][0]


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("no-such-program", 127, "cannot run 'no-such-program': not found"),
        ("./data.txt", 126, "cannot run './data.txt': Permission denied"),
        ("./script", 127, "its interpreter was not found"),
    ],
)
def test_a_command_that_cannot_run(tmp_path: Path, command: str, code: int, said: str) -> None:
    script(tmp_path, "import jax\n")
    (tmp_path / "data.txt").write_text("data")
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    report = report_of(tmp_path, command)
    assert report["returncode"] == report["exit_code"] == code
    assert said in report["remarks"][0]
    assert said in report["stderr"]


def test_wrong_use_is_one_clear_error(tmp_path: Path) -> None:
    script(tmp_path, "import jax\n")
    (tmp_path / "empty").mkdir()
    for arguments, said in (
        ((".",), "what is to be run?"),
        ((".", "--"), "what is to be run?"),
        (("--", "true"), "what is to be linted?"),
        (("missing.py", "--", "true"), "missing.py: no such file or folder"),
        (("empty", "--", "true"), "no Python files in empty"),
        ((".", "--json", "no/such/folder.json", "--", "true"), "its folder does not exist"),
        ((".", "--rule", "JXL999", "--", "true"), "no rule 'JXL999'"),
        (("--strict",), "are for your own program"),
    ):
        result = confirm(tmp_path, *arguments)
        assert result.returncode == 2, arguments
        assert said in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_files_that_cannot_be_linted_are_said_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import jax\ndef f(:\n")
    (tmp_path / "binary.py").write_bytes(b"\xff\xfe\x00import jax")
    report = report_of(tmp_path, *script(tmp_path, REASONS))
    assert [remark.split(":")[:2] for remark in report["remarks"]] == [
        ["not linted", " binary.py"],
        ["not linted", " broken.py"],
    ]
    assert report["functions"]


def test_strict_turns_what_was_found_into_an_exit_code(project: Path) -> None:
    command = ("--", sys.executable, "-m", "pytest", "-q", "test_model.py::test_evaluate")
    assert confirm(project, "model.py", "--strict", *command).returncode == 1
    assert confirm(project, "model.py", *command).returncode == 0
    assert confirm(project, "model.py", "--rule", "JXL102", "--strict", *command).returncode == 0


def test_an_interrupt_is_for_the_command(tmp_path: Path) -> None:
    text = """\
import jax, time

try:
    print("ready", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("stopped")
"""
    script(tmp_path, text)
    command = [sys.executable, "-m", "jaxlint", "confirm", ".", "--", sys.executable, "program.py"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert stdout == "stopped\n"
    assert process.returncode == 0
    assert "exit code 0" in stderr


def test_two_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    reports = []
    for name, count in (("one", 1), ("two", 2)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "program.py").write_text(
            "import jax, time\nimport jax.numpy as jnp\n\n@jax.jit\ndef f(x):\n    return x\n\n"
            f"for n in range({count}): f(jnp.ones(n))\ntime.sleep(2)\n"
        )
        command = [sys.executable, "-m", "jaxlint", "confirm", ".", "--json", "report.json", "--",
                   sys.executable, "program.py"]  # fmt: skip
        reports.append((folder, count, subprocess.Popen(command, cwd=folder, stderr=-3)))
    for folder, count, process in reports:
        assert process.wait(timeout=120) == 0
        report = json.loads((folder / "report.json").read_text())
        assert [f["traces"] for f in report["functions"] if f["name"] == "f"] == [count]
        assert len(report["processes"]) == 1


def test_the_sites_own_sitecustomize_still_runs(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import builtins\nbuiltins.from_site = 42\n")
    folder = tmp_path / "project"
    folder.mkdir()
    script(folder, "import jax\nprint(from_site)\n")
    result = subprocess.run(
        [sys.executable, "-m", "jaxlint", "confirm", ".", "--", sys.executable, "program.py"],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.stdout == "42\n", result.stderr


def test_an_installed_copy_is_noticed(tmp_path: Path) -> None:
    for place in ("source/src/package", "installed/src/package"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        (folder / "layers.py").write_text(
            "import jax\n\n@jax.jit\ndef f(x):\n    print(x)\n    return x\n"
        )
    text = (
        "import sys\nsys.path.insert(0, '../installed/src')\nfrom package.layers import f\nf(1.0)\n"
    )
    command = script(tmp_path / "source", text)
    report = report_of(tmp_path / "source", *command, paths=("src",))
    assert "a copy elsewhere was" in report["remarks"][0]
    assert "another copy of the file was run" in report["findings"][0]["evidence"]


def test_an_error_in_the_observer_does_not_reach_the_program(tmp_path: Path) -> None:
    text = """\
import jax
import jax.numpy as jnp


class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError("do not look at me")

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return True


seen = []


@jax.jit
def f(x):
    hostile = Hostile()
    seen.append(x)
    print(x, type(hostile).__name__)
    return x


print(f(1.0))
"""
    report = report_of(tmp_path, *script(tmp_path, text))
    assert report["returncode"] == 0
    assert report["stdout"].endswith("1.0\n")
    assert verdicts(report) == {("JXL302", 22): "confirmed", ("JXL301", 23): "confirmed"}


def test_the_run_leaves_nothing_behind(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    command = script(folder, "import jax\n")
    result = confirm(folder, ".", "--", *command, TMPDIR=str(temporary))
    assert result.returncode == 0
    assert list(temporary.iterdir()) == []
    assert [path.name for path in folder.iterdir() if path.name != "__pycache__"] == ["program.py"]


def test_the_command_is_not_waited_for_in_vain(tmp_path: Path) -> None:
    """A child that lives on does not hold the report up."""
    text = """\
import jax, subprocess, sys

sleep = [sys.executable, "-c", "import time; time.sleep(20)"]
subprocess.Popen(sleep, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
"""
    command = script(tmp_path, text)
    start = time.monotonic()
    report = report_of(tmp_path, *command)
    assert time.monotonic() - start < 18
    assert report["returncode"] == 0


def can_run(path: Path) -> bool:
    """Whether it comes to its end, its libraries are installed, and nothing else is like it.

    What fixes leave of a bad fixture stands in that one too, and JAX warns of some of it once.
    """
    fixture = Fixture.read(path)
    assert fixture is not None
    rule = find_rule(fixture.code)
    assert rule is not None
    if path.name.startswith("fixed_") or all_kinds()[rule.evidence.kind].watched:
        return False
    names = set(re.findall(r"^(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE))
    return all(find_spec(name) is not None for name in names & KNOWN_LIBRARIES)


def wants_its_own_process(path: Path) -> bool:
    """Whether it is right only where nothing ran before."""
    rule = find_rule(path.parent.name[:6])
    assert rule is not None
    return path.name.startswith("good_") and all_kinds()[rule.evidence.kind].apart


ROOT = Path(__file__).parents[1]
RUNNER = str(ROOT / "tests" / "run_fixtures.py")
RUNNABLE = sorted(path for path in ROOT.glob("fixtures/*/*.py") if can_run(path))


@pytest.mark.parametrize(
    "path", [path for path in RUNNABLE if wants_its_own_process(path)], ids=lambda path: path.stem
)
def test_what_is_right_where_nothing_ran_before_is_so_there(tmp_path: Path, path: Path) -> None:
    fixture = str(path)
    report = report_of(tmp_path, sys.executable, RUNNER, fixture, paths=(fixture,))
    assert (report["remarks"], report["findings"], report["missed"]) == ([], [], [])


# What was meant only the fixture says: nothing in a run shows that the numbers are others.
MEANT = {
    "JXL313": 3, "JXL314": 18, "JXL315": 3, "JXL316": 14, "JXL317": 3, "JXL706": 7, "JXL707": 2,
    "JXL207": 2, "JXL318": 4, "JXL319": 4, "JXL320": 3, "JXL321": 9, "JXL708": 4,
    "JXL811": 5,
}  # fmt: skip
BOUND = "its names were bound to something else 2 times; whether anybody reads that, no run shows"
OPEN = {
    ("bad_loop.py", "JXL402", "traced, and its loop runs inside the compiled code"): 1,
    ("bad_parameter.py", "JXL308", BOUND): 3,
    ("bad_settings.py", "JXL304", "traced 4 times; its value is still the same at the end"): 1,
    ("bad_nothing.py", "JXL702", "the gradient was NaN, and so was the value"): 1,
    ("bad_samples.py", "JXL404", "ran 2 times; nobody compares what was drawn"): 8,
}
"""What the observer leaves open of the fixtures, and why."""


@pytest.mark.parametrize("part", ["JXL1", "JXL2", "JXL3", "JXL[4-6]", "JXL7", "JXL[89]"])
def test_the_fixtures_come_true_under_the_observer(tmp_path: Path, part: str) -> None:
    """Two judges of one thing: what worker processes confirm, the observer must see too."""
    runnable = [path for path in RUNNABLE if re.match(part, path.parent.name)]
    fixtures = [str(path) for path in runnable if not wants_its_own_process(path)]
    command = (sys.executable, RUNNER, *fixtures)
    report = report_of(tmp_path, *command, paths=tuple(fixtures), JAX_CHECK_STATIC_INDICES="1")
    assert report["remarks"] == []
    assert report["missed"] == []
    left = [each for each in report["findings"] if each["verdict"] != "confirmed"]
    assert {each["verdict"] for each in left} <= {"not reached"}
    meant = [each for each in left if each["code"] in MEANT]
    assert all(each["evidence"].endswith("nobody knows what was meant") for each in meant)
    assert Counter(each["code"] for each in meant) == {
        code: count for code, count in MEANT.items() if re.match(part, code)
    }
    assert Counter(
        (Path(each["file"]).name, each["code"], each["evidence"])
        for each in left
        if each not in meant
    ) == {which: count for which, count in OPEN.items() if re.match(part, which[1])}


def test_what_only_a_fixture_says_is_of_the_rules_for_that() -> None:
    assert MEANT.keys() <= {
        rule.code for rule in all_rules() if rule.evidence.kind == "wrong_result"
    }


LOOP = """\
import jax
import jax.numpy as jnp
from jax import lax


def root(a):
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-3, lambda x: 0.5 * (x + a / x), 1.0)


jax.grad(root)(2.0)
"""


def test_what_jax_raises_of_an_operation_is_seen_where_the_program_asks_for_it(
    tmp_path: Path,
) -> None:
    """The gradient is taken elsewhere, when the function of the loop runs no more."""
    report = report_of(tmp_path, *script(tmp_path, LOOP))
    seen = [(each["line"], each["code"], each["verdict"]) for each in report["findings"]]
    assert seen == [(7, "JXL122", "confirmed")]


TWO_MODULES = {
    "lib/__init__.py": "",
    "lib/helpers.py": """\
def clip(x, limit):
    if x > limit:
        return limit
    return x


def show(x):
    print(x)
    return x
""",
    "program.py": """\
import jax
from lib.helpers import clip, show


@jax.jit
def clipped(x):
    return clip(x, 1.0)


@jax.jit
def shown(x):
    return show(x) + 1


@jax.jit
def shown_too(x):
    return show(x) + 2


shown(1.0), shown_too(1.0)
try:
    clipped(2.0)
except jax.errors.TracerBoolConversionError:
    pass
""",
}


def test_a_finding_is_watched_in_the_module_in_which_it_happens(tmp_path: Path) -> None:
    for name, text in TWO_MODULES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for paths in (("program.py",), (".",)):
        page = ("--html", "page.html")
        result = confirm(
            tmp_path, *paths, "--json", "r.json", *page, "--", sys.executable, "program.py"
        )
        report = json.loads((tmp_path / "r.json").read_text())
        found = [(f["file"], f["line"], f["code"], f["verdict"]) for f in report["findings"]]
        assert found == [
            ("lib/helpers.py", 2, "JXL101", "confirmed"),
            ("lib/helpers.py", 8, "JXL301", "confirmed"),
        ], result.stderr
        branch, shown = report["findings"]
        assert branch["message"].startswith("reached from program.py:7:12: `if` needs the value")
        assert branch["reasons"][0]["file"] == "program.py"
        reached = "reached from program.py:12:12: `print` runs only while"
        assert shown["message"].startswith(reached)
        assert report["missed"] == []
        assert "program.py:6" in (tmp_path / "page.html").read_text("utf-8")
