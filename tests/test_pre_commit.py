"""The hooks, run by the real pre-commit on a git repository of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_command import BAD, GOOD, write

ROOT = Path(__file__).parent.parent
SHIPPED = ("jaxlint", "fixtures", "setup.py", "pyproject.toml", "README.md", "LICENSE")


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    result = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """This project as a repository of hooks, and its revision."""
    folder = tmp_path_factory.mktemp("hooks")
    leave_out = shutil.ignore_patterns("__pycache__")
    for name in (*SHIPPED, ".pre-commit-hooks.yaml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=leave_out)
        else:
            shutil.copy(source, folder / name)
    git(folder, "init")
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "hooks")
    return folder, git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize(("hook", "line"), [("jaxlint", "6 |     if x > 0:"),
                                            ("flake8-jaxlint", "a.py:6:8: JXL101")])  # fmt: skip
def test_a_hook_stops_a_commit(
    tmp_path: Path, hooks: tuple[Path, str], home: Path, hook: str, line: str
) -> None:
    address, revision = hooks
    settings = f"""\
        repos:
        - repo: {address}
          rev: {revision}
          hooks:
          - id: {hook}
        """
    write(tmp_path, {"a.py": GOOD, "text.md": "x", ".pre-commit-config.yaml": settings})
    git(tmp_path, "init")
    git(tmp_path, "add", "-A")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(home)}

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
        )

    clean = run()
    assert clean.returncode == 0, clean.stdout + clean.stderr
    assert "Passed" in clean.stdout
    write(tmp_path, {"a.py": BAD})
    git(tmp_path, "add", "-A")
    found = run()
    assert found.returncode == 1
    assert line in found.stdout
