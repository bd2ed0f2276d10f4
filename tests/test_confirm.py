"""Confirm mode with real JAX: what it confirms, and what it does with bad fixtures."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from jaxlint.knowledge.packages import KNOWN_LIBRARIES
from jaxlint.knowledge.stand_ins import PACKAGES

pytest.importorskip("jax")

FIXTURE = """\
import jax


@jax.jit
def f(x):
    if x > 0:  # JXL101
        return x
    return -x


def trigger():
    return f(1.0)
"""


def confirm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jaxlint", "confirm", "--fixtures", str(folder), "--jobs", "1"]
    return subprocess.run(
        [*command, "--platform", "cpu", *arguments], capture_output=True, text=True, check=False
    )


def write(folder: Path, name: str, text: str) -> None:
    path = folder / "JXL101_branch_on_traced_value" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def test_confirms_and_writes_the_evidence(tmp_path: Path) -> None:
    write(tmp_path, "bad_if.py", FIXTURE)
    result = confirm(tmp_path, "--json", str(tmp_path / "evidence.json"))
    assert result.returncode == 0, result.stderr
    assert "line 6: TracerBoolConversionError" in result.stdout
    evidence = json.loads((tmp_path / "evidence.json").read_text())
    assert evidence["environment"]["platform"] == "cpu"
    assert [verdict["outcome"] for verdict in evidence["verdicts"]] == ["confirmed"]


@pytest.mark.parametrize(
    ("name", "text", "outcome", "said"),
    [
        ("bad_a.py", FIXTURE.replace("@jax.jit\n", ""), "refuted", "no such evidence on line 5"),
        ("bad_b.py", FIXTURE.replace("  # JXL101", ""), "refuted", "line 6: TracerBool"),
        ("good_a.py", FIXTURE.replace("  # JXL101", ""), "refuted", "line 6: TracerBool"),
        ("bad_c.py", FIXTURE.replace("import jax", "import jaxx"), "failed", "No module named"),
        ("bad_d.py", FIXTURE.replace("def trigger", "def other"), "failed", "no trigger()"),
        ("bad_e.py", FIXTURE + "    oops(\n", "failed", "SyntaxError"),
        ("bad_f.py", FIXTURE.replace("f(1.0)", "g(1.0)"), "failed", "NameError"),
        (
            "bad_g.py",
            FIXTURE.replace("f(1.0)", "__import__('os')._exit(7)"),
            "failed",
            "exit code 7",
        ),
        ("bad_h.py", FIXTURE.replace("return f", "while True: f"), "failed", "it hangs"),
    ],
)
def test_a_bad_fixture_is_reported_and_the_others_go_on(
    tmp_path: Path, name: str, text: str, outcome: str, said: str
) -> None:
    write(tmp_path, name, text.replace("while True: f(1.0)", "while True: pass"))
    write(tmp_path, "bad_z.py", FIXTURE)
    result = confirm(tmp_path, "--timeout", "8")
    assert result.returncode == 1
    lines = [line for line in result.stdout.splitlines() if line.startswith("JXL101")]
    broken, fine = sorted(lines, key=lambda line: "bad_z" in line)
    assert broken.endswith(outcome)
    assert said in broken
    assert fine.endswith("confirmed")


def test_a_fixture_about_a_library_that_is_not_installed_is_skipped(tmp_path: Path) -> None:
    for libraries in (KNOWN_LIBRARIES, PACKAGES):
        missing = sorted(name for name in libraries if find_spec(name) is None)
        if not missing:
            pytest.skip("all libraries are installed")
        write(tmp_path, "bad_library.py", f"import {missing[0]}\n{FIXTURE}")
        result = confirm(tmp_path)
        assert result.returncode == 0
        assert f"needs {missing[0]}, which is not installed" in result.stdout


def test_so_is_one_that_runs_in_processes_of_its_own(tmp_path: Path) -> None:
    missing = sorted(name for name in PACKAGES if find_spec(name) is None)
    if not missing:
        pytest.skip("all libraries are installed")
    path = tmp_path / "JXL914_unreduced_gradient" / "good_library.py"
    path.parent.mkdir()
    path.write_text(f"import {missing[0]}\n\n\ndef trigger():\n    return 1\n")
    result = confirm(tmp_path)
    assert result.returncode == 0, result.stdout
    assert f"needs {missing[0]}, which is not installed" in result.stdout


def test_wrong_use_is_one_clear_error(tmp_path: Path) -> None:
    for arguments, said in (
        (("--rule", "JXL999"), "no rule 'JXL999'"),
        (("--timeout", "0"), "--timeout must be more than 0"),
        ((), "no fixtures in"),
    ):
        result = confirm(tmp_path, *arguments)
        assert result.returncode == 2
        assert said in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_missing_platform_is_one_clear_error(tmp_path: Path) -> None:
    write(tmp_path, "bad_if.py", FIXTURE)
    result = confirm(tmp_path, "--platform", "tpu")
    assert result.returncode == 2
    assert result.stderr.startswith("jaxlint: JAX has no platform 'tpu' on this machine")
    assert len(result.stderr.splitlines()) == 1
