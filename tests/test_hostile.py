"""Nothing that a file, a folder or a terminal does crashes jaxlint, or runs anything."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from jaxlint.frontends.check_options import FORMATS
from jaxlint.workspace.discovery import find
from jaxlint.workspace.exclusions import Exclusion
from tests.test_command import BAD, GOOD, concise, jaxlint, write

REPOSITORY = Path(__file__).parents[1]
LIBRARIES = ("jax", "jaxlib", "libcst", "numpy", "pathspec", "rich", "tomli")


def a_folder_that_runs(folder: Path) -> Path:
    """A folder of modules that note that they ran, called as what Python and jaxlint import."""
    # These Python itself has to find before any program of its own starts.
    names = {*sys.stdlib_module_names, *LIBRARIES} - {"importlib", "runpy", "pkgutil", "warnings"}
    marker = folder / "ran"
    noting = f"import os\nopen({str(marker)!r}, 'a').write(__name__ + '\\n')\n"
    return write(folder, {f"{name}.py": noting + BAD for name in names})


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_run_nothing_of_the_linted_folder(tmp_path: Path, method: str) -> None:
    a_folder_that_runs(tmp_path / "code")
    customize = f"import multiprocessing\nmultiprocessing.set_start_method({method!r})\n"
    write(tmp_path / "site", {"sitecustomize.py": customize})
    environment = {"PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{REPOSITORY}"}
    # As the command that pip installs: what `python -m` itself imports is Python's own affair.
    command = "import sys\nfrom jaxlint.frontends.command_line import main\nsys.exit(main())\n"
    write(tmp_path / "bin", {"jaxlint_command.py": command})
    for jobs in ("2", "1"):
        result = subprocess.run(
            [sys.executable, str(tmp_path / "bin" / "jaxlint_command.py"), "check", "--no-cache",
             "--statistics", "--jobs", jobs],
            cwd=tmp_path / "code", capture_output=True, text=True, check=False,
            env={**os.environ, **environment},
        )  # fmt: skip
        assert result.returncode == 1, result.stderr
        assert result.stdout.split()[:2] == [
            str(len(list((tmp_path / "code").iterdir()))),
            "JXL101",
        ]
    assert not (tmp_path / "code" / "ran").exists()


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="its -m imports nothing from there")
def test_the_module_runs_nothing_of_the_linted_folder(tmp_path: Path) -> None:
    a_folder_that_runs(tmp_path)
    assert jaxlint("check", "--no-cache", "--jobs", "2", cwd=tmp_path).returncode == 1
    assert not (tmp_path / "ran").exists()


def test_proving_the_rules_runs_nothing_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path, {"jax.py": f"open({str(tmp_path / 'ran')!r}, 'a')\n"})
    result = jaxlint("confirm", "--rule", "JXL103", cwd=tmp_path, JAX_PLATFORMS="cpu")
    assert result.returncode == 0, result.stderr
    assert not (tmp_path / "ran").exists()


# ---------------------------------------------------------- one bad file costs itself alone

DEEP = "[" * 100_000
NOTEBOOKS = {
    "digits.ipynb": '{"cells": [], "n": ' + "9" * 5000 + "}",
    "worksheet.ipynb": '{"worksheets": [{"cells": 5}]}',
    "cells.ipynb": '{"cells": [5, null, {"cell_type": "code", "source": {"a": 1}}]}',
    "deep.ipynb": DEEP,
    "nan.ipynb": '{"cells": [], "a": NaN, "b": 1e999}',
}


@pytest.mark.parametrize("codec", ["rot13", "hex", "undefined", "punycode", "no-such"])
def test_a_codec_costs_its_file(tmp_path: Path, codec: str) -> None:
    data = f"# coding: {codec}\nimport jax\n".encode() + b"\xe9\n"
    write(tmp_path, {"b.py": BAD})
    (tmp_path / "a.py").write_bytes(data)
    (first, second) = concise(tmp_path)
    assert first.startswith("a.py:")
    assert (first[-6:], second) == ("JXL000", "b.py:6:8: JXL101")
    result = jaxlint("check", "-", cwd=tmp_path, stdin=f"# coding: {codec}\nimport jax\n")
    assert result.returncode in (0, 1)
    assert not result.stderr


def test_a_notebook_costs_itself(tmp_path: Path) -> None:
    write(tmp_path, {**NOTEBOOKS, "z.py": BAD})
    for jobs in ("1", "3"):
        lines = concise(tmp_path, "--jobs", jobs, "--no-cache")
        assert lines == ["deep.ipynb:1:1: JXL000", "z.py:6:8: JXL101"]


@pytest.mark.parametrize("pattern", ["[z-a]", "!", "\\", "a\\"])
def test_a_pattern_without_meaning(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, {"a.py": BAD, "b.py": BAD, ".gitignore": f"{pattern}\nb.py\n"})
    assert concise(tmp_path) == ["a.py:6:8: JXL101"]
    result = jaxlint("check", "--exclude", pattern, cwd=tmp_path)
    assert result.returncode == 2
    assert "is no pattern as in .gitignore" in result.stderr
    write(tmp_path, {"pyproject.toml": f"[tool.jaxlint]\nexclude = ['{pattern}']\n"})
    result = jaxlint("check", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith(f"jaxlint: {tmp_path}/pyproject.toml:2: exclude: ")


def test_settings_nested_without_end(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": f"[tool.jaxlint]\na = {DEEP}"})
    result = jaxlint("check", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "cannot be read as TOML" in result.stderr
    assert len(result.stderr.splitlines()) == 1


BASELINES = {
    "deep": DEEP,
    "infinite": '{"findings": {"a.py": [["JXL101", "x", 1e400]]}}',
    "list": "[]",
    "types": '{"findings": {"a.py": [[1, 2], 3]}}',
}


@pytest.mark.parametrize("text", BASELINES.values(), ids=BASELINES)
def test_what_is_no_baseline_is_told(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.py": BAD, "old.json": text})
    result = jaxlint("check", "--baseline", "old.json", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr == "jaxlint: old.json: not a baseline of jaxlint\n"


def test_a_cache_of_wrong_types_is_no_cache(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": "[tool.jaxlint]\n"})
    found = concise(tmp_path)
    (cached,) = (tmp_path / ".jaxlint_cache").glob("*.json")
    kept = json.loads(cached.read_text("utf-8"))
    ((key, known),) = kept["files"].items()
    ((entry,), modules) = known["findings"], known["modules"]
    entries: list[object] = [5, entry[:-1]]
    entries += [[*entry[:at], {"a": 1}, *entry[at + 1 :]] for at in range(len(entry))]
    entries += [[*entry[:8], [[1, 2, 3, 4]], *entry[9:]], [*entry[:-1], [1, 2]]]
    files: list[object] = [5, {key: 5}, {key: []}, {key: {}}, {key: {"findings": 5}}]
    files += [{key: {"findings": [each], "modules": modules}} for each in entries]
    files += [{key: {"findings": [entry], "modules": each}} for each in (5, [5], {"a": 1}, DEEP)]
    wrong: list[object] = [DEEP, 5, [], {}, {"files": kept["files"], "modules": 5}]
    for each in (*wrong, *({"files": each, "modules": kept["modules"]} for each in files)):
        cached.write_text(each if isinstance(each, str) else json.dumps(each), "utf-8")
        assert concise(tmp_path) == found, each


@pytest.mark.parametrize("path", ["a" * 5000 + ".py", "/proc/1/environ/x.py", "a\tb.py"])
def test_paths_that_cannot_be(tmp_path: Path, path: str) -> None:
    result = jaxlint("check", path, "a.py", cwd=write(tmp_path, {"a.py": BAD}))
    assert result.returncode == 2
    assert result.stderr.endswith(": no such file or folder\n")
    assert "JXL101" in result.stdout


@pytest.mark.parametrize("form", FORMATS)
def test_file_names_that_are_no_text(tmp_path: Path, form: str) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\xfe.py"
    Path(os.fsdecode(name)).write_text(BAD, "utf-8")
    for jobs, target in (("1", []), ("2", ["--output-file", "out"])):
        command = [sys.executable, "-m", "jaxlint", "check", "--output-format", form]
        result = subprocess.run(
            [*command, "--jobs", jobs, *target], cwd=tmp_path, capture_output=True, check=False
        )
        assert (result.returncode, result.stderr) == (1, b"")
        written = (tmp_path / "out").read_bytes() if target else result.stdout
        assert b"JXL101" in written


# --------------------------------------------------------------------- streams and processes


@pytest.mark.parametrize(
    ("redirection", "code"),
    [("<&-", 1), (">&-", 2), ("2>&-", 1), ("<&- >&- 2>&-", 2), (">/dev/full", 2),
     ("2>/dev/full none.py", 2)],
)  # fmt: skip
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_streams_that_are_closed_or_full(
    tmp_path: Path, redirection: str, code: int, jobs: str
) -> None:
    write(tmp_path, {"a.py": BAD, "b.py": GOOD})
    command = f"{sys.executable} -m jaxlint check --no-cache --jobs {jobs} . {redirection}"
    result = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) <= 1
    for arguments in ("rule --all", "check -"):
        command = f"{sys.executable} -m jaxlint {arguments} {redirection}"
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1, 2), done.stderr
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr


LIMITS: dict[str, str] = {
    "descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))",
    "no process": "import subprocess\ndef no(*a, **k): raise BlockingIOError(11, 'none left')\n"
    "subprocess.Popen = no",
    "no thread": "import threading\ndef no(self): raise RuntimeError(\"can't start new thread\")\n"
    "threading.Thread.start = no",
    "cannot start": "import sys\nsys.executable = '/bin/false'",
}  # fmt: skip


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_without_processes_this_one_does_the_work(tmp_path: Path, limit: str) -> None:
    write(tmp_path, {f"code/a{number}.py": BAD for number in range(12)})
    script = (
        f"import resource, sys\n{limit}\nfrom jaxlint.frontends.command_line import main\n"
        "sys.exit(main(['check', '--no-cache', '--jobs', '70', '--statistics', 'code']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1, result.stderr
    assert result.stdout.split()[:2] == ["12", "JXL101"]
    assert not result.stderr


@pytest.fixture
def long_run(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """A run of several processes that would take minutes."""
    write(tmp_path, {f"a{number}.py": BAD * 400 for number in range(60)})
    started = []

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "jaxlint", "check", "--no-cache", "--jobs", "2"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        started.append(process)
        until(lambda: len(psutil.Process(process.pid).children()) == 2)
        time.sleep(1)
        return process

    yield start
    for process in started:
        process.kill()


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("to_the_group", [True, False])
def test_an_interrupt_ends_several_processes_within_a_second(
    long_run: Callable[[], subprocess.Popen[str]], to_the_group: bool
) -> None:
    process = long_run()
    workers = psutil.Process(process.pid).children(recursive=True)
    start = time.monotonic()
    (os.killpg if to_the_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - start < 1
    assert (process.returncode, out, err) == (130, "", "jaxlint: interrupted\n")
    until(lambda: not any(worker.is_running() for worker in workers), 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_workers_do_not_outlive_the_run(
    long_run: Callable[[], subprocess.Popen[str]], number: int
) -> None:
    process = long_run()
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    process.wait(20)
    until(lambda: not any(map(is_alive, workers)), 2)


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# ------------------------------------------------------------ libcst's parser in native code

CHAINS: dict[str, Callable[[int], str]] = {
    "or": lambda n: "x = " + " or ".join(["a"] * n),
    "plus": lambda n: "x = " + " + ".join(["a"] * n),
    "attribute": lambda n: "x = " + ".".join(["a"] * n),
    "import": lambda n: "import " + ".".join(["a"] * n),
    "from": lambda n: "from " + ".".join(["a"] * n) + " import b",
    "call": lambda n: "x = g" + "()" * n,
    "subscript": lambda n: "x = g" + "[0]" * n,
    "decorator": lambda n: "@" + ".".join(["a"] * n) + "\ndef f(): pass",
    "condition": lambda n: "if " + " and ".join(["a"] * n) + ":\n    pass",
    "case": lambda n: "match a:\n    case " + ".".join(["a"] * n) + ":\n        pass",
    "strings": lambda n: "x = " + "'a' " * n,
}


@pytest.mark.parametrize("length", [900, 8000])
def test_long_chains_cost_their_file_at_most(tmp_path: Path, length: int) -> None:
    """What is too much for libcst is read from Python's tree, or said to be too much."""
    files = {f"a_{name}.py": f"{BAD}\n\n{chain(length)}\n" for name, chain in CHAINS.items()}
    write(tmp_path, {**files, "b.py": BAD})
    found = concise(tmp_path, "--no-cache", "--jobs", "1")
    assert not [line for line in found if line.endswith("JXL000")]
    refused = {line.split(":")[0] for line in found if line.endswith("JXL002")}
    deep = {"a_or.py", "a_condition.py"} & refused
    assert bool(deep) <= (length == 8000)
    judged = {line.split(":")[0] for line in found if line.endswith(":6:8: JXL101")}
    assert judged | deep == {*files, "b.py"}
    assert found[-1] == "b.py:6:8: JXL101"
    assert concise(tmp_path, "--no-cache", "--jobs", "2") == found
    # The others are too much for pyflakes, which flake8 always runs.
    flat = [f"a_{name}.py" for name in ("or", "import", "from", "condition")]
    command = [
        sys.executable,
        "-m",
        "flake8",
        "--isolated",
        "--select",
        "JXL",
        "-j2",
        *flat,
        "b.py",
    ]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    # What was not followed to its end is no finding of flake8's: it stands beside.
    lines = [*result.stdout.splitlines(), *result.stderr.replace("jaxlint: ", "").splitlines()]
    assert {line.split(":")[0].removeprefix("./") for line in lines} == {*flat, "b.py"}


ELIFS = "".join(f"    elif x > {number}: y = {number}\n" for number in range(2500))


def test_what_is_nested_too_deeply_to_follow_is_said(tmp_path: Path) -> None:
    chain = f"@jax.jit\ndef g(x):\n    if x > 0: y = 1\n{ELIFS}    return y\n"
    write(tmp_path, {"a.py": f"{BAD}\n\n{chain}", "b.py": BAD})
    for jobs in ("1", "2"):
        found = concise(tmp_path, "--no-cache", "--jobs", jobs)
        assert [line for line in found if "JXL101" not in line or ":6:8:" in line] == [
            "a.py:6:8: JXL101", found[-2], "b.py:6:8: JXL101",
        ]  # fmt: skip
        assert found[-2].endswith("JXL002")


REFUSED = {
    "annotation in parentheses": "(x): int = 1\n",
    "keyword before a star": "b = []\nclass A(m=1, *b): pass\n",
    "adjacent strings": "x = (" + "'a' " * 4000 + ")\n",
}
READ = {
    "indentation after a backslash": "if x:\n    x = 1\n\\\n    y = 2\n",
    "form feed in the indentation": "if x:\n\f    x = 1\n    y = 2\n",
}


def test_what_libcst_refuses_is_linted_all_the_same(tmp_path: Path) -> None:
    """From Python's own tree: without fixes, and with the same places and words."""
    every = {**REFUSED, **READ}
    write(tmp_path, {f"{name}.py": f"import jax\n{text}" for name, text in every.items()})
    assert concise(tmp_path, "--no-cache") == []
    write(tmp_path, {f"{name}.py": f"{BAD}\n\n{text}" for name, text in every.items()})
    result = jaxlint("check", "--output-format", "json", "--unsafe-fixes", cwd=tmp_path)
    found = json.loads(result.stdout)
    assert [(each["code"], each["location"]["row"]) for each in found] == [("JXL101", 6)] * 5
    assert len({each["message"] for each in found}) == 1
    fixable = {Path(each["filename"]).stem for each in found if each["fix"] is not None}
    assert fixable == set(READ)


def test_what_python_compiles_not_is_said(tmp_path: Path) -> None:
    text = "import jax\ntry:\n    pass\nexcept:\n    pass\nexcept E:\n    pass\n"
    result = jaxlint("check", "--output-format", "concise", cwd=write(tmp_path, {"a.py": text}))
    assert result.returncode == 1
    assert "a.py:1:1: JXL000 libcst cannot read this" in result.stdout


# ------------------------------------------------------- what lies beside, and what is written


def test_what_lies_beside_is_no_trap(tmp_path: Path) -> None:
    text = BAD.replace("import jax", "import jax, helper, endless\nfrom huge import x", 1)
    write(tmp_path, {"code/a.py": text})
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    for name in ("helper.py", "setup.cfg", "requirements.txt", "pyproject.toml", ".gitignore"):
        (tmp_path / "code" / name).unlink(missing_ok=True)
        os.mkfifo(tmp_path / "code" / name)
    (tmp_path / "code" / "endless.py").symlink_to("/dev/zero")
    with (tmp_path / "code" / "huge.py").open("wb") as huge:
        huge.truncate(3_000_000_000)
    start = time.monotonic()
    result = jaxlint("check", "--isolated", "--output-format", "concise", cwd=tmp_path / "code")
    assert time.monotonic() - start < 20
    codes = {line.split(":")[0]: line.split()[1] for line in result.stdout.splitlines()}
    assert codes == {
        "a.py": "JXL101", "endless.py": "JXL000", "helper.py": "JXL000", "huge.py": "JXL000"
    }  # fmt: skip
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "JXL", "a.py"]
    done = subprocess.run(
        command, cwd=tmp_path / "code", capture_output=True, text=True, check=False, timeout=60
    )
    assert "JXL101" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every folder")
def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": GOOD, "secret/b.py": BAD})
    (tmp_path / "secret").chmod(0)
    result = jaxlint("check", cwd=tmp_path)
    (tmp_path / "secret").chmod(0o700)
    assert result.returncode == 2
    assert result.stderr == "jaxlint: secret: cannot look into the folder\n"


def test_a_folder_that_went_away_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one without permission, which root cannot have."""
    from jaxlint.workspace import discovery

    write(tmp_path, {"a.py": GOOD, "gone/b.py": BAD})
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("gone"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = discovery.find([tmp_path])
    assert found.files == [tmp_path / "a.py"]
    assert found.unreadable == [tmp_path / "gone"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_steers_neither_terminal_nor_log(tmp_path: Path, form: str) -> None:
    name = "x\n::error::\x1b]0;title\x07\ufffe.py"
    write(tmp_path, {name: BAD.replace("x > 0", 'x > len("\x1b[31m")'), "b.py": "import jax\n(\n"})
    result = jaxlint("check", "--output-format", form, "./" + name, "b.py", cwd=tmp_path)
    assert result.returncode == 1
    assert "JXL101" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    if form == "junit":
        ET.fromstring(result.stdout.encode())
    assert not any(line.startswith("::error::") for line in result.stdout.splitlines())
    missing = jaxlint("check", name + "x", cwd=tmp_path)
    assert len(missing.stderr.splitlines()) == 1
    assert "\x1b" not in missing.stderr


# ------------------------------------------------------------------------- size and growth


def test_a_file_too_large_to_read_is_said_to_be(tmp_path: Path) -> None:
    large = "import jax\nx = [" + "1, " * 400_000 + "]\n"
    write(tmp_path, {"a.py": BAD, "large.py": large, "other.py": large.replace("jax", "os")})
    assert concise(tmp_path) == ["a.py:6:8: JXL101", "large.py:1:1: JXL000"]
    result = jaxlint("check", "large.py", cwd=tmp_path)
    assert "it has 1,200,018 characters, and max-file-size is 1,000,000" in result.stdout
    write(tmp_path, {"pyproject.toml": "[tool.jaxlint]\nmax-file-size = 50\n"})
    assert concise(tmp_path, "a.py") == ["a.py:1:1: JXL000"]
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "JXL", "a.py"]
    done = subprocess.run(
        [*command, "--jaxlint-max-file-size", "50"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "JXL000 it has 77 characters, and max-file-size is 50" in done.stdout


LARGE: dict[str, str] = {
    "literal": "x = [" + "1, " * 300_000 + "]\n",
    "texts": "x = [" + "'abc', " * 130_000 + "]\n",
    "statements": "".join(f"x{number} = {number}\n" for number in range(55_000)),
    "bytes": "x = b'" + "\\x00" * 230_000 + "'\n",
}
"""Files nearly as large as are read; libcst makes some 850 MB of the first of them."""


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_large_file_takes_little_memory(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"a.py": f"{BAD}\n\n{text}"})
    # Not ru_maxrss, which Linux carries over from the process that started this one.
    script = (
        "import re\nfrom jaxlint.frontends.command_line import main\n"
        "code = main(['check', '--no-cache', '--output-format', 'concise', 'a.py'])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())\n"
        "print(code, int(peak[1]) < 600_000)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    first, last = result.stdout.splitlines()
    assert first.startswith("a.py:6:8: JXL101")
    assert last == "1 True"


GROWING: dict[str, Callable[[int], str]] = {
    "blanks before a magic": lambda n: "# %%\nx" + " " * n + "% 3\n",
    "percent script": lambda n: "# %%\n%time x = 1\n" * (n // 16),
    "commands with a bracket": lambda n: "# %%\n" + "!x (\n" * (n // 5),
    "noqa comments": lambda n: "x = 1  # noqa: JXL101\n" * (n // 22),
    "requirement": lambda n: "# " + "jax " * (n // 4),
}


SHORT, LONG = 10_000, 160_000


def scanned(text: str) -> None:
    """What reads a file before it is parsed."""
    from jaxlint.cells import cells_to_program
    from jaxlint.source import Source

    assert Source(text).noqa_comments is not None
    cells_to_program([(1, text)])


def seconds(text: str) -> float:
    start = time.process_time()
    scanned(text)
    return time.process_time() - start


def calls(text: str) -> int:
    """How many functions are called, of Python and of C."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        scanned(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("program", GROWING.values(), ids=GROWING)
def test_the_calls_grow_as_the_file_does(program: Callable[[int], str]) -> None:
    scanned(program(SHORT))
    # Of a file 16 times as long; 256 times as many would be quadratic.
    assert calls(program(LONG)) <= 20 * calls(program(SHORT))


@pytest.mark.parametrize("program", GROWING.values(), ids=GROWING)
def test_the_time_grows_as_the_file_does(program: Callable[[int], str]) -> None:
    """What the calls do not show: regular expressions.

    A busy machine only ever adds: the best of each, in turns. It took 13 to 42 times as long
    where the calls are 16 times as many, and takes 256 times as long where it is quadratic.
    """
    turns = [(seconds(program(SHORT)), seconds(program(LONG))) for _ in range(4)]
    short, long = map(min, zip(*turns, strict=True))
    assert long < 100 * max(short, 0.0001)


STARS = [
    "*a*a*a*a*b",
    "a*b*c",
    "**/a*b*/c",
    "a?*b?*c",
    "[ab]*[bc]*c",
    "*.*.*",
    "a**b**c",
    "!*a*b*c",
]


def test_stars_fit_what_they_fit_for_git(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    chance = random.Random(3)
    names = ["".join(chance.choices("abc.", k=chance.randrange(1, 12))) + ".py" for _ in range(300)]
    write(tmp_path, dict.fromkeys(names, ""))
    for pattern in STARS:
        (tmp_path / ".gitignore").write_text(f"*.py\n{pattern}\n" if pattern[0] == "!" else pattern)
        command = ["git", "ls-files", "--others", "--exclude-standard"]
        kept = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        wanted = set(kept.stdout.splitlines()) - {".gitignore"}
        assert {path.name for path in find([tmp_path]).files} == wanted, pattern


def test_stars_and_a_long_name_take_no_time(tmp_path: Path) -> None:
    pattern = "*a" * 12 + "*b"
    write(tmp_path, {".gitignore": pattern, "a" * 240 + ".py": BAD})
    start = time.process_time()
    exclusion = Exclusion((pattern,), tmp_path)
    assert len(find([tmp_path], lambda folder: [exclusion]).files) == 1
    assert time.process_time() - start < 1
