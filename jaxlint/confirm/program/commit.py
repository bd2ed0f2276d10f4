"""Which commit of the project was run."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SECONDS = 5.0


def commit_of(folder: Path) -> str:
    """The short name of the commit that is checked out, and whether files differ from it.

    Empty outside of a repository, without git, and where git takes too long.
    """
    commit = _ask(folder, "rev-parse", "--short=12", "HEAD")
    if not commit:
        return ""
    changed = _ask(folder, "status", "--porcelain", "--untracked-files=no")
    return f"{commit} and changes to it" if changed else commit


def _ask(folder: Path, *words: str) -> str:
    # What the repository's settings have git run is not wanted here.
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
