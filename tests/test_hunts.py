"""The hunts, in a small form: they run, and catch nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


def hunt(
    kind: str, keep: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.hunts", kind, "--seed", "1", "--keep", str(keep)]
    return subprocess.run(
        [*command, *arguments],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=200,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "count"),
    [("generated", 100), ("mutated", 100), ("decorated", 100), ("packages", 100),
     ("containers", 60), ("notebooks", 100), ("bytes", 100), ("commands", 8),
     ("servers", 60), ("observed", 2)],
)  # fmt: skip
def test_nothing_is_caught(tmp_path: Path, kind: str, count: int) -> None:
    done = hunt(kind, tmp_path, "--count", str(count), "--seconds", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{count} tried: 0 crashed, 0 hung, 0 lost, 0 executed\n")


FAILURES = {
    "crashed": "def broken(*what): os.abort()",
    "hung": "def broken(*what):\n    while True: pass",
    "lost": "def broken(*what): return check.Checked('', [])",
    "executed": "real = lint.examine\n"
    "def broken(*what):\n    exec(compile('1', '/tmp/a.py', 'exec'))\n    return real(*what)",
}


@pytest.mark.parametrize("wrong", FAILURES)
def test_a_failure_is_caught(tmp_path: Path, wrong: str) -> None:
    """A hunt that could catch nothing would say nothing."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, jaxlint.check as check, jaxlint.workspace.lint as lint\n"
        f"{FAILURES[wrong]}\nlint.examine = broken\n",
        "utf-8",
    )
    keep = tmp_path / "caught"
    done = hunt("generated", keep, "--count", "1", PYTHONPATH=str(tmp_path), HUNT_SECONDS="1")
    assert done.returncode == 1
    assert f"\n{wrong}: " in f"\n{done.stdout}", done.stdout + done.stderr
    if wrong in ("crashed", "hung"):
        assert list(keep.iterdir())
