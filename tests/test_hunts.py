"""The hunts, in a small form: they run, and catch nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


def hunt(kind: str, keep: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.hunts", kind, "--seed", "1", "--keep", str(keep)]
    return subprocess.run(
        [*command, *arguments],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "count"),
    [("generated", 100), ("mutated", 100), ("decorated", 100), ("notebooks", 100), ("bytes", 100),
     ("commands", 8)],
)  # fmt: skip
def test_nothing_is_caught(tmp_path: Path, kind: str, count: int) -> None:
    done = hunt(kind, tmp_path, "--count", str(count), "--seconds", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{count} tried, 0 caught\n")


def test_a_failure_is_caught(tmp_path: Path) -> None:
    """A hunt that could catch nothing would say nothing."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, jaxlint.workspace.lint as lint\n"
        "def examine(*what):\n    os.abort()\n"
        "lint.examine = examine\n",
        "utf-8",
    )
    command = f"PYTHONPATH={tmp_path} {sys.executable} -m tools.hunts generated --count 1"
    done = subprocess.run(
        f"{command} --keep {tmp_path / 'caught'}",
        shell=True, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == 1
    assert "brought the process down (SIGABRT)" in done.stdout
    assert list((tmp_path / "caught").iterdir())
