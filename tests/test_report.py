"""``jaxlint confirm --collect`` and ``jaxlint report``: runs of a pod, joined elsewhere."""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxlint.confirm.cluster import free_port, member
from jaxlint.confirm.program.run_file import FORMAT, SUFFIX
from jaxlint.frontends.command_line import main
from tests.test_command import write

pytest.importorskip("jax")

PROGRAM = """\
import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils

import helper

jax.distributed.initialize()
me = jax.process_index()


@jax.jit
def signed(x):
    if x > 0:
        return x
    return -x


@jax.jit
def step(x):
    return x + 1


x = step(jnp.ones(3 + me))
multihost_utils.process_allgather(x[0])
if me == 1:
    try:
        signed(1.0)
    except jax.errors.TracerBoolConversionError:
        raise SystemExit(3)
"""


def project(folder: Path) -> Path:
    folder.mkdir()
    files = {"src/main.py": PROGRAM, "src/helper.py": "import jax\n", "pyproject.toml": ""}
    return write(folder, files)


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of two processes that a launcher has started, each in a folder of its own.

    Five seconds.
    """
    top = tmp_path_factory.mktemp("pod")
    port = free_port()
    command = [sys.executable, "-m", "jaxlint", "confirm", "src", "--collect", str(top / "runs")]
    started = [
        subprocess.Popen(
            [*command, "--", sys.executable, "src/main.py"], cwd=project(top / f"host{number}"),
            env={**os.environ, **member(number, 2, port)}, stderr=subprocess.PIPE, text=True,
        )
        for number in range(2)
    ]  # fmt: skip
    said = [each.communicate(timeout=120)[1] for each in started]
    assert [each.returncode for each in started] == [0, 3], said
    assert all("jaxlint report" in each for each in said), said
    project(top / "here")
    return top


@pytest.fixture
def runs(pod: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the runs, in a copy of the project that is now the current folder."""
    shutil.copytree(pod / "here", tmp_path / "here")
    shutil.copytree(pod / "runs", tmp_path / "here/runs")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here/runs"


def said_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit code, and the one line that is said when something is wrong."""
    code = main(["report", *arguments])
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    return code, error


def test_two_runs_become_one_report(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(runs.iterdir())) == 2
    assert main(["report", "runs", "--json", "o.json", "--html", "o.html"]) == 3
    text = capsys.readouterr().out
    assert "joined from 2 runs on 1 host" in text
    assert "could not be read" not in text
    data: dict[str, Any] = json.loads(Path("o.json").read_text())
    assert [each["name"] for each in data["members"]] == ["process 0", "process 1"]
    assert [each["exit_code"] for each in data["members"]] == [0, 3]
    (finding,) = data["findings"]
    assert (finding["code"], finding["file"], finding["verdict"]) == (
        "JXL101", "src/main.py", "confirmed",
    )  # fmt: skip
    assert finding["evidence"].endswith("(in process 1)")
    texts = {each["text"] for each in data["differences"]}
    assert "step got: x float32(3,) in process 0; x float32(4,) in process 1" in texts
    assert "<b>process 1</b>" in Path("o.html").read_text()
    step = next(each for each in data["functions"] if each["name"] == "step")
    assert (step["traces"], step["compilations"]) == (2, 2)


def test_paths_and_rules_are_chosen_anew(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "runs", "src/helper.py", "--json", "o.json"]) == 3
    assert json.loads(Path("o.json").read_text())["findings"] == []
    assert main(["report", "runs", "--rule", "JXL102", "--json", "o.json"]) == 3
    assert json.loads(Path("o.json").read_text())["findings"] == []
    capsys.readouterr()


def test_a_finding_that_no_run_looked_for(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in runs.iterdir():
        content = json.loads(path.read_text())
        content["watches"] = [["", "JXL999", "", 1, 0, 1, 0] for _ in content["watches"]]
        path.write_text(json.dumps(content))
    assert main(["report", "runs", "--json", "o.json"]) == 3
    (finding,) = json.loads(Path("o.json").read_text())["findings"]
    assert finding["evidence"] == "was not looked for in this run (in all 2)"
    capsys.readouterr()


def test_runs_that_were_killed_at_once(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing failed that one knows of, and nothing says that the observer was not loaded."""
    for path in runs.iterdir():
        path.write_text(json.dumps({**json.loads(path.read_text()), "journals": [], "code": None}))
    assert main(["report", "runs", "--json", "o.json", "--html", "o.html"]) == 0
    text = capsys.readouterr().out
    assert "exit code -" in text
    assert "nothing had been observed when this was written" in text
    assert "PYTHONPATH" not in text
    data = json.loads(Path("o.json").read_text())
    assert [data["exit_code"], *(each["exit_code"] for each in data["members"])] == [None] * 3
    assert "none: not all had ended" in Path("o.html").read_text()


def test_from_another_folder(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chdir(runs.parent.parent)
    code, said = said_of(capsys, "here/runs")
    assert code == 2
    assert "src/helper.py, which was linted for" in said
    assert "say where it is with --root" in said
    assert main(["report", "here/runs", "--root", "here"]) == 3
    assert "JXL101" in capsys.readouterr().out
    assert said_of(capsys, "here/runs", "--root", "nix")[1].endswith("nix: no such folder\n")


def test_shards_in_folders_of_their_own(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As an action of GitHub downloads them; what is half written has a dot."""
    first, second = runs.iterdir()
    (runs / ".part").write_text("{")
    (runs / f".x{SUFFIX}").write_text("{")
    (runs / "notes.txt").write_text("by hand")
    for number, path in enumerate((first, second)):
        content = json.loads(path.read_text())
        (runs / f"shard{number}").mkdir()
        content["launched"], content["of"] = None, 0
        for records in content["journals"]:
            records[:] = [each for each in records if each["is"] != "member"]
        (runs / f"shard{number}" / path.name).write_text(json.dumps(content))
        path.unlink()
    assert main(["report", "runs", "--json", "o.json"]) == 3
    data = json.loads(Path("o.json").read_text())
    assert [each["name"] for each in data["members"]] == ["run 1", "run 2"]
    assert data["differences"] == []
    capsys.readouterr()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": FORMAT + 1, "jaxlint": "9.9\x1b[2J"}, "written by jaxlint 9.9\\x1b[2J in"),
        ({"format": [{}]}, "this jaxlint, "),
        ({"files": "all"}, "files: no list"),
        ({"files": [["../x.py", "0", True]]}, "'../x.py' is no path in a project"),
        ({"files": [["/etc/x.py", "0", True]]}, "'/etc/x.py' is no path in a project"),
        ({"files": [["a\0b", "0", True]]}, "is no path in a project"),
        ({"files": [["src/main.py", "0", True]]}, "src/main.py has changed since"),
        ({"files": [["src/nix.py", "0", True]]}, "src/nix.py, which was linted for"),
        ({"seconds": 1e300}, "something is no time"),
        ({"began": -1}, "something is no time"),
        ({"host": ["a"]}, "something is no text"),
        ({"code": True}, "something is no number"),
        ({"watches": [[1]]}, "is no run"),
    ],
)
def test_what_is_no_run(
    runs: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], said: str
) -> None:
    path = next(runs.iterdir())
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    code, error = said_of(capsys, "runs")
    assert code == 2
    assert said in error


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is not JSON"),
        (b"\x80\x04\x95pickle", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b'{"format": 1, "jaxl', "it is not JSON, or not all of it"),
        (b'{"format": NaN}', "it is not JSON"),
        (b"[]", "jaxlint did not write it"),
        (b"{}", "jaxlint did not write it"),
        (b'{"format": 1}', "is missing"),
    ],
)
def test_what_is_not_even_json(
    runs: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    (runs / f"a{SUFFIX}").write_bytes(content)
    code, error = said_of(capsys, "runs")
    assert code == 2
    assert said in error


def test_a_file_that_changed(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("src/helper.py").write_text("import jax\r\n")
    assert main(["report", "runs"]) == 3, "only the ends of lines are other ones"
    capsys.readouterr()
    Path("src/helper.py").write_text("import jax  # now\n")
    code, said = said_of(capsys, "runs")
    assert code == 2
    assert "src/helper.py has changed since" in said


def test_nothing_to_join(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    for given, said in (
        (["empty"], "empty holds no runs: jaxlint confirm PATHS --collect empty -- COMMAND"),
        (["src"], "src holds no runs"),
        (["runs", "empty"], "empty holds no runs"),
        (["nix"], "nix: no such file or folder"),
        (["runs", "--retraces", "-1"], "--retraces must not be negative"),
        (["runs", "--html", "nix/o.html"], "cannot write nix/o.html"),
        (["runs", "--rule", "JXL000"], "no rule 'JXL000'"),
    ):
        code, error = said_of(capsys, *given)
        assert (code, said in error) == (2, True), error


def poisoned(content: dict[str, Any], seed: int) -> dict[str, Any]:
    """A few values of the journals are others: of another type, huge, negative, or HTML."""
    chance = random.Random(seed)
    others = (
        None,
        True,
        -1,
        10**6,
        2**60,
        1e308,
        "</script><script>boom()</script>\x1b[2J",
        [],
        {},
    )
    found = copy.deepcopy(content)
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [found["journals"], found["watches"]]
    while waiting:
        each = waiting.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each))
        places += [(each, key) for key in keys]
        waiting += [each[key] for key in keys if isinstance(each[key], (dict, list))]
    for owner, key in chance.sample(places, 12):
        owner[key] = chance.choice(others)
    return found


def test_poisoned_journals_do_no_harm(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = max(runs.iterdir(), key=lambda each: each.stat().st_size)
    whole = json.loads(path.read_text())
    for seed in range(40):
        path.write_text(json.dumps(poisoned(whole, seed)))
        code = main(["report", "runs", "--html", "o.html", "--json", "o.json"])
        said = capsys.readouterr()
        assert code in (0, 2, 3), seed
        assert "Please report it" not in said.err, (seed, said.err)
        assert "\x1b" not in said.out + said.err, seed
        if code != 2:
            assert "<script>boom" not in Path("o.html").read_text(), seed
            json.loads(Path("o.json").read_text())


def test_options_that_do_not_go_together(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    for options, said in (
        (["--fix", "--collect", "d"], "leave --fix out"),
        (["--html", "o.html", "--collect", "d"], "jaxlint report DIR --html makes one"),
        (["--strict", "--collect", "d"], "jaxlint report DIR --strict makes one"),
        (["--collect", "file"], "--collect file: it is no folder"),
    ):
        assert main(["confirm", "src", *options, "--", "true"]) == 2
        assert said in capsys.readouterr().err
    os.chdir("src")
    write(runs.parent.parent, {"away.py": "import jax\n"})
    assert main(["confirm", "../../away.py", "--collect", "d", "--", "true"]) == 2
    error = capsys.readouterr().err
    assert "lies outside of the project around the current folder" in error
    assert error.endswith("; nothing was run\n")


def test_a_run_is_kept_while_it_runs(runs: Path) -> None:
    """A job that is killed leaves what it has seen: it stands in the folder from the beginning."""
    shutil.rmtree(runs)
    waits = "import sys; print('up', flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "confirm", "src", "--collect", "runs", "--",
         sys.executable, "-c", waits],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    (path,) = runs.iterdir()
    assert json.loads(path.read_text())["code"] is None
    process.communicate()
    assert json.loads(path.read_text())["code"] == 0
    assert len(list(runs.iterdir())) == 1
