"""``jaxlint confirm PATHS --fix -- COMMAND``, end to end, on small real projects under real JAX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax")

MODEL = """\
import jax
import jax.numpy as jnp


def first():
    x = jnp.zeros(3)
    x[0] = 5
    return x


def train(n):
    x = jnp.ones(3)
    for _ in range(n):
        x = jax.jit(lambda v: v * 2)(x)
    return x
"""

TESTS = """\
from pathlib import Path

from pkg import model


def test_first():
    assert model.first()[0] == 5


def test_train():
    assert model.train(5)[0] == 32
    assert Path("data/numbers.txt").read_text() == "1"
"""

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a package, its tests, and data that git ignores."""
    top = tmp_path / "project"
    for name, text in {
        ".git/HEAD": "ref: refs/heads/main\n",
        ".gitignore": "data/\n",
        "data/numbers.txt": "1",
        "pkg/__init__.py": "",
        "pkg/model.py": MODEL,
        "test_model.py": TESTS,
    }.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (tmp_path / "temporary").mkdir()
    return top


def confirm(
    folder: Path, *arguments: str, start: Callable[[], None] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run jaxlint's own command; what it leaves in the folder of temporary files is an error."""
    temporary = folder.parent / "temporary"
    variables = {**os.environ, "JAX_PLATFORMS": "cpu", "TMPDIR": str(temporary)}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1", **environment}
    root = str(Path(__file__).parents[1])
    path = [root, environment.get("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    result = subprocess.run(
        [sys.executable, "-m", "jaxlint", "confirm", *arguments],
        cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=300,
        preexec_fn=start,
    )  # fmt: skip
    assert list(temporary.glob("jaxlint-*")) == []
    return result


def fixed(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    """The JSON report, with the result and text of the run; the files must be as they were."""
    before = contents(folder)
    target = folder.parent / "report.json"
    result = confirm(folder, "--fix", "--json", str(target), *arguments, **environment)
    assert contents(folder) == before
    report: dict[str, Any] = json.loads(target.read_text())
    report["stdout"], report["stderr"] = result.stdout, result.stderr
    report["returncode"] = result.returncode
    return report


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def fates(report: dict[str, Any]) -> dict[str, tuple[str, str | None, str | None]]:
    """Code -> what became of its finding, and the verdicts before and after."""
    return {
        each["code"]: (
            each["fate"],
            each["before"] and each["before"]["verdict"],
            each["after"] and each["after"]["verdict"],
        )
        for each in report["fix"]["findings"]
    }


def test_a_safe_fix_makes_a_failing_test_pass(project: Path) -> None:
    report = fixed(project, ".", "--", *PYTEST)
    assert "1 failed, 1 passed" in report["stdout"]
    assert "2 passed" in report["stdout"]
    assert report["returncode"] == 0
    fix = report["fix"]
    assert (fix["before"]["exit_code"], fix["after"]["exit_code"]) == (1, 0)
    assert fates(report) == {
        "JXL112": ("gone", "confirmed", None),
        "JXL201": ("left", "confirmed", "confirmed"),
    }
    assert fix["counts"] == {"gone": 1, "left": 1, "new": 0}
    assert fix["before"]["work"]["traces"] == fix["after"]["work"]["traces"] == 5
    assert [(each["file"], each["code"], each["count"]) for each in fix["applied"]] == [
        (os.path.join("pkg", "model.py"), "JXL112", 1)
    ]
    assert fix["remarks"] == []
    assert fix["after"]["seconds"] > 0
    assert "findings: 1 gone, 1 left, 0 new" in report["stderr"]


def test_unsafe_fixes_make_traces_fall(project: Path) -> None:
    report = fixed(project, "pkg", "--unsafe-fixes", "--", *PYTEST)
    assert report["returncode"] == 0
    assert fates(report) == {
        "JXL112": ("gone", "confirmed", None),
        "JXL201": ("gone", "confirmed", None),
    }
    fix = report["fix"]
    assert (fix["before"]["work"]["traces"], fix["after"]["work"]["traces"]) == (5, 1)
    assert (fix["before"]["work"]["compilations"], fix["after"]["work"]["compilations"]) == (5, 1)
    (function,) = [each for each in fix["functions"] if not each["library"]]
    assert function["name"] == "train.<lambda>"
    assert "5 -> 1 traces, 5 -> 1 compilations" in report["stderr"]


def test_an_editable_installation_does_not_bring_the_original_back(project: Path) -> None:
    """Its folder stands on the search path by its full name; so does that of the program."""
    (project / "src").mkdir()
    (project / "pkg").rename(project / "src" / "pkg")
    (project / "program.py").write_text(
        f"import sys\nsys.path.append({str(project / 'src')!r})\n"
        "from pkg import model\nmodel.train(3)\nmodel.first()\n"
    )
    command = (sys.executable, str(project / "program.py"))
    report = fixed(project, "src", "--unsafe-fixes", "--", *command)
    fix = report["fix"]
    assert (fix["before"]["exit_code"], fix["after"]["exit_code"]) == (1, 0)
    assert (fix["before"]["work"]["traces"], fix["after"]["work"]["traces"]) == (3, 1)
    assert fix["remarks"] == []


def test_a_search_path_into_the_project_leads_into_the_copy(project: Path) -> None:
    command = (sys.executable, "-c", "import model; model.first()")
    report = fixed(project, "pkg", "--", *command, PYTHONPATH=str(project / "pkg"))
    assert report["fix"]["before"]["exit_code"] == 1
    assert report["fix"]["after"]["exit_code"] == report["returncode"] == 0


def test_where_the_original_was_run_is_said(project: Path) -> None:
    program = f"import sys; sys.path[0] = {str(project / 'pkg')!r}; import model; model.first()"
    report = fixed(project, "pkg", "--", sys.executable, "-c", program)
    assert report["returncode"] == 1
    (remark,) = [each for each in report["fix"]["remarks"] if "elsewhere" in each]
    assert "the fixes in them were not tried" in remark


def test_the_exit_code_is_that_of_the_second_run(project: Path) -> None:
    (project / "test_model.py").write_text(TESTS + "\n\ndef test_other():\n    assert False\n")
    assert fixed(project, ".", "--", *PYTEST)["returncode"] == 1


def test_strict_is_about_the_second_run(project: Path) -> None:
    assert fixed(project, ".", "--strict", "--", *PYTEST)["returncode"] == 1
    assert fixed(project, ".", "--strict", "--unsafe-fixes", "--", *PYTEST)["returncode"] == 0


def test_a_file_that_git_ignores_is_mended_in_the_copy_all_the_same(project: Path) -> None:
    (project / ".gitignore").write_text("data/\npkg/\n")
    report = fixed(project, "pkg/model.py", "--", *PYTEST)
    assert report["returncode"] == 0
    assert fates(report)["JXL112"] == ("gone", "confirmed", None)


def test_nothing_to_mend_is_said_and_run_once(project: Path) -> None:
    text = MODEL.replace("x[0] = 5", "x = x.at[0].set(5)")
    (project / "pkg" / "model.py").write_text(text)
    report = fixed(project, ".", "--", *PYTEST)
    assert report["returncode"] == 0
    assert report["stdout"].count("2 passed") == 1
    assert "fix" not in report
    said = "--fix changed nothing: no finding has a safe fix; --unsafe-fixes has some"
    assert report["remarks"] == [said]
    assert f"note: {said}" in report["stderr"]


def test_what_cannot_be_mended_is_said(project: Path) -> None:
    model = project / "pkg" / "model.py"
    model.chmod(0o444)
    report = fixed(project, ".", "--", *PYTEST)
    assert report["returncode"] == 1
    assert report["remarks"] == [f"not mended: {model}: it is read-only"]


def test_a_missing_command_is_looked_for_once(project: Path) -> None:
    result = confirm(project, ".", "--fix", "--", "no-such-command")
    assert result.returncode == 127
    assert "cannot run 'no-such-command': not found; it was not run with the fixes" in result.stderr


def test_a_file_outside_of_the_project_is_refused(project: Path) -> None:
    (project.parent / "other.py").write_text(MODEL)
    result = confirm(project, "../other.py", "--fix", "--", *PYTEST)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"lies outside of {project}, which --fix copies; nothing was run" in result.stderr


def test_a_copy_that_fails_is_said(project: Path) -> None:
    resource = pytest.importorskip("resource")
    (project / "large.txt").write_text("x" * 2_000_000)

    def no_large_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    result = confirm(project, ".", "--fix", "--", *PYTEST, start=no_large_files)
    assert (result.returncode, result.stdout) == (2, "")
    assert f"cannot copy the project {project} for --fix: " in result.stderr
    assert "File too large; nothing was run" in result.stderr


def test_links_within_the_project_lead_into_the_copy(project: Path) -> None:
    (project / "alias").symlink_to(project / "pkg", target_is_directory=True)
    command = (sys.executable, "-c", "from alias import model; model.first()")
    report = fixed(project, "pkg", "--", *command)
    assert report["fix"]["before"]["exit_code"] == 1
    assert report["returncode"] == 0


def test_the_folder_of_temporary_files_may_lie_in_the_project(project: Path) -> None:
    (project / "tmp").mkdir()
    result = confirm(project, ".", "--fix", "--", *PYTEST, TMPDIR=str(project / "tmp"))
    assert result.returncode == 0
    assert list((project / "tmp").iterdir()) == []


MOVED = """\
import jax


def sample(key):
    return jax.random.normal(key) + jax.random.normal(key)


@jax.jit
def never_called(x):
    while x > 0:
        x = x - 1
    return x
"""


def test_a_finding_below_added_lines_is_the_same_one(project: Path) -> None:
    (project / "moved.py").write_text(MOVED)
    program = "import jax, moved; moved.sample(jax.random.key(0))"
    report = fixed(project, "moved.py", "--unsafe-fixes", "--", sys.executable, "-c", program)
    findings = {each["code"]: each for each in report["fix"]["findings"]}
    assert findings["JXL401"]["fate"] == "gone"
    left = findings["JXL102"]
    assert left["fate"] == "left"
    assert left["before"]["line"] == 10
    assert left["after"]["line"] > 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((".", "--unsafe-fixes", "--", "true"), "write --fix too"),
        (("--fix",), "--fix are for your own program"),
    ],
)
def test_wrong_use_is_said(project: Path, arguments: tuple[str, ...], said: str) -> None:
    result = confirm(project, *arguments)
    assert result.returncode == 2
    assert said in result.stderr
