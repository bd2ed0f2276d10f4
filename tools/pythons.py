"""The Pythons of this machine, and environments of each with a JAX of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

SUPPORTED = ("3.10", "3.11", "3.12", "3.13")
OLDER = ("3.8", "3.9")
"""What releases of JAX need that were made before any of those."""

HOME = Path(__file__).parents[1] / ".pythons"


def version_of(python: str) -> str:
    """``3.12`` for an interpreter that runs; empty for one that does not."""
    script = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


@cache
def installed() -> dict[str, str]:
    """Version -> interpreter, of those that are installed here."""
    found = {version_of(sys.executable): sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    candidates = [shutil.which(f"python{version}") or "" for version in OLDER + SUPPORTED]
    candidates += [str(path) for path in sorted(versions.glob("*/bin/python"))]
    for candidate in filter(None, candidates):
        version = version_of(candidate)
        if version in OLDER + SUPPORTED:
            found.setdefault(version, candidate)
    return found


@cache
def with_jax(version: str) -> tuple[str, str]:
    """An interpreter of that version with jax and pytest and without jaxlint.

    Returns:
        The interpreter and why there is none: one of the two is empty.
    """
    if version not in installed():
        return "", f"Python {version} is not installed"
    folder = HOME / version
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return str(python), ""
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [installed()[version], "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--no-compile", "jax", "jaxlib", "pytest"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no output"])[-1]
            return "", f"no environment for Python {version}: {last}"
    (folder / "complete").touch()
    return str(python), ""
